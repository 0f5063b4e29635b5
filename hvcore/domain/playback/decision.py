"""
Playback decisions: record the rules that a request for a video kept or broke.

Each check records the rules that the request passed. While videos are served nobody
reads the record, and nothing is stored. ``hv explain`` reads it, so that it needs no
rules of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs

from hvcore.domain.playback.rules import PlaybackRule


@attrs.define(kw_only=True)
class PlaybackDecision:
    """
    Record the rules that a playback request kept, and the rule that it broke.

    Attributes:
        passed: The rules that the request kept, in the order of the checks.
        refused_by: The first rule that the request broke; None if it broke none.
        detail: The detail text of the answer to the request.
    """

    passed: list[PlaybackRule] = attrs.field(factory=list)
    refused_by: PlaybackRule | None = None
    detail: str = ""


_followed: ContextVar[PlaybackDecision | None] = ContextVar("decision", default=None)


@contextmanager
def following() -> Iterator[PlaybackDecision]:
    """Record the playback decision made within the block, in this thread."""
    decision = PlaybackDecision()
    token = _followed.set(decision)
    try:
        yield decision
    finally:
        _followed.reset(token)


def is_followed() -> bool:
    """Return whether a playback decision is recorded at present, in this thread."""
    return _followed.get() is not None


def passed(*rules: PlaybackRule) -> None:
    """Record rules that the request has kept; does nothing outside of ``following``."""
    decision = _followed.get()
    if decision is not None:
        # Some are looked at twice: before and after the token.
        decision.passed += [rule for rule in rules if rule not in decision.passed]


def conclude(detail: str, rule: PlaybackRule | None) -> bool:
    """
    Add the end of this thread's request to the recorded playback decision, if it is being recorded.

    Args:
        detail: The sentence in the answer that says why playback is refused, or "".
        rule: The rule that the request breaks; None if it breaks none.

    Returns:
        Whether a playback decision is being recorded in this thread.
    """
    decision = _followed.get()
    if decision is None:
        return False
    decision.refused_by, decision.detail = rule, detail
    # What is published and gone was kept at first.
    decision.passed = [other for other in decision.passed if other is not rule]
    return True
