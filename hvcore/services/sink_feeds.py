"""
Bring what files say was served to the analytics sinks, once.

Each sink itself remembers how far it has read a file, in the same transaction
as the counts. So whatever is killed, nothing is counted twice and nothing that
was written down is lost.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, TypeAlias

import attrs

from hvcore.domain.analytics import ServedBatch
from hvcore.errors import HvcoreError, UnavailableError
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError

_log = logging.getLogger(__name__)

Batches: TypeAlias = Callable[[int, int], Iterator[ServedBatch]]
"""
Reads a file from one offset on, and begins no batch at or behind another one.

What comes while it is read is for the next round: while people watch there would
be no end, and a transaction for every few segments.
"""


class ServedFileError(HvcoreError):
    """
    A file cannot be read on as it is, whoever the sink.
    """


class ServedFile(Protocol):
    """
    A file to which is added what was served.
    """

    @property
    def name(self) -> str:
        """
        Unique in the whole service: by it sinks know the file.
        """
        ...

    @property
    def path(self) -> Path:
        """
        Where the file is now.
        """
        ...

    def size_bytes(self) -> int:
        """
        Return how long the file is now.
        """
        ...


@attrs.frozen(kw_only=True)
class SinkFeeds:
    """
    Feed each sink from where it stands, whatever the others do; for one thread.

    Attributes:
        sinks: By name.
        applied: Called whenever something was brought somewhere.
    """

    sinks: Mapping[str, AnalyticsSink]
    applied: Callable[[], None]
    # Up to where a sink has read a file: saves asking it again.
    _known: dict[tuple[str, str], int] = attrs.field(factory=dict, init=False)
    # Those of which it was said, and of these those that failed in this round.
    _failing: set[str] = attrs.field(factory=set, init=False)
    _failed: set[str] = attrs.field(factory=set, init=False)

    @contextmanager
    def round(self) -> Iterator[None]:
        """
        Bring some files in a block: a sink that fails is asked for no more of them.
        """
        self._failed.clear()
        yield
        self._failing.intersection_update(self._failed)

    def bring(self, file: ServedFile, batches: Batches) -> bool:
        """
        Bring what is new in a file; tell whether no sink has failed so far.

        Raises:
            ServedFileError: As batches does.
        """
        for name in self.sinks.keys() - self._failed:
            try:
                self._apply(name, file, batches)
            except ServedFileError:
                raise
            except Exception as exc:  # noqa: BLE001 - see below
                # Whatever a sink raises: the others go on, and it is asked again.
                self._note_failure(name, file, exc)
        return not self._failed

    def furthest(self, file_name: str) -> int:
        """
        Return up to where a file is known to have been read, by any sink.
        """
        ends = [end for (_, name), end in self._known.items() if name == file_name]
        return max(ends, default=0)

    def forget(self, file_name: str) -> None:
        """
        Have all sinks forget a file that is gone for good.
        """
        for name, sink in self.sinks.items():
            self._known.pop((name, file_name), None)
            try:
                sink.forget(file_name)
            except UnavailableError:
                # A row that stays behind; the file's name never comes again.
                _log.info("a spool position stays behind", extra={"hv_file": file_name})

    def _apply(self, name: str, file: ServedFile, batches: Batches) -> None:
        sink, key = self.sinks[name], (name, file.name)
        known = self._known.get(key)
        if known == file.size_bytes():
            return
        if known is not None:
            # Unless somebody else has written to it: another drain, or a backup.
            with suppress(BatchRefusedError):
                self._go_on(sink, key, known, batches(known, file.size_bytes()))
                return
        start = sink.position(file.name)
        self._go_on(sink, key, start, batches(start, file.size_bytes()))

    def _go_on(
        self,
        sink: AnalyticsSink,
        key: tuple[str, str],
        position: int,
        batches: Iterator[ServedBatch],
    ) -> None:
        for batch in batches:
            sink.write(batch)
            self.applied()
            position = batch.id.end
        self._known[key] = position

    def _note_failure(self, name: str, file: ServedFile, exc: Exception) -> None:
        self._failed.add(name)
        if name in self._failing:
            return
        self._failing.add(name)
        _log.error(
            "an analytics sink failed; trying again",
            exc_info=None if isinstance(exc, UnavailableError) else exc,
            extra={
                "hv_sink": name,
                "hv_file": str(file.path),
                "hv_error": str(exc),
            },
        )
