"""
Examine media playlists with all of their files.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hvcore.conformance.certificate import CheckLog, clean
from hvcore.conformance.init_segments import TrackHeader, check_edit, read_init
from hvcore.conformance.media_segments import SegmentHeader, read_picture, read_segment
from hvcore.conformance.playlist_reading import read_playlist
from hvcore.conformance.playlist_rules import check_media
from hvcore.conformance.playlists import MapEntry, Playlist, SegmentEntry
from hvcore.conformance.renditions import Examined, Rendition
from hvcore.conformance.source import Extent, Source, UnreadableError

MOST_SEGMENTS_IN_ALL: Final = 100_000
_TEXT_HEAD_BYTES: Final = 1024
_EXACT_S: Final = Fraction(1, 1000)


class Examiner:
    """
    Reads media playlists, each once, however many variants name it.
    """

    def __init__(self, source: Source, report: CheckLog) -> None:
        self._source, self._report = source, report
        self._known: dict[str, Rendition | None] = {}
        self._inits: dict[MapEntry, TrackHeader | None] = {}
        self._room = MOST_SEGMENTS_IN_ALL

    def examine(self, name: str) -> Rendition | None:
        """
        Examine a playlist of video or audio, and its files.
        """
        if name not in self._known:
            playlist = read_playlist(self._source, name, self._report)
            if playlist is not None and playlist.is_multivariant:
                self._report.add(
                    "playlist-syntax",
                    name,
                    "A variant leads to a multivariant playlist.",
                )
                playlist = None
            self._known[name] = self.of(playlist) if playlist else None
        return self._known[name]

    def of(self, playlist: Playlist) -> Rendition:
        """
        Examine the files of a playlist.
        """
        check_media(playlist, self._report, is_fragmented=True)
        parts: list[Examined] = []
        track: TrackHeader | None = None
        for place in self._places(playlist):
            init = self._init(place.init) if place.init else None
            before = parts[-1].segment if parts else None
            if place.is_after_break or init is None or init is not track:
                before = None
            parts.append(self._part(place, init, before))
            track = init or track
        self._check_sums(playlist, parts)
        # Also of a playlist of which no segment could be examined any more.
        first = next((place.init for place in playlist.segments if place.init), None)
        track = self._init(first) if first else None
        segment = parts[0].segment if parts else None
        if track is not None and segment is not None:
            check_edit(track, segment.first_offset, self._report)
        return Rendition(playlist, track, parts, is_cut=_is_cut(playlist, parts))

    def pictures(self, name: str) -> Rendition | None:
        """
        Examine an I-frame playlist, and the picture that each entry holds.
        """
        playlist = read_playlist(self._source, name, self._report)
        if playlist is None:
            return None
        check_media(playlist, self._report, is_fragmented=False)
        parts: list[Examined] = []
        track: TrackHeader | None = None
        for place in self._places(playlist):
            init = self._init(place.init) if place.init else None
            file = None if place.is_gap else self._open(place.name, place)
            if file is not None and init is not None and not place.is_encrypted:
                read_picture(file, _shown(place), init, self._report)
            if file is not None:
                self._report.read_bytes += file.read_bytes
            size = file.size_bytes if file else None
            parts.append(Examined(place=place, size_bytes=size, segment=None))
            track = track or init
        return Rendition(playlist, track, parts, is_cut=_is_cut(playlist, parts))

    def read_texts(self, name: str) -> None:
        """
        Examine a playlist of subtitles.
        """
        playlist = read_playlist(self._source, name, self._report)
        if playlist is not None:
            check_media(playlist, self._report, is_fragmented=False)
            for place in self._places(playlist):
                file = self._open(place.name, place)
                if file is not None and place.init is None:
                    self._check_text(file, place.name)

    def _check_text(self, file: Extent, name: str) -> None:
        head = file.read(0, _TEXT_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf")
        if not head.startswith(b"WEBVTT"):
            self._report.add("webvtt", name, "It does not begin with WEBVTT.")
        elif b"X-TIMESTAMP-MAP=" not in head.partition(b"\n\n")[0]:
            self._report.add("webvtt-timestamps", name, "It has no X-TIMESTAMP-MAP.")

    def _places(self, playlist: Playlist) -> Sequence[SegmentEntry]:
        found = playlist.segments[: self._room]
        if len(found) < len(playlist.segments):
            self._report.add(
                "limits",
                playlist.name,
                f"The playlists name more than {MOST_SEGMENTS_IN_ALL} segments.",
            )
        self._room -= len(found)
        return found

    def _open(self, name: str, place: SegmentEntry | MapEntry) -> Extent | None:
        start = place.range.start if place.range else 0
        length = place.range.length if place.range else None
        try:
            return Extent(self._source, name, start, length)
        except UnreadableError as exc:
            self._report.add("readable", name, str(exc))
            return None

    def _init(self, place: MapEntry) -> TrackHeader | None:
        if place not in self._inits:
            file = self._open(place.name, place)
            self._inits[place] = None
            if file is not None:
                self._report.segments += 1
                self._inits[place] = read_init(file, place.name, self._report)
                self._report.read_bytes += file.read_bytes
        return self._inits[place]

    def _part(
        self,
        place: SegmentEntry,
        track: TrackHeader | None,
        before: SegmentHeader | None,
    ) -> Examined:
        if place.is_gap:
            return Examined(place=place, size_bytes=0, segment=None)
        file = self._open(place.name, place)
        if file is None:
            return Examined(place=place, size_bytes=None, segment=None)
        self._report.segments += 1
        segment = None
        if track is not None and not place.is_encrypted:
            segment = read_segment(file, _shown(place), track, before, self._report)
            if segment is not None:
                longest = max(segment.longest, before.longest if before else 0)
                frame_s = Fraction(longest, track.timescale)
                self._check_duration(
                    place, Fraction(segment.duration, track.timescale), frame_s
                )
        self._report.read_bytes += file.read_bytes
        return Examined(place=place, size_bytes=file.size_bytes, segment=segment)

    def _check_sums(self, playlist: Playlist, parts: Sequence[Examined]) -> None:
        # The error of any segments in a row is the difference of two sums.
        sum_s = least_s = most_s = Fraction(0)
        timescale = None
        for part in parts:
            track = self._inits.get(part.place.init) if part.place.init else None
            if part.segment is None or track is None:
                continue
            timescale = timescale or track.timescale
            if track.timescale != timescale:
                # Of another file; and sums of many scales have endless digits.
                break
            frame_s = Fraction(part.segment.longest, timescale)
            duration_s = Fraction(part.segment.duration, timescale)
            sum_s += part.place.duration_s - duration_s
            least_s, most_s = min(least_s, sum_s), max(most_s, sum_s)
            if most_s - least_s > max(frame_s, _EXACT_S):
                self._report.add(
                    "segment-duration",
                    playlist.name,
                    "Up to here the errors of EXTINF add up to "
                    f"{float(most_s - least_s):.6f} s, which is more than a frame.",
                    f"line {part.place.line}",
                )
                break

    def _check_duration(
        self, place: SegmentEntry, measured_s: Fraction, frame_s: Fraction
    ) -> None:
        error_s = abs(measured_s - place.duration_s)
        is_wrong = error_s >= max(frame_s, _EXACT_S)
        if is_wrong or error_s > _EXACT_S:
            self._report.add(
                "segment-duration" if is_wrong else "segment-duration-exact",
                place.name,
                f"EXTINF says {float(place.duration_s):.6f} s, the samples last "
                f"{float(measured_s):.6f} s.",
                f"playlist line {place.line}",
            )


def _is_cut(playlist: Playlist, parts: Sequence[Examined]) -> bool:
    return playlist.is_cut or len(parts) < len(playlist.segments)


def _shown(place: SegmentEntry) -> str:
    return clean(place.name) + (f"@{place.range.start}" if place.range else "")
