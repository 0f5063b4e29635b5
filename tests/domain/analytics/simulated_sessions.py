"""
Playback sessions of which all figures are known.
"""

import random
from collections.abc import Iterator

from hvcore.domain.analytics.playback_sessions import MAX_STARTUP_MS, SessionFigures

SUMMED = ("startup_ms", "played_ms", "rebuffering_ms", "rebufferings", "errors")


def simulated(sessions: int) -> Iterator[SessionFigures]:
    """
    Make the figures of sessions, alike in each run.
    """
    chance = random.Random(60)  # noqa: S311 - alike in each run
    for _ in range(sessions):
        yield SessionFigures(
            startup_ms=min(MAX_STARTUP_MS, int(chance.lognormvariate(6.7, 1))),
            played_ms=chance.randrange(600_000),
            rebuffering_ms=chance.choice([0, 0, 0, chance.randrange(20_000)]),
            rebufferings=chance.randrange(3),
            errors=int(chance.random() < 0.02),
        )
