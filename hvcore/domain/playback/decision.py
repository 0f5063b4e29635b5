"""
Follow the judging of a request for a video, rule by rule.

Each check records the rules that the request passed. Nobody listens while
videos are served, and the note costs nothing; ``hv explain`` listens, and so
needs no rules of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs

from hvcore.domain.playback.rules import PlaybackRule


@attrs.define(kw_only=True)
class PlaybackDecision:
    """
    The decision about a request: the rules that it kept, and the one that it broke.

    Attributes:
        passed: The rules that it passed, in the order of the checks.
        refused_by: The first that it did not keep.
        detail: The detail in the answer.
    """

    passed: list[PlaybackRule] = attrs.field(factory=list)
    refused_by: PlaybackRule | None = None
    detail: str = ""


_followed: ContextVar[PlaybackDecision | None] = ContextVar("decision", default=None)


@contextmanager
def following() -> Iterator[PlaybackDecision]:
    """Follow the decisions within a block, in this thread."""
    decision = PlaybackDecision()
    token = _followed.set(decision)
    try:
        yield decision
    finally:
        _followed.reset(token)


def is_followed() -> bool:
    """Return whether somebody listens, in this thread."""
    return _followed.get() is not None


def passed(*rules: PlaybackRule) -> None:
    """Record rules that a request has passed."""
    decision = _followed.get()
    if decision is not None:
        # Some are looked at twice: before and after the token.
        decision.passed += [rule for rule in rules if rule not in decision.passed]


def conclude(detail: str, rule: PlaybackRule | None) -> bool:
    """Record the end of a request; tell whether anybody listens."""
    decision = _followed.get()
    if decision is None:
        return False
    decision.refused_by, decision.detail = rule, detail
    # What is published and gone was kept at first.
    decision.passed = [other for other in decision.passed if other is not rule]
    return True
