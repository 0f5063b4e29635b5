"""
The one who does ordinary things: ``python -m tests.hostile.storm.neighbour``.

Reads :class:`Errand` as JSON from standard input, asks for one thing after the other
from an address of its own until a line comes, and prints how long each took.
"""

import itertools
import json
import os
import select
import sys
import time
from contextlib import suppress
from http.client import HTTPException
from typing import Final

import attrs
import cattrs

from hvcore.processes.child_launcher import share_processors_as_nice
from tests.hostile.strangers import ask

ASKS_EVERY_S: Final = 0.04
NICENESS: Final = -10
"""Viewers have machines of their own: what they wait for a processor here is no
answer's delay."""
SEGMENT: Final = "segment"


@attrs.frozen(kw_only=True)
class Ask:
    """
    One thing that is asked for again and again.

    Attributes:
        name: Segments have the name that is counted.
        lines: Headers, as they are sent.
        body: JSON, if any.
    """

    name: str
    port: int
    path: str
    method: str = "GET"
    lines: list[str] = attrs.field(factory=list, repr=False)
    body: str = ""


@attrs.frozen(kw_only=True)
class Errand:
    """
    What is asked for, in turn.
    """

    asks: list[Ask]


@attrs.define(kw_only=True)
class Experience:
    """
    What came of it.

    Attributes:
        took_ms: Of each answer, by name.
        failures: Sentences about what was no right answer.
    """

    took_ms: dict[str, list[float]] = attrs.field(factory=dict)
    failures: list[str] = attrs.field(factory=list)

    @property
    def segments(self) -> int:
        """
        How many segments came whole.
        """
        return len(self.took_ms.get(SEGMENT, []))

    def percentile_ms(self, percent: float) -> float:
        """
        Return what so many of all answers stayed below.
        """
        return percentile(
            [one for each in self.took_ms.values() for one in each], percent
        )

    def tenths(self) -> "list[Experience]":
        """
        Return the experience of each tenth of the time: they ask at one pace.
        """
        return [
            Experience(
                took_ms={
                    name: each[len(each) * tenth // 10 : len(each) * (tenth + 1) // 10]
                    for name, each in self.took_ms.items()
                }
            )
            for tenth in range(10)
        ]


def percentile(values: list[float], percent: float) -> float:
    """
    Return the value that so many percent do not exceed.
    """
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def main() -> None:
    """
    Ask until a line comes, and print what it was like.
    """
    with suppress(PermissionError):
        os.nice(NICENESS)
    share_processors_as_nice()
    errand = cattrs.structure(json.loads(sys.stdin.readline()), Errand)
    experience = Experience()
    is_over = False
    for number, wanted in enumerate(itertools.cycle(errand.asks)):
        # Everything once, however soon the line comes.
        if is_over and number >= len(errand.asks):
            break
        _ask(wanted, experience)
        is_over = bool(select.select([sys.stdin], [], [], ASKS_EVERY_S)[0])
    json.dump(cattrs.unstructure(experience), sys.stdout)


def _ask(wanted: Ask, experience: Experience) -> None:
    started = time.monotonic()
    try:
        answer = ask(
            wanted.port,
            wanted.path,
            *wanted.lines,
            method=wanted.method,
            body=wanted.body.encode(),
        )
    except (OSError, HTTPException) as exc:
        experience.failures.append(f"{wanted.name}: {type(exc).__name__} {exc}")
        return
    if answer.status != 200:
        experience.failures.append(
            f"{wanted.name}: {answer.status} {answer.body!r:.200}"
        )
        return
    took_ms = (time.monotonic() - started) * 1000
    experience.took_ms.setdefault(wanted.name, []).append(took_ms)


if __name__ == "__main__":
    main()
