"""
The body of a download: an MP4 head, followed by the segments as they were published.

The file is never whole anywhere: each piece is read from the storage when it is sent. If a
requested range is read in parts, the whole range decides which segments are counted.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from hvcore.domain.processing.media_index import PublishedTrack
from hvcore.ports.counting import CountedSegment
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.published_files import segment_of, stored_file
from hvcore.services.playback.responses import StoredFile
from hvcore.services.playback.shared_texts import PIECE_BYTES, PiecewiseBody

NAMED: Final = "downloads"
"""The folder of downloads, in addresses and under a media root."""
Counted = Callable[[int], CountedSegment]
"""Makes the count of a segment, from the short edge of its rung in pixels."""


class SegmentsInOrder:
    """
    The segments of a download's tracks, in the order of the file.

    Attributes:
        size_bytes: The size of all segments together.
        ends: The end of each segment, in bytes from the first segment's start.
    """

    def __init__(self, tracks: Sequence[PublishedTrack]) -> None:
        self._tracks = tuple(tracks)
        timed = []
        for index, published in enumerate(tracks):
            starts_s = 0.0
            for segment in published.track.segments:
                timed.append((starts_s, index, segment))
                starts_s += segment.duration_s
        timed.sort(key=lambda one: one[:2])
        self._track_indexes = array("B", [index for _, index, _ in timed])
        self._numbers = array("I", [segment.number for *_, segment in timed])
        self.ends = array("Q")
        self.size_bytes = 0
        for *_, segment in timed:
            self.size_bytes += segment.file.size_bytes
            self.ends.append(self.size_bytes)

    def __len__(self) -> int:
        return len(self.ends)

    def start(self, place: int) -> int:
        """Return the offset of the segment ``place``, in bytes from the start of the first segment."""
        return self.ends[place - 1] if place else 0

    def track(self, place: int) -> int:
        """Return the index, from 0, of the track to which the segment with index ``place`` belongs."""
        return self._track_indexes[place]

    def stored(
        self, storage: Storage, media_root: str, place: int
    ) -> tuple[StoredFile, int | None]:
        """
        Return a segment's stored file, and the short edge of the rung for which it counts.

        The short edge is None for segments that are never counted, such as sound.

        Args:
            media_root: The storage prefix of the video's published files.
            place: The index of the segment, from 0, in the order of the file.

        Raises:
            ObjectNotFoundError: The segment was never published.
        """
        published = self._tracks[self._track_indexes[place]]
        found = segment_of(published, self._numbers[place])
        if found is None:
            raise ObjectNotFoundError
        return stored_file(storage, media_root, found), found.counted_px


@attrs.frozen(kw_only=True, eq=False)
class JoinedFile(PiecewiseBody):
    """
    The body of a download: a head and the segments after it.

    Attributes:
        counted: Makes the count of a sent segment. Segments are counted as when they are
            served alone: before more than half of one is sent.
    """

    head: StoredFile
    segments: SegmentsInOrder
    storage: Storage
    media_root: str
    counted: Counted

    @property
    def size_bytes(self) -> int:
        """The length of the whole file in bytes."""
        return self.head.size_bytes + self.segments.size_bytes

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """
        Yield the bytes of the file from start to before end, in pieces.

        Raises:
            ConnectionAbortedError: A stored file is gone, or the storage does not answer: the
                bytes that were sent cannot be taken back.
        """
        return self._pieces(start, end, (start, end))

    def part(self, start: int, end: int, asked: tuple[int, int]) -> bytes:
        """
        Return the bytes from ``start`` to before ``end``, a part of a range that was requested.

        No file stays open, and nothing is cached.

        Args:
            asked: The whole requested range, to which the part belongs.

        Raises:
            ConnectionAbortedError: A stored file is gone, so the response that has
                begun cannot be completed.
            UnavailableError: The storage does not answer.
        """
        return b"".join(self._pieces(start, end, asked))

    def _pieces(self, start: int, end: int, asked: tuple[int, int]) -> Iterator[bytes]:
        head_bytes = self.head.size_bytes
        try:
            if start < head_bytes:
                yield from _read(self.head, start, min(end, head_bytes))
            yield from self._media(
                max(0, start - head_bytes),
                end - head_bytes,
                (max(0, asked[0] - head_bytes), asked[1] - head_bytes),
            )
        except (ObjectNotFoundError, FileNotFoundError) as exc:
            raise ConnectionAbortedError("a file of a download is gone") from exc

    def _media(self, start: int, end: int, asked: tuple[int, int]) -> Iterator[bytes]:
        place = bisect_right(self.segments.ends, start)
        while start < end and place < len(self.segments):
            begins, ends = self.segments.start(place), self.segments.ends[place]
            stored, counted_px = self.segments.stored(
                self.storage, self.media_root, place
            )
            first, half_bytes = max(asked[0], begins), stored.size_bytes // 2
            has_over_half = min(asked[1], ends) - first > half_bytes
            for piece in _read(stored, start - begins, min(end, ends) - begins):
                is_half_way = start <= first + half_bytes < start + len(piece)
                if counted_px is not None and has_over_half and is_half_way:
                    self.counted(counted_px).count()
                start += len(piece)
                yield piece
            place += 1


def _read(stored: StoredFile, start: int, end: int) -> Iterator[bytes]:
    with stored.open(start, end) as file:
        while start < end:
            data = file.read(min(PIECE_BYTES, end - start))
            if not data:
                raise ConnectionAbortedError("a file of a download is too short")
            start += len(data)
            yield data
