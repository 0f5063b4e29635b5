"""
Bring what was served from the spool files to the analytics sinks, once.

Each sink itself remembers how far it has read a file, in the same transaction
as the counts. So whatever is killed, nothing is counted twice and nothing that
was written down is lost.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import attrs

from hvcore.domain.analytics import BatchId, ServedBatch
from hvcore.errors import UnavailableError
from hvcore.failpoints import reach
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from hvcore.spool import (
    SpoolChunk,
    SpoolFile,
    make_folder,
    opened,
    spool_files,
    the_only_reader,
)

_log = logging.getLogger(__name__)


def _keep_quiet() -> None:
    pass


@attrs.frozen(kw_only=True)
class Drain:
    """
    Read the spool files of this machine; for one thread.

    Attributes:
        sinks: By name. Each goes on where it stands, whatever the others do.
        beat: Called whenever something was brought somewhere.
    """

    folder: Path
    sinks: Mapping[str, AnalyticsSink]
    beat: Callable[[], None] = _keep_quiet
    # Up to where a sink has read a file: saves asking it again.
    _known: dict[tuple[str, str], int] = attrs.field(factory=dict, init=False)
    _failing: set[str] = attrs.field(factory=set, init=False)

    def prepare(self) -> None:
        """
        Make the folder, as a process does before it serves anything.

        Raises:
            ConfigError: It cannot be used.
        """
        make_folder(self.folder)

    def run_once(self) -> None:
        """
        Read what is new, and remove the files of which everything is read.

        Another process that is at it already does it for this one as well.
        """
        with the_only_reader(self.folder) as is_alone:
            if not is_alone:
                return
            failed: set[str] = set()
            for path in spool_files(self.folder):
                with opened(path) as file:
                    self._drain(file, failed)
            self._failing.intersection_update(failed)

    def _drain(self, file: SpoolFile, failed: set[str]) -> None:
        for name in self.sinks.keys() - failed:
            if not self._is_applied(name, file):
                failed.add(name)
        if file.is_complete and not failed:
            file.path.unlink()
            self._forget(file.name)

    def _is_applied(self, name: str, file: SpoolFile) -> bool:
        """
        Bring a file to a sink; False if the sink cannot take it now.
        """
        try:
            self._apply(name, file)
        except Exception as exc:  # noqa: BLE001 - see below
            # Whatever a sink raises: the others go on, and it is asked again.
            if name not in self._failing:
                _log.exception(
                    "an analytics sink failed; trying again",
                    exc_info=not isinstance(exc, UnavailableError),
                    extra={
                        "hv_sink": name,
                        "hv_file": file.name,
                        "hv_error": str(exc),
                    },
                )
            self._failing.add(name)
            return False
        return True

    def _apply(self, name: str, file: SpoolFile) -> None:
        sink, key = self.sinks[name], (name, file.name)
        known = self._known.get(key)
        if known == file.size_bytes():
            return
        if known is not None:
            # Unless somebody else has written to it: another drain, or a backup.
            with suppress(BatchRefusedError):
                self._go_on(sink, key, file, known)
                return
        self._go_on(sink, key, file, sink.position(file.name))

    def _go_on(
        self, sink: AnalyticsSink, key: tuple[str, str], file: SpoolFile, position: int
    ) -> None:
        # Not what comes meanwhile: while people watch there would be no end, and
        # a transaction for every few segments.
        size_bytes = file.size_bytes()
        while position < size_bytes and (chunk := file.read(position)) is not None:
            sink.write(_batch(file, position, chunk))
            reach("drain.applied")
            self.beat()
            position = chunk.end
        self._known[key] = position

    def _forget(self, file: str) -> None:
        for name, sink in self.sinks.items():
            self._known.pop((name, file), None)
            try:
                sink.forget(file)
            except UnavailableError:
                # A row that stays behind; the file's name never comes again.
                _log.info("a spool position stays behind", extra={"hv_file": file})


def _batch(file: SpoolFile, start: int, chunk: SpoolChunk) -> ServedBatch:
    noted = chunk.noted
    if noted.damaged:
        _log.error(
            "damaged lines of a spool file are not counted",
            extra={"hv_file": file.name, "hv_lines": noted.damaged, "hv_from": start},
        )
    return ServedBatch(
        id=BatchId(file=file.name, start=start, end=chunk.end),
        counts=noted.counts,
        minutes=noted.minutes,
        ignored=noted.ignored,
        seen=noted.seen,
        quality=noted.quality,
        origins=noted.origins,
    )
