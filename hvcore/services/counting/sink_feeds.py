"""
Bring served segments from files to the analytics sinks, each exactly once.

Each sink itself stores how far it has read a file, in the same transaction
as the counts. So whatever process is killed, nothing is counted twice and no written line
is lost.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import attrs

from hvcore.domain.analytics.segments import ServedBatch
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError

_log = logging.getLogger(__name__)

_ALL_FILES: Final = ""

Batches: TypeAlias = Callable[[int, int], Iterator[ServedBatch]]
"""
Reads a file: given where to begin and how long the file is, in bytes.

No batch begins where it ended then. New lines wait for the next round: otherwise a
round would never end while people watch, with a transaction for every few segments.
"""


class FeedSource(Protocol):
    """A file to which a process appends the segments it serves, read for the sinks."""

    @property
    def name(self) -> str:
        """The name by which sinks know the file, unique in the whole service."""
        ...

    @property
    def path(self) -> Path:
        """The present path of the file."""
        ...

    def size_bytes(self) -> int:
        """Return the present length of the file in bytes."""
        ...


@attrs.frozen(kw_only=True)
class SinkFeeds:
    """
    Bring the lines of files to each sink from its own position; for one thread.

    Attributes:
        sinks: The analytics sinks by name.
        applied: Called whenever a sink has taken a batch.
    """

    sinks: Mapping[str, AnalyticsSink]
    applied: Callable[[], None]
    # Up to where a sink has read a file: saves asking it again.
    _known: dict[tuple[str, str], int] = attrs.field(factory=dict, init=False)
    # What failed in this round: a sink, or a file for a sink; and of which sinks
    # and files that was said.
    _failed: set[tuple[str, str]] = attrs.field(factory=set, init=False)
    _said: set[str] = attrs.field(factory=set, init=False)

    @contextmanager
    def round(self) -> Iterator[None]:
        """Begin a round of files: within the block, a sink that is down is asked only once."""
        self._failed.clear()
        yield
        self._said.intersection_update(name for name, _ in self._failed)

    def bring(self, file: FeedSource, batches: Batches) -> bool:
        """
        Bring the new batches of a file to every sink; call it within a ``round`` block.

        A sink that fails is named in the log once, and asked again in the next round.
        A sink that is down is not asked again in this round.

        Returns:
            Whether every sink has taken the whole file.

        Raises:
            Exception: The file cannot be read; the caller passes the error to ``skip``.
        """
        fault = None
        for name in self.sinks:
            if (name, _ALL_FILES) not in self._failed:
                try:
                    self._apply(name, file, batches)
                except OSError as exc:
                    # Another sink may not have come so far yet.
                    fault = exc
        if fault is not None:
            raise fault
        wrong = {
            (name, which) for name in self.sinks for which in (_ALL_FILES, file.name)
        }
        return self._failed.isdisjoint(wrong)

    def skip(self, path: Path, exc: Exception) -> None:
        """Leave a file that cannot be read to the next round, and log it once."""
        if self._is_news(path.name, _ALL_FILES):
            _log.error(
                "a file with counts was left; trying again",
                exc_info=None if isinstance(exc, OSError) else exc,
                extra={"hv_path": str(path), "hv_error": str(exc)},
            )

    def has_all(self, file: FeedSource) -> bool:
        """
        Return whether every sink still has all it took of a file, before the file is removed.

        A sink that was put back to an older state has not, and gets the missing batches in
        the next round.
        """
        for name, sink in self.sinks.items():
            try:
                position = sink.position(file.name)
            except Exception as exc:  # noqa: BLE001 - whatever a sink raises
                self._note_failure(name, file, exc)
                return False
            if position != self._known.get((name, file.name)):
                self._ask_again(name)
                return False
        return True

    def forget(self, file_name: str) -> None:
        """Have all sinks drop their position in a file that no longer exists."""
        for name, sink in self.sinks.items():
            self._known.pop((name, file_name), None)
            try:
                sink.forget(file_name)
            except Exception as exc:  # noqa: BLE001 - whatever a sink raises
                # A row that stays behind; the file's name never comes again.
                if self._is_news(f"{name} forgets", file_name):
                    _log.warning(
                        "positions of files that are gone stay behind",
                        exc_info=None if isinstance(exc, UnavailableError) else exc,
                        extra={"hv_sink": name, "hv_error": str(exc)},
                    )

    def _apply(self, name: str, file: FeedSource, batches: Batches) -> None:
        """Bring a file to a sink, as far as the sink takes it."""
        sink, key = self.sinks[name], (name, file.name)
        known, size_bytes = self._known.get(key), file.size_bytes()
        if known == size_bytes:
            return
        position = known
        try:
            if position is None:
                position = sink.position(file.name)
        except Exception as exc:  # noqa: BLE001 - whatever a sink raises
            self._note_failure(name, file, exc)
            return
        for batch in batches(position, size_bytes):
            try:
                sink.write(batch)
            except Exception as exc:  # noqa: BLE001 - whatever a sink raises
                if known is not None and isinstance(exc, BatchRefusedError):
                    # Somebody else has written to it: another flusher, or a backup.
                    self._ask_again(name)
                    self._apply(name, file, batches)
                else:
                    self._note_failure(name, file, exc)
                return
            # Whatever becomes of the next one.
            self._known[key] = position = batch.id.end
            self.applied()
        self._known[key] = position

    def _ask_again(self, name: str) -> None:
        for key in [key for key in self._known if key[0] == name]:
            del self._known[key]

    def _note_failure(self, name: str, file: FeedSource, exc: Exception) -> None:
        # A question to one that is down takes as long as nobody answers; a bug may
        # be one file's.
        is_down = isinstance(exc, UnavailableError | OSError)
        if self._is_news(name, _ALL_FILES if is_down else file.name):
            _log.error(
                "an analytics sink failed; trying again",
                exc_info=None if isinstance(exc, UnavailableError) else exc,
                extra={
                    "hv_sink": name,
                    "hv_file": file.name,
                    "hv_path": str(file.path),
                    "hv_error": str(exc),
                },
            )

    def _is_news(self, name: str, which: str) -> bool:
        """Record a failure of this round; return whether to log it."""
        self._failed.add((name, which))
        is_news = name not in self._said
        self._said.add(name)
        return is_news
