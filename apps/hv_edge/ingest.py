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
from hvcore.services.seldom import Seldom
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
_SHORTER: Final = (
    "{path} has {size} bytes, and a sink has read {read} of it: it was cut off, by "
    "logrotate's copytruncate or by a power cut, so lines may be lost. Let logrotate "
    "rename it and tell nginx to open a new one (docs/how-to/edge.md). Then move this "
    "file out of the folder, and a copy of it, if there is one."
)
_SAYS_EVERY_S: Final = 600.0


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
    # Which file of the disk each name was seen as; and what SEEN_FILE says of it.
    _inodes: dict[str, int] = attrs.field(factory=dict, init=False)
    _kept: dict[str, int] = attrs.field(factory=dict, init=False)
    _errors: Seldom = attrs.field(factory=lambda: Seldom(_SAYS_EVERY_S), init=False)
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
            self._kept.update(json.loads(text))
            self._inodes.update(self._kept)

    def run_once(self) -> bool:
        """
        Read what is new; tell whether every sink has all of it.

        Raises:
            LogCutError: A file was cut off instead of renamed.
        """
        seen: dict[str, int] = {}
        paths = log_paths(self.log)
        there, has_read_all, is_counted = inodes_of(paths), True, True
        with self._feeds.round():
            for path in paths:
                try:
                    is_counted &= self._read(path, seen, there)
                except LogCutError:
                    raise
                except Exception as exc:  # noqa: BLE001 - whatever else is wrong with it
                    has_read_all = False
                    self._feeds.skip(path, exc)
        # What is not seen is gone, unless somebody else could be it.
        self._remember(seen if has_read_all else {**self._inodes, **seen})
        return has_read_all and is_counted

    def _read(self, path: Path, seen: dict[str, int], there: Collection[int]) -> bool:
        with opened_log(path) as file:
            if file is None:
                return True
            self._check(file, seen, there)
            return self._feeds.bring(file, partial(self._batches, file))

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
        size_bytes, read_bytes = file.size_bytes(), self._feeds.furthest(file.name)
        if read_bytes > size_bytes:
            raise _too_short(file, size_bytes, read_bytes)
        seen[file.name] = file.inode

    def _remember(self, seen: Mapping[str, int]) -> None:
        self._inodes.clear()
        self._inodes.update(seen)
        if self._inodes == self._kept:
            return
        target = self.log.parent / SEEN_FILE
        temporary = target.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(seen), encoding="utf-8")
            temporary.replace(target)
        except OSError as exc:
            # A full disk, say: counting goes on, and it is tried again.
            if self._errors.is_time(SEEN_FILE):
                _log.error(
                    "it cannot be kept which logs were seen; trying again",
                    extra={"hv_file": str(target), "hv_error": str(exc)},
                )
            return
        self._kept.clear()
        self._kept.update(seen)

    def _batches(
        self, file: LogFile, start: int, size_bytes: int
    ) -> Iterator[ServedBatch]:
        if start > size_bytes:
            raise _too_short(file, size_bytes, start)
        while start < size_bytes:
            lines, end = file.lines(start)
            if end == start:
                break
            read = count_served(lines)
            besides = read_notes(read.notes, self._sessions)
            yield ServedBatch(
                id=BatchId(file=file.name, start=start, end=end),
                counts=read.counts,
                minutes=read.minutes,
                seen=besides.seen,
                origins=besides.origins,
            )
            # Only now: to a sink that did not take it, it will be brought again.
            if read.damaged:
                _log.error(
                    "damaged lines of the edge's log are not counted",
                    extra={
                        "hv_file": str(file.path),
                        "hv_lines": read.damaged,
                        "hv_from": start,
                    },
                )
            start = end


def _too_short(file: LogFile, size_bytes: int, read_bytes: int) -> LogCutError:
    text = _SHORTER.format(path=file.path, size=size_bytes, read=read_bytes)
    return LogCutError(text)
