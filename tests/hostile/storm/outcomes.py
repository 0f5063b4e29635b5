"""
What the attackers may have got: what they asked for, or a refusal with a reason.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

NO_ANSWER: Final = "no answer"
UNFINISHED: Final = ("half a head", "no body", "announced upload", "idle", "slow")
"""Beginnings of names of attacks that leave a server nothing to answer, or no way to."""
LANDS: Final[Mapping[str, frozenset[str]]] = {
    "announced upload": frozenset({"503 unavailable"}),
    "greedy reader": frozenset({"200"}),
    "odd picture": frozenset({"200", "503 unavailable"}),
    "one byte": frozenset({"206"}),
    "invented viewer": frozenset({"200"}),
    "malformed, API": frozenset(
        {"400 invalid_parameters", "404 not_found", "414 uri_too_long"}
    ),
    "malformed, delivery": frozenset(
        {"400 invalid_parameters", "404 not_found", "414 uri_too_long"}
    ),
    "slow name": frozenset({"200"}),
    "grants": frozenset({"200"}),
    "lists": frozenset({"200"}),
}
"""What shows that an attack reached what it is for."""
_ALLOWED: Final = re.compile(r"20[06]|(4\d\d|503) [a-z_]+")


def wrong_outcomes(
    outcomes: Mapping[str, Mapping[str, int]],
    lands: Mapping[str, frozenset[str]] = LANDS,
) -> list[str]:
    """
    Return sentences about answers without a reason, and attacks that reached nothing.

    Args:
        lands: What shows that an attack reached what it is for.
    """
    return [*_without_reason(outcomes), *not_landed(outcomes, lands)]


def not_landed(
    outcomes: Mapping[str, Mapping[str, int]], lands: Mapping[str, frozenset[str]]
) -> list[str]:
    """
    Return sentences about attacks that have not reached what they are for.
    """
    return [
        f"{attack}: never {' or '.join(sorted(missing))}"
        for attack, wanted in lands.items()
        if (missing := wanted - outcomes.get(attack, {}).keys())
    ]


def _without_reason(outcomes: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for attack, found in outcomes.items():
        for outcome, count in found.items():
            is_cut_off = outcome == NO_ANSWER and attack.startswith(UNFINISHED)
            if not is_cut_off and not _ALLOWED.fullmatch(outcome):
                yield f"{attack}: {count} times {outcome}"
