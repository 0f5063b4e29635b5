"""
Transcoder routes: rules that choose one of several transcoders for a job.

A rule is a sentence such as ``cloud if duration > 60 min and hdr``. The first rule that
is true of a job chooses the job's transcoder.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import attrs

_NUMBER: Final = r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[A-Za-z]*)"
_COMPARED: Final = re.compile(rf"(?P<fact>[a-z]+)\s*>\s*{_NUMBER}")
_RULE: Final = re.compile(r"(?P<name>[a-z][a-z0-9-]*)\s+if\s+(?P<conditions>.+)")
_UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "duration": {"s": 1, "min": 60, "h": 3600},
    "size": {"MB": 1e6, "GB": 1e9, "MiB": 2**20, "GiB": 2**30},
    "edge": {"px": 1, "": 1},
    "waiting": {"s": 1, "min": 60, "h": 3600},
}
RULES_ARE: Final = (
    "a rule is NAME if CONDITION, or several joined by and; a condition is "
    "duration > 60 min, size > 10 GB, edge > 1440 px, waiting > 30 min, or hdr"
)


@attrs.frozen(kw_only=True)
class JobFacts:
    """
    Hold the facts about a job that transcoder rules compare; None is not yet known.

    Attributes:
        size_bytes: The size of the source.
        waiting_s: Returns the seconds of video that wait for each local encoder.
        edge_px: The short edge of the source.
    """

    size_bytes: int
    waiting_s: Callable[[], float]
    duration_s: float | None = None
    edge_px: int | None = None
    is_hdr: bool | None = None

    def number(self, fact: str) -> float | None:
        """Return a fact as a number; ``hdr`` is 1 or 0; None if it is not known yet."""
        if fact == "waiting":
            return self.waiting_s()
        known = {
            "size": self.size_bytes,
            "duration": self.duration_s,
            "edge": self.edge_px,
            "hdr": self.is_hdr,
        }
        return known[fact]


@attrs.frozen
class RouteCondition:
    """Hold a condition, which is true if a fact is greater than a limit."""

    text: str
    fact: str
    above: float


@attrs.frozen
class TranscoderRoute:
    """Hold a rule: a transcoder, and the conditions that must all be true of a job."""

    transcoder: str
    conditions: tuple[RouteCondition, ...]

    @property
    def reason(self) -> str:
        """The conditions of the rule, as an operator wrote them."""
        return " and ".join(condition.text for condition in self.conditions)

    def holds(self, facts: JobFacts) -> bool | None:
        """Return whether the rule is true of a job; None if that is not known yet."""
        is_known = True
        for condition in self.conditions:
            number = facts.number(condition.fact)
            if number is None:
                is_known = False
            elif number <= condition.above:
                return False
        return True if is_known else None


def read_route(text: str) -> TranscoderRoute:
    """
    Read a transcoder rule from a text.

    Raises:
        ValueError: The text is no rule; the message says how rules are written.
    """
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no rule: {RULES_ARE}")
    words = re.split(r"\s+and\s+", match["conditions"].strip())
    return TranscoderRoute(match["name"], tuple(_condition(word) for word in words))


def first_that_holds(
    routes: Iterable[TranscoderRoute], facts: JobFacts
) -> tuple[TranscoderRoute | None, bool]:
    """
    Return the first rule that is true of a job, or None, and whether that is certain.

    It is uncertain if an earlier rule depends on a fact that is not known yet.
    """
    for route in routes:
        holds = route.holds(facts)
        if holds is None:
            return None, False
        if holds:
            return route, True
    return None, True


def _condition(text: str) -> RouteCondition:
    if text == "hdr":
        return RouteCondition(text, "hdr", 0.5)
    match = _COMPARED.fullmatch(text)
    if match is None or match["fact"] not in _UNITS:
        raise ValueError(f"{text!r} is no condition: {RULES_ARE}")
    units = _UNITS[match["fact"]]
    if match["unit"] not in units:
        known = ", ".join(filter(None, units))
        raise ValueError(f"{text!r} needs one of these units: {known}")
    return RouteCondition(
        text, match["fact"], float(match["number"]) * units[match["unit"]]
    )
