"""Read media playlists and all files that they name, and report their faults."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hvcore.conformance.init_segments import TrackHeader, check_edit, read_init
from hvcore.conformance.media_segments import SegmentHeader, read_picture, read_segment
from hvcore.conformance.playlist_reading import MOST_PLAYLIST_BYTES, read_playlist
from hvcore.conformance.playlist_rules import check_media
from hvcore.conformance.playlists import MapEntry, Playlist, SegmentEntry
from hvcore.conformance.renditions import Examined, Rendition
from hvcore.conformance.report import CheckLog, clean
from hvcore.conformance.source import Extent, Source, UnreadableError

MOST_SEGMENTS_IN_ALL: Final = 100_000
_TEXT_HEAD_BYTES: Final = 1024
_EXACT_S: Final = Fraction(1, 1000)


class Examiner:
    """Reads media playlists with their files, each playlist once, however many variants name it."""

    def __init__(self, source: Source, report: CheckLog) -> None:
        self._source, self._report = source, report
        self._known: dict[str, Rendition | None] = {}
        self._inits: dict[MapEntry, TrackHeader | None] = {}
        self._room = MOST_SEGMENTS_IN_ALL

    def examine(self, name: str) -> Rendition | None:
        """Read a media playlist of video or audio and its files, and return the rendition; None if the playlist cannot be read."""
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
        """Read the init segments and media segments of a playlist, and return the rendition."""
        check_media(playlist, self._report, is_fragmented=True)
        parts: list[Examined] = []
        track: TrackHeader | None = None
        for entry in self._entries(playlist):
            init = self._init(entry.init) if entry.init else None
            before = parts[-1].segment if parts else None
            if entry.is_after_break or init is None or init is not track:
                before = None
            parts.append(self._part(entry, init, before))
            track = init or track
        self._check_sums(playlist, parts)
        # Also of a playlist of which no segment could be examined any more.
        first = next((entry.init for entry in playlist.segments if entry.init), None)
        track = self._init(first) if first else None
        segment = parts[0].segment if parts else None
        if track is not None and segment is not None:
            check_edit(track, segment.first_offset, self._report)
        return Rendition(playlist, track, parts, is_cut=_is_cut(playlist, parts))

    def pictures(self, name: str) -> Rendition | None:
        """Read an I-frame playlist and the picture of each entry, and return the rendition; None if the playlist cannot be read."""
        playlist = read_playlist(self._source, name, self._report)
        if playlist is None:
            return None
        check_media(playlist, self._report, is_fragmented=False)
        parts: list[Examined] = []
        track: TrackHeader | None = None
        for entry in self._entries(playlist):
            init = self._init(entry.init) if entry.init else None
            file = None if entry.is_gap else self._open(entry.name, entry)
            if file is not None and init is not None and not entry.is_encrypted:
                read_picture(file, _shown(entry), init, self._report)
            if file is not None:
                self._report.read_bytes += file.read_bytes
            size = file.size_bytes if file else None
            parts.append(Examined(entry=entry, size_bytes=size, segment=None))
            track = track or init
        return Rendition(playlist, track, parts, is_cut=_is_cut(playlist, parts))

    def read_texts(self, name: str) -> None:
        """Check a playlist of subtitles and the beginning of each of its WebVTT files."""
        playlist = read_playlist(self._source, name, self._report)
        if playlist is not None:
            check_media(playlist, self._report, is_fragmented=False)
            for entry in self._entries(playlist):
                file = self._open(entry.name, entry)
                if file is not None and entry.init is None:
                    self._check_text(file, entry.name)

    def read_session_data(self, master: Playlist) -> None:
        """Check that the files of EXT-X-SESSION-DATA in a multivariant playlist are JSON."""
        for data in master.session_data:
            if data.name is not None and data.get("FORMAT") in {"", "JSON"}:
                self._read_json(data.name)

    def _read_json(self, name: str) -> None:
        try:
            file = Extent(self._source, name)
            if file.size_bytes > MOST_PLAYLIST_BYTES:
                message = f"The session data has {file.size_bytes} bytes."
                self._report.add("limits", name, message)
                return
            data = file.read(0, file.size_bytes)
        except UnreadableError as exc:
            self._report.add("readable", name, str(exc))
            return
        self._report.read_bytes += file.read_bytes
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            self._report.add("session-data", name, "It is no JSON.")

    def _check_text(self, file: Extent, name: str) -> None:
        head = file.read(0, _TEXT_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf")
        if not head.startswith(b"WEBVTT"):
            self._report.add("webvtt", name, "It does not begin with WEBVTT.")
        elif b"X-TIMESTAMP-MAP=" not in head.partition(b"\n\n")[0]:
            self._report.add("webvtt-timestamps", name, "It has no X-TIMESTAMP-MAP.")

    def _entries(self, playlist: Playlist) -> Sequence[SegmentEntry]:
        found = playlist.segments[: self._room]
        if len(found) < len(playlist.segments):
            self._report.add(
                "limits",
                playlist.name,
                f"The playlists name more than {MOST_SEGMENTS_IN_ALL} segments.",
            )
        self._room -= len(found)
        return found

    def _open(self, name: str, entry: SegmentEntry | MapEntry) -> Extent | None:
        start = entry.range.start if entry.range else 0
        length = entry.range.length if entry.range else None
        try:
            return Extent(self._source, name, start, length)
        except UnreadableError as exc:
            self._report.add("readable", name, str(exc))
            return None

    def _init(self, entry: MapEntry) -> TrackHeader | None:
        if entry not in self._inits:
            file = self._open(entry.name, entry)
            self._inits[entry] = None
            if file is not None:
                self._report.segments += 1
                self._inits[entry] = read_init(file, entry.name, self._report)
                self._report.read_bytes += file.read_bytes
        return self._inits[entry]

    def _part(
        self,
        entry: SegmentEntry,
        track: TrackHeader | None,
        before: SegmentHeader | None,
    ) -> Examined:
        if entry.is_gap:
            return Examined(entry=entry, size_bytes=0, segment=None)
        file = self._open(entry.name, entry)
        if file is None:
            return Examined(entry=entry, size_bytes=None, segment=None)
        self._report.segments += 1
        segment = None
        if track is not None and not entry.is_encrypted:
            segment = read_segment(file, _shown(entry), track, before, self._report)
            if segment is not None:
                longest = max(segment.longest, before.longest if before else 0)
                frame_s = Fraction(longest, track.timescale)
                self._check_duration(
                    entry, Fraction(segment.duration, track.timescale), frame_s
                )
        self._report.read_bytes += file.read_bytes
        return Examined(entry=entry, size_bytes=file.size_bytes, segment=segment)

    def _check_sums(self, playlist: Playlist, parts: Sequence[Examined]) -> None:
        # The error of any segments in a row is the difference of two sums.
        sum_s = least_s = most_s = Fraction(0)
        timescale = None
        for part in parts:
            track = self._inits.get(part.entry.init) if part.entry.init else None
            if part.segment is None or track is None:
                continue
            timescale = timescale or track.timescale
            if track.timescale != timescale:
                # Of another file; and sums of many scales have endless digits.
                break
            frame_s = Fraction(part.segment.longest, timescale)
            duration_s = Fraction(part.segment.duration, timescale)
            sum_s += part.entry.duration_s - duration_s
            least_s, most_s = min(least_s, sum_s), max(most_s, sum_s)
            if most_s - least_s > max(frame_s, _EXACT_S):
                self._report.add(
                    "segment-duration",
                    playlist.name,
                    "Up to here the errors of EXTINF add up to "
                    f"{float(most_s - least_s):.6f} s, which is more than a frame.",
                    f"line {part.entry.line}",
                )
                break

    def _check_duration(
        self, entry: SegmentEntry, measured_s: Fraction, frame_s: Fraction
    ) -> None:
        error_s = abs(measured_s - entry.duration_s)
        is_wrong = error_s >= max(frame_s, _EXACT_S)
        if is_wrong or error_s > _EXACT_S:
            self._report.add(
                "segment-duration" if is_wrong else "segment-duration-exact",
                entry.name,
                f"EXTINF says {float(entry.duration_s):.6f} s, the samples last "
                f"{float(measured_s):.6f} s.",
                f"playlist line {entry.line}",
            )


def _is_cut(playlist: Playlist, parts: Sequence[Examined]) -> bool:
    return playlist.is_cut or len(parts) < len(playlist.segments)


def _shown(entry: SegmentEntry) -> str:
    return clean(entry.name) + (f"@{entry.range.start}" if entry.range else "")
