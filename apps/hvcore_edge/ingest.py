"""
Bring the segments that an edge has counted from its tally files to the analytics sinks, once each.

As with spool files (``hvcore.services.counting.flusher``): if a process is killed, no segment
is counted twice, and no counted segment is lost.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.analytics.segments import BatchId, ServedBatch
from hvcore.failpoints import failpoint
from hvcore.ports.analytics import AnalyticsSink
from hvcore.services.counting.sessions import SessionNames
from hvcore.services.counting.sink_feeds import SinkFeeds
from hvcore.spool import SpoolFile, opened, put_aside, remove
from hvcore_edge.served_notes import NamedSessions, read_notes
from hvcore_edge.tallies import (
    DAMAGED_SUFFIX,
    NEW_SUFFIX,
    EdgeTally,
    read_tally,
    tally_files,
    used_bytes,
)

NEW_FOR_S: Final = 60.0
"""It takes a worker some microseconds to give a file its name."""
_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Ingest:
    """
    Brings the segment counts of this machine's edge to the analytics sinks; for one process.

    Attributes:
        folder: The folder in which nginx's workers write their tally files.
        sinks: The sinks by name. Each continues at its own position, whatever the others do.
        names: Gives viewers' sessions the names that the service gives them.
        beat: The function called after each round, each file and each batch that a sink has taken.
    """

    folder: Path
    sinks: Mapping[str, AnalyticsSink]
    names: SessionNames
    beat: Callable[[], None] = lambda: None
    _feeds: SinkFeeds = attrs.field(init=False)
    _sessions: NamedSessions = attrs.field(init=False)

    @_feeds.default
    def _make_feeds(self) -> SinkFeeds:
        return SinkFeeds(sinks=self.sinks, applied=self._applied)

    @_sessions.default
    def _make_sessions(self) -> NamedSessions:
        return NamedSessions(self.names)

    def run_once(self) -> bool:
        """
        Read all tally files that workers have finished, and remove those that every sink has.

        A damaged file is kept aside instead.

        Returns:
            Whether every sink has all finished files.
        """
        is_counted = True
        self.beat()
        with self._feeds.round():
            for path in tally_files(self.folder):
                self.beat()
                try:
                    is_counted &= self._read(path)
                except Exception as exc:  # noqa: BLE001 - whatever is wrong with it
                    is_counted = False
                    self._feeds.skip(path, exc)
        self._remove_unnamed()
        return is_counted

    def _read(self, path: Path) -> bool:
        with opened(path) as file:
            if not file.is_complete:
                return True
            # When a sink asks for it, or when it goes; once.
            read = cache(partial(_read_at, path))
            if not self._feeds.bring(file, partial(self._batches, file, read)):
                return False
            if not self._feeds.has_all(file):
                return False
            if file.size_bytes() and read().damaged:
                _log.error(
                    "a file of the edge was damaged; what could be read of it is "
                    "counted, and the file can be removed",
                    extra={"hv_path": str(put_aside(path, DAMAGED_SUFFIX))},
                )
            else:
                remove(path)
            self._feeds.forget(file.name)
        return True

    def _batches(
        self,
        file: SpoolFile,
        read: Callable[[], EdgeTally],
        start: int,
        size_bytes: int,
    ) -> Iterator[ServedBatch]:
        # All of it is one batch. One that is longer than it was has got back what was cut
        # off behind the counts, by a power cut.
        if start or not size_bytes:
            return
        tally = read()
        besides = read_notes(tally.notes, self._sessions)
        yield ServedBatch(
            id=BatchId(file=file.name, start=start, end=size_bytes),
            counts=tally.counts,
            minutes=tally.minutes,
            ignored=tally.ignored,
            seen=besides.seen,
            unfollowed=besides.unfollowed,
            origins=besides.origins,
        )

    def _applied(self) -> None:
        failpoint("flush.applied")
        self.beat()

    def _remove_unnamed(self) -> None:
        """Remove files of nginx workers that were killed before they counted in them."""
        for path in self.folder.glob(f"edge-*{NEW_SUFFIX}"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime >= NEW_FOR_S:
                    path.unlink()


def _read_at(path: Path) -> EdgeTally:
    with path.open("rb") as records:
        return read_tally(used_bytes(records))
