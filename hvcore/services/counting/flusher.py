"""Write the served segments of spool files to the analytics sinks, each exactly once."""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import attrs

from hvcore.domain.analytics.segments import BatchId, ServedBatch
from hvcore.failpoints import failpoint
from hvcore.ports.analytics import AnalyticsSink
from hvcore.services.counting.sink_feeds import SinkFeeds
from hvcore.spool import (
    SpoolChunk,
    SpoolFile,
    make_folder,
    opened,
    remove,
    spool_files,
    the_only_reader,
)

_log = logging.getLogger(__name__)


def _keep_quiet() -> None:
    pass


@attrs.frozen(kw_only=True)
class Flusher:
    """
    Write the spool files of this machine to the analytics sinks; for one thread.

    Attributes:
        sinks: The analytics sinks by name. Each continues at its own position, independently
            of the others.
        beat: Called whenever a sink has taken a batch.
    """

    folder: Path
    sinks: Mapping[str, AnalyticsSink]
    beat: Callable[[], None] = _keep_quiet
    _feeds: SinkFeeds = attrs.field(init=False)

    @_feeds.default
    def _make_feeds(self) -> SinkFeeds:
        return SinkFeeds(sinks=self.sinks, applied=self._applied)

    def prepare(self) -> None:
        """
        Make the spool folder, as a process does before it serves anything.

        Raises:
            ConfigError: The folder cannot be used.
        """
        make_folder(self.folder)

    def run_once(self) -> None:
        """
        Bring new lines of the spool to the sinks, and remove files that were read to the end.

        Does nothing while another process does so.
        """
        with the_only_reader(self.folder) as is_alone:
            if not is_alone:
                return
            with self._feeds.round():
                for path in spool_files(self.folder):
                    try:
                        self._flush(path)
                    except Exception as exc:  # noqa: BLE001 - whatever is wrong with it
                        # Another user's file, say: all others go on.
                        self._feeds.skip(path, exc)

    def _flush(self, path: Path) -> None:
        with opened(path) as file:
            is_counted = self._feeds.bring(file, partial(_batches, file))
            if file.is_complete and is_counted and self._feeds.has_all(file):
                remove(path)
                self._feeds.forget(file.name)

    def _applied(self) -> None:
        failpoint("flush.applied")
        self.beat()


def _batches(file: SpoolFile, start: int, size_bytes: int) -> Iterator[ServedBatch]:
    while start < size_bytes and (chunk := file.read(start)) is not None:
        yield _batch(file, start, chunk)
        # Only now: to a sink that did not take it, it will be brought again.
        if chunk.noted.damaged:
            _log.error(
                "damaged lines of a spool file are not counted",
                extra={
                    "hv_file": file.name,
                    "hv_lines": chunk.noted.damaged,
                    "hv_from": start,
                },
            )
        start = chunk.end


def _batch(file: SpoolFile, start: int, chunk: SpoolChunk) -> ServedBatch:
    noted = chunk.noted
    return ServedBatch(
        id=BatchId(file=file.name, start=start, end=chunk.end),
        counts=noted.counts,
        minutes=noted.minutes,
        ignored=noted.ignored,
        seen=noted.seen,
        unfollowed=noted.unfollowed,
        quality=noted.quality,
        origins=noted.origins,
    )
