"""
Tally files as workers of nginx leave them, and sinks that take their counts or fail.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from hvcore.assembly import Services
from hvcore.domain.analytics.segments import (
    ServedBatch,
)
from hvcore.domain.ids import VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import (
    AnalyticsSink,
)
from hvcore_edge.ingest import Ingest
from tests.edge.written_tallies import tally, write_tally

VIDEO: Final = VideoId("vid_" + "a" * 22)
MINUTE: Final = 29_455_384
BEGAN: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SEGMENTS_AT: Final = 20
"""The offset in a file of the number of segments of its first record."""


def record(segments: int = 1, told: str = "") -> tuple[bytes, int, int, int]:
    return f"org_a env_1 {VIDEO} 720{told}".encode(), segments, 5_678, 6_789


def write(folder: Path, *records: tuple[bytes, int, int, int]) -> Path:
    """
    As a worker leaves it.
    """
    return write_tally(folder, tally(MINUTE, *records), is_whole=True)


@contextmanager
def locked(path: Path) -> Iterator[BinaryIO]:
    """
    As by a worker that lives.
    """
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file


def ingest(services: Services, **sinks: AnalyticsSink) -> Ingest:
    """
    As after a restart.
    """
    return Ingest(
        folder=services.edge_folder,
        sinks=sinks or services.flusher.sinks,
        names=services.session_names,
    )


def counted(services: Services) -> int:
    return services.analytics_store.served([VIDEO]).get(VIDEO, 0)


class Moody(AnalyticsSink):
    """
    A sink that writes, and then says that it could not.
    """

    def __init__(self, inner: AnalyticsSink) -> None:
        self.inner, self.fails = inner, True

    def write(self, batch: ServedBatch) -> None:
        self.inner.write(batch)
        if self.fails:
            raise UnavailableError

    def position(self, file: str) -> int:
        return self.inner.position(file)

    def forget(self, file: str) -> None:
        self.inner.forget(file)


class Mute(Moody):
    """
    A sink that says no more once it has written.
    """

    def __init__(self, inner: AnalyticsSink) -> None:
        super().__init__(inner)
        self.fails = False

    def write(self, batch: ServedBatch) -> None:
        super().write(batch)
        self.fails = True

    def position(self, file: str) -> int:
        if self.fails:
            raise UnavailableError
        return super().position(file)


class Behind(AnalyticsSink):
    """
    A sink that was down, and has nothing as yet.
    """

    def __init__(self) -> None:
        self.fails = True
        self.written: list[ServedBatch] = []

    def write(self, batch: ServedBatch) -> None:
        if self.fails:
            raise UnavailableError
        self.written.append(batch)

    def position(self, file: str) -> int:
        if self.fails:
            raise UnavailableError
        ends = (one.id.end for one in self.written if one.id.file == file)
        return max(ends, default=0)

    @property
    def segments(self) -> int:
        """
        What it was brought, twice if it was brought it twice.
        """
        return sum(one.segments for batch in self.written for one in batch.counts)
