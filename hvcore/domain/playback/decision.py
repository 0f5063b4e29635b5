"""
Follow how a request for a video is judged, rule by rule.

What judges takes note of each rule that was kept. Nobody listens while videos
are served, and the note costs nothing; ``hv explain`` listens, and so needs no
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
    How a request was judged.

    Attributes:
        kept: The rules that it has kept, in the order they were looked at.
        refused_by: The first that it did not keep.
        detail: What its caller was told.
    """

    kept: list[PlaybackRule] = attrs.field(factory=list)
    refused_by: PlaybackRule | None = None
    detail: str = ""


_followed: ContextVar[PlaybackDecision | None] = ContextVar("decision", default=None)


@contextmanager
def following() -> Iterator[PlaybackDecision]:
    """
    Follow what is judged within a block, in this thread.
    """
    decision = PlaybackDecision()
    token = _followed.set(decision)
    try:
        yield decision
    finally:
        _followed.reset(token)


def is_followed() -> bool:
    """
    Tell whether somebody listens, in this thread.
    """
    return _followed.get() is not None


def kept(*rules: PlaybackRule) -> None:
    """
    Take note of rules that a request has kept.
    """
    decision = _followed.get()
    if decision is not None:
        # Some are looked at twice: before and after the token.
        decision.kept += [rule for rule in rules if rule not in decision.kept]


def conclude(detail: str, rule: PlaybackRule | None) -> bool:
    """
    Take note of how a request has ended; tell whether anybody listens.
    """
    decision = _followed.get()
    if decision is None:
        return False
    decision.refused_by, decision.detail = rule, detail
    # What is published and gone was kept at first.
    decision.kept = [other for other in decision.kept if other is not rule]
    return True
