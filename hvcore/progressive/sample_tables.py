"""
Write the sample tables of an MP4 track: the duration, size and byte offset of each sample.

Source: ISO/IEC 14496-12, sections 8.6.1, 8.6.2, 8.7.3 to 8.7.5.
"""

import sys
from array import array
from collections.abc import Iterable
from itertools import accumulate

import attrs

from hvcore.mp4.boxes import Mp4Error
from hvcore.progressive.box_writing import full_box, number
from hvcore.progressive.fragments import SampleRun


@attrs.define
class _Counted:
    """A list of numbers in which equal neighbours are written once, with a count."""

    counts: "array[int]" = attrs.field(factory=lambda: array("I"))
    values: "array[int]" = attrs.field(factory=lambda: array("q"))

    def add(self, value: int, count: int = 1) -> None:
        if count and self.values and self.values[-1] == value:
            self.counts[-1] += count
        elif count:
            self.counts.append(count)
            self.values.append(value)

    def lengthen_last(self, by: int) -> None:
        """Add an amount to the last number alone."""
        value = self.values[-1]
        if self.counts[-1] == 1:
            self.counts.pop()
            self.values.pop()
        else:
            self.counts[-1] -= 1
        self.add(value + by)

    def pairs(self) -> "array[int]":
        """Return each count followed by its number."""
        found = array("i", bytes(8 * len(self.counts)))
        # The same bits; a count never comes near the sign.
        found[0::2] = array("i", self.counts.tobytes())
        found[1::2] = array("i", [_signed(value) for value in self.values])
        return found


class SampleTables:
    """
    Collects the samples of a track in runs, and writes the track's sample tables.

    Attributes:
        first_time: The time at which the first sample is decoded, in the track's units of time,
            as the fragments have it.
        first_shown: The time from ``first_time`` to the first shown picture, in the track's units
            of time; above 0 with B-frames.
        duration: The duration of all samples, in the track's units of time.
    """

    def __init__(self) -> None:
        self.first_time = 0
        self.first_shown = 0
        self.duration = 0
        self._times = _Counted()
        self._offsets = _Counted()
        self._sizes = array("I")
        self._syncs = array("I")
        self._chunks = array("Q")
        self._in_chunks = _Counted()

    def add(self, run: SampleRun, at: int) -> None:
        """
        Add a run of samples behind those added before.

        Args:
            at: The bytes from the beginning of the first segment to the run's first sample.

        Raises:
            Mp4Error: The run begins before the run added before ends.
        """
        if not run.sizes:
            return
        before = len(self._sizes)
        if not before:
            self.first_time = run.start_time
            self.first_shown = _first_shown(run)
        gap = run.start_time - self.first_time - self.duration
        if gap < 0:
            raise Mp4Error("a fragment begins before the one in front of it ends")
        if gap:
            self._times.lengthen_last(gap)
        for one in run.durations:
            self._times.add(one)
        for offset in run.offsets or (0,):
            self._offsets.add(offset, 1 if run.offsets else len(run.sizes))
        self._syncs.extend(
            number for number, sync in enumerate(run.is_sync, before + 1) if sync
        )
        self._sizes.extend(run.sizes)
        self._chunks.append(at)
        self._in_chunks.add(len(run.sizes))
        self.duration += gap + sum(run.durations)

    def boxes(self, first_byte: int) -> bytes:
        """
        Return the bytes of the MP4 boxes of the sample tables.

        Args:
            first_byte: The position of the first segment in the file; does not change how
                many bytes are returned.
        """
        tables = [
            full_box(
                b"stts", number(len(self._times.counts)), _big(self._times.pairs())
            )
        ]
        if any(self._offsets.values):
            version = int(any(value < 0 for value in self._offsets.values))
            counted = number(len(self._offsets.counts))
            pairs = _big(self._offsets.pairs())
            tables.append(full_box(b"ctts", counted, pairs, version=version))
        if len(self._syncs) != len(self._sizes):
            tables.append(
                full_box(b"stss", number(len(self._syncs)), _big(self._syncs))
            )
        count = len(self._sizes)
        chunks = array("Q", [first_byte + one for one in self._chunks])
        tables += [
            full_box(b"stsc", *self._chunk_lengths()),
            full_box(b"stsz", number(0), number(count), _big(self._sizes)),
            full_box(b"co64", number(len(chunks)), _big(chunks)),
        ]
        return b"".join(tables)

    def _chunk_lengths(self) -> Iterable[bytes]:
        yield number(len(self._in_chunks.counts))
        chunk = 1
        lengths = zip(self._in_chunks.counts, self._in_chunks.values, strict=True)
        for count, samples in lengths:
            yield number(chunk) + number(samples) + number(1)
            chunk += count


def _first_shown(run: SampleRun) -> int:
    if not run.offsets:
        return 0
    decoded = accumulate(run.durations, initial=0)
    shown = [time + offset for time, offset in zip(decoded, run.offsets, strict=False)]
    return min(shown)


def _signed(value: int) -> int:
    """Return 32 bits as the number with a sign that has the same bits."""
    return value - (1 << 32) if value >= 1 << 31 else value


def _big(values: "array[int]") -> bytes:
    found = values[:]
    if sys.byteorder == "little":
        found.byteswap()
    return found.tobytes()
