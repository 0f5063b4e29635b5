"""Cache the number of served segments of each video in memory, because every list asks for it."""

import threading
from collections.abc import Collection, Mapping

import attrs

from hvcore.plugin_api import VideoId
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import StoreState

_TOTALS = "SELECT video, sum(segments) FROM {counts} GROUP BY video"


@attrs.frozen
class _Known:
    """The number of served segments of each video in some files."""

    names: frozenset[str]
    segments: Mapping[str, int]


class FileTotals:
    """
    Caches the number of served segments of each video in the store's files; thread-safe.

    The cache takes about 200 bytes for each video. The Parquet files are summed up
    again when there is a new one, which is rare, and the CSV file of the latest counts
    after each change.
    """

    def __init__(self, engine: DuckdbEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        nothing = _Known(frozenset(), {})
        self._parts = nothing
        self._tail = nothing

    def of(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """
        Return the number of segments ever served of each of the given videos.

        Raises:
            UnavailableError: The files cannot be read.
        """
        with self._lock:
            parts, tail = self._engine.retried(self._current)
        return {
            video: parts.segments.get(video, 0) + tail.segments.get(video, 0)
            for video in videos
        }

    def _current(self, state: StoreState) -> tuple[_Known, _Known]:
        parts = attrs.evolve(state, tail="")
        if parts.names != self._parts.names:
            self._parts = self._summed(parts)
        tail = attrs.evolve(state, parts=())
        if tail.names != self._tail.names:
            self._tail = self._summed(tail)
        return self._parts, self._tail

    def _summed(self, state: StoreState) -> _Known:
        return _Known(state.names, dict(self._engine.ask_of(state, _TOTALS)))
