"""Media playlists, together with what the conformance check has read from their segments' files."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs

from hvcore.conformance.init_segments import TrackHeader
from hvcore.conformance.media_segments import SegmentHeader
from hvcore.conformance.playlists import Playlist, SegmentEntry

MOST_IN_A_WINDOW: Final = 100
"""The most segments of a run whose peak bit rate is measured; real runs have some twenty."""


@attrs.frozen(kw_only=True)
class Examined:
    """
    A media segment: its entry in the playlist, and what the conformance check has read from its file.

    Attributes:
        size_bytes: The size of the segment's file or range; None if it could not be read.
        segment: The times and samples of the segment; None if they could not be read.
    """

    entry: SegmentEntry
    size_bytes: int | None
    segment: SegmentHeader | None


@attrs.define(slots=False)
class Rendition:
    """
    A rendition: a media playlist, and what the conformance check has read from the playlist's files.

    Attributes:
        track: The track of its first init segment; None if none could be read.
        is_cut: Whether there are more segments than were examined; then the rendition's end and
            bit rates are not known.
    """

    playlist: Playlist
    track: TrackHeader | None
    parts: Sequence[Examined]
    is_cut: bool = False

    @property
    def kind(self) -> str:
        """The handler type of the track: ``vide``, ``soun`` or another one; empty without a track."""
        return self.track.kind if self.track else ""

    @cached_property
    def starts_s(self) -> list[Fraction] | None:
        """The start time of each segment in seconds; None unless all segments could be read."""
        if (
            self.is_cut
            or self.track is None
            or any(part.segment is None for part in self.parts)
        ):
            return None
        scale = self.track.timescale
        return [Fraction(p.segment.start, scale) for p in self.parts if p.segment]

    @cached_property
    def span_s(self) -> tuple[Fraction, Fraction] | None:
        """The start of the first sample and the end of the last one in seconds; None if unknown."""
        segments = [part.segment for part in self.parts if part.segment]
        if self.is_cut or self.track is None or not segments:
            return None
        if len(segments) < len(self.parts):
            return None
        edit = self.track.edit.media_time if self.track.edit else 0
        start = segments[0].start + segments[0].first_offset - edit
        duration = sum(segment.duration for segment in segments)
        scale = self.track.timescale
        return Fraction(start, scale), Fraction(start + duration, scale)

    @cached_property
    def frame_rate(self) -> Fraction | None:
        """The number of samples per second; None if samples have different durations, or none were read."""
        segments = [part.segment for part in self.parts if part.segment]
        if self.track is None or not segments:
            return None
        shortest = min(segment.durations[0] for segment in segments)
        longest = max(segment.durations[1] for segment in segments)
        # Rates that the timescale cannot hold are off by one tick now and then.
        if longest - shortest > 1 or not longest:
            return None
        if longest == shortest:
            return Fraction(self.track.timescale, longest)
        samples = sum(segment.samples for segment in segments)
        ticks = sum(segment.duration for segment in segments)
        return Fraction(samples * self.track.timescale, ticks)

    @cached_property
    def rates_bps(self) -> tuple[Fraction, Fraction] | None:
        """
        The peak and the average segment bit rate in bit/s (RFC 8216bis, section 4.1).

        The peak is the highest rate of any run of segments that lasts from half to one
        and a half target durations. Both are None if not every size is known.
        """
        if self.is_cut:
            return None
        sizes = [part.size_bytes for part in self.parts if part.size_bytes is not None]
        total_s = self.playlist.duration_s
        if len(sizes) < len(self.parts) or not total_s or not self.playlist.target_s:
            return None
        average = Fraction(8 * sum(sizes)) / total_s
        peak = max(_window_rates(self.parts, self.playlist.target_s), default=average)
        return max(peak, average), average


def _window_rates(parts: Sequence[Examined], target_s: int) -> Iterator[Fraction]:
    for first in range(len(parts)):
        size, duration_s = 0, Fraction(0)
        for part in parts[first : first + MOST_IN_A_WINDOW]:
            size += part.size_bytes or 0
            duration_s += part.entry.duration_s
            if 2 * duration_s > 3 * target_s:
                break
            if 2 * duration_s >= target_s:
                yield Fraction(8 * size) / duration_s
