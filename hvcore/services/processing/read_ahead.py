"""Read the segments of a video from a remote storage before a reader asks for them."""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final

from hvcore.conformance import Piece, Source
from hvcore.ports.storage import SupportsLocalPath
from hvcore.services.playback.published_files import PublishedMedia, find_published
from hvcore.services.processing.published_source import PublishedSource

AHEAD: Final = 8
"""Requests that are under way at a time; one after the other, each waits for the network."""

_ASK_EVERY_S: Final = 0.2
_NUMBERED: Final = re.compile(r"(?P<folder>.*/)(?P<number>0|[1-9][0-9]{0,6})\.m4s")


@contextmanager
def read_ahead(source: PublishedSource) -> Iterator[Source]:
    """
    Yield a source that also reads the next segments in advance.

    If the storage is on this machine, the given source itself is yielded.
    """
    if isinstance(source.storage, SupportsLocalPath):
        yield source
        return
    pool = ThreadPoolExecutor(AHEAD, thread_name_prefix="read-ahead")
    try:
        yield _ReadAhead(source, pool)
    finally:
        # Whoever is stopped does not wait for what nobody wants any more.
        pool.shutdown(wait=False, cancel_futures=True)


class _ReadAhead:
    def __init__(self, source: PublishedSource, pool: ThreadPoolExecutor) -> None:
        self._source, self._pool = source, pool
        self._coming: dict[tuple[str, int], Future[Piece]] = {}

    def read(self, name: str, start: int, length: int) -> Piece:
        match = _NUMBERED.fullmatch(name)
        if match is None or start:
            return self._source.read(name, start, length)
        coming = self._coming.pop((name, length), None)
        if coming is None:
            # Another rendition, or one that is read a second time.
            self._coming.clear()
            coming = self._order(name, length)
        first = int(match["number"]) + 1
        for number in range(first, first + AHEAD):
            later = f"{match['folder']}{number}.m4s"
            if (later, length) not in self._coming:
                if not isinstance(
                    find_published(self._source.media, later), PublishedMedia
                ):
                    break
                self._coming[later, length] = self._order(later, length)
        while not wait([coming], timeout=_ASK_EVERY_S).done:
            self._source.before_reading()
        return coming.result()

    def _order(self, name: str, length: int) -> Future[Piece]:
        return self._pool.submit(self._source.read, name, 0, length)
