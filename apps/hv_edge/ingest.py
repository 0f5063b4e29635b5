"""
Bring what the edge has served from its log to the analytics sinks, once.

As with spool files (hvcore/services/drain.py): whatever is killed, nothing is
counted twice, and nothing that was logged is lost.
"""

import json
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from hv_edge.log_files import (
    LogCutError,
    LogFile,
    inodes_of,
    log_paths,
    opened_log,
)
from hv_edge.served_counts import count_served
from hv_edge.served_notes import NamedSessions, read_notes
from hvcore.domain.analytics import BatchId, ServedBatch
from hvcore.ports.analytics import AnalyticsSink
from hvcore.services.sink_feeds import SinkFeeds
from hvcore.services.viewer_sessions import SessionNames

LOG_FILE: Final = "served.log"
SEEN_FILE: Final = "ingest.json"
_log = logging.getLogger(__name__)

_CUT: Final = (
    "{path} was copied and cut off (copytruncate), so lines may be lost: let "
    "logrotate rename it and tell nginx to open a new one (docs/how-to/edge.md), "
    "and remove {copy} once you know that it was counted."
)


@attrs.frozen(kw_only=True)
class Ingest:
    """
    Read the log of this machine's edge; for one process.

    Attributes:
        log: The file that nginx writes to; older ones lie beside it.
        sinks: By name. Each goes on where it stands, whatever the others do.
        names: Those of viewers' sessions, as the service gives them.
    """

    log: Path
    sinks: Mapping[str, AnalyticsSink]
    names: SessionNames
    # Which file of the disk each name was seen as.
    _inodes: dict[str, int] = attrs.field(factory=dict, init=False)
    # What could not be written down, and that was said.
    _unkept: set[Path] = attrs.field(factory=set, init=False)
    # Never forgets a log: one that comes back from a backup is known.
    _feeds: SinkFeeds = attrs.field(init=False)
    _sessions: NamedSessions = attrs.field(init=False)

    @_feeds.default
    def _make_feeds(self) -> SinkFeeds:
        return SinkFeeds(sinks=self.sinks, applied=lambda: None)

    @_sessions.default
    def _make_sessions(self) -> NamedSessions:
        return NamedSessions(self.names)

    def __attrs_post_init__(self) -> None:
        with suppress(OSError, ValueError):
            text = (self.log.parent / SEEN_FILE).read_text(encoding="utf-8")
            self._inodes.update(json.loads(text))

    def run_once(self) -> None:
        """
        Read what is new.

        Raises:
            LogCutError: A file was cut off instead of renamed.
        """
        seen: dict[str, int] = {}
        paths = log_paths(self.log)
        there = inodes_of(paths)
        with self._feeds.round():
            for path in paths:
                with opened_log(path) as file:
                    if file is not None:
                        self._check(file, seen, there)
                        self._feeds.bring(file, partial(self._batches, file))
        self._remember(seen)

    def _check(
        self, file: LogFile, seen: dict[str, int], there: Collection[int]
    ) -> None:
        """
        Refuse a copy, and what is shorter than it was.

        Args:
            there: The files of the disk that are here now.
        """
        inode = seen.get(file.name, self._inodes.get(file.name, file.inode))
        # If what it was is here no more, the log was moved to another disk.
        if inode != file.inode and inode in there:
            raise LogCutError(_CUT.format(path=self.log, copy=file.path))
        if self._feeds.furthest(file.name) > file.size_bytes():
            raise LogCutError(_CUT.format(path=file.path, copy="the copy"))
        seen[file.name] = file.inode

    def _remember(self, seen: Mapping[str, int]) -> None:
        if seen == self._inodes:
            return
        target = self.log.parent / SEEN_FILE
        temporary = target.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(seen), encoding="utf-8")
            temporary.replace(target)
        except OSError as exc:
            # A full disk, say: counting goes on, and it is tried again.
            if target not in self._unkept:
                _log.error(
                    "it cannot be kept which logs were seen; trying again",
                    extra={"hv_file": str(target), "hv_error": str(exc)},
                )
            self._unkept.add(target)
            return
        self._unkept.clear()
        self._inodes.clear()
        self._inodes.update(seen)

    def _batches(self, file: LogFile, start: int, until: int) -> Iterator[ServedBatch]:
        if start > until:
            raise LogCutError(_CUT.format(path=file.path, copy="the copy"))
        while start < until:
            lines, end = file.lines(start)
            if end == start:
                break
            yield self._batch(file, lines, start, end)
            start = end

    def _batch(self, file: LogFile, lines: bytes, start: int, end: int) -> ServedBatch:
        read = count_served(lines)
        if read.damaged:
            _log.error(
                "damaged lines of the edge's log are not counted",
                extra={
                    "hv_file": str(file.path),
                    "hv_lines": read.damaged,
                    "hv_from": start,
                },
            )
        besides = read_notes(read.notes, self._sessions)
        return ServedBatch(
            id=BatchId(file=file.name, start=start, end=end),
            counts=read.counts,
            minutes=read.minutes,
            seen=besides.seen,
            origins=besides.origins,
        )
