"""
Read HLS playlists, which may be damaged or made to do harm.

Source: RFC 8216bis, sections 4.1, 4.2 and 4.4.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final
from urllib.parse import urljoin

from hvcore.conformance.playlists import (
    ByteRange,
    MapEntry,
    Playlist,
    SegmentEntry,
    Tagged,
)
from hvcore.conformance.report import CheckLog
from hvcore.conformance.source import Extent, Source, UnreadableError

MOST_PLAYLIST_BYTES: Final = 1024 * 1024
MOST_SEGMENTS: Final = 20_000
_END: Final = "#EXT-X-ENDLIST"
MOST_PLAYLISTS: Final = 200
"""The most playlists and other files that one multivariant playlist may name."""

_ATTRIBUTE: Final = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]*)(?:,|$)')
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,12})?),?")
_RANGE: Final = re.compile(r"([0-9]{1,15})(?:@([0-9]{1,15}))?")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEEDED: Final = {
    "EXT-X-STREAM-INF": ("BANDWIDTH",),
    "EXT-X-MEDIA": ("TYPE", "GROUP-ID", "NAME"),
    "EXT-X-I-FRAME-STREAM-INF": ("BANDWIDTH", "URI"),
    "EXT-X-MAP": ("URI",),
    "EXT-X-KEY": ("METHOD",),
    "EXT-X-SESSION-DATA": ("DATA-ID",),
}
_MEDIA_TAGS: Final = frozenset(
    {
        *("EXTINF", "EXT-X-BYTERANGE", "EXT-X-DISCONTINUITY", "EXT-X-KEY"),
        *("EXT-X-MAP", "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE"),
        *("EXT-X-ENDLIST", "EXT-X-PLAYLIST-TYPE", "EXT-X-I-FRAMES-ONLY"),
    }
)
_MULTIVARIANT_TAGS: Final = frozenset(
    {
        *("EXT-X-MEDIA", "EXT-X-STREAM-INF", "EXT-X-I-FRAME-STREAM-INF"),
        "EXT-X-SESSION-DATA",
    }
)


def read_playlist(source: Source, name: str, report: CheckLog) -> Playlist | None:
    """
    Read a playlist and report its syntax errors; return None if it cannot be read.

    Args:
        name: The name of the playlist, relative to the multivariant playlist.
    """
    text = _text(source, name, report)
    if text is None:
        return None
    report.playlists += 1
    return _Reader(name, report).read(text)


def _text(source: Source, name: str, report: CheckLog) -> str | None:
    try:
        file = Extent(source, name)
        if file.size_bytes > MOST_PLAYLIST_BYTES:
            report.add("limits", name, f"The playlist has {file.size_bytes} bytes.")
            return None
        data = file.read(0, file.size_bytes)
    except UnreadableError as exc:
        report.add("readable", name, str(exc))
        return None
    report.read_bytes += file.read_bytes
    if data.startswith(b"\xef\xbb\xbf"):
        report.add("playlist-text", name, "It begins with a byte order mark.")
        data = data[3:]
    text = data.decode("utf-8", errors="replace")
    if "\ufffd" in text or _CONTROL.search(text):
        report.add("playlist-text", name, "It is no UTF-8, or has control characters.")
    if text.splitlines()[:1] != ["#EXTM3U"]:
        report.add("playlist-header", name, "The first line is not #EXTM3U.", "line 1")
        if "#EXT" not in text:
            return None
    return text


class _Reader:
    """Reads one playlist line by line; its state is what the tags so far say about the next segment."""

    def __init__(self, name: str, report: CheckLog) -> None:
        self._name, self._report = name, report
        self._line = 0
        self._tags: dict[str, list[int]] = {}
        self._needs: dict[str, int] = {}
        self._values: dict[str, str] = {}
        self._segments: list[SegmentEntry] = []
        self._listed: dict[str, list[Tagged]] = {tag: [] for tag in _MULTIVARIANT_TAGS}
        self._init: MapEntry | None = None
        self._duration_s: Fraction | None = None
        self._range: tuple[int, int | None] | None = None
        self._variant: Mapping[str, str] | None = None
        self._is_encrypted = self._is_after_break = self._is_gap = False
        self._is_cut = False
        self._handlers: Mapping[str, Callable[[str], None]] = {
            "EXTINF": self._extinf,
            "EXT-X-BYTERANGE": self._byte_range,
            "EXT-X-MAP": self._map,
            "EXT-X-KEY": self._key,
            "EXT-X-DISCONTINUITY": self._discontinuity,
            "EXT-X-GAP": self._gap,
            "EXT-X-I-FRAMES-ONLY": self._iframes_only,
            "EXT-X-STREAM-INF": self._stream_inf,
            "EXT-X-MEDIA": partial(self._list, "EXT-X-MEDIA"),
            "EXT-X-I-FRAME-STREAM-INF": partial(self._list, "EXT-X-I-FRAME-STREAM-INF"),
            "EXT-X-SESSION-DATA": partial(self._list, "EXT-X-SESSION-DATA"),
        }

    def read(self, text: str) -> Playlist:
        """Read every line of a playlist's text, and return the playlist."""
        lines = re.split(r"\r?\n", text)
        for number, raw in enumerate(lines, 1):
            self._line = number
            line = raw.strip()
            if line.startswith("#EXT"):
                self._tag(line)
            elif line and not line.startswith("#"):
                if len(self._segments) >= MOST_SEGMENTS:
                    self._cut(lines)
                    break
                self._address(line)
        if self._duration_s is not None or self._variant is not None:
            self._wrong("The last tag is followed by no address.")
        if self._tags.keys() & _MEDIA_TAGS and self._tags.keys() & _MULTIVARIANT_TAGS:
            self._wrong("It has tags of media and of multivariant playlists.")
        return self._playlist()

    def _playlist(self) -> Playlist:
        target = self._values.get("EXT-X-TARGETDURATION", "")
        version = self._values.get("EXT-X-VERSION", "1")
        return Playlist(
            name=self._name,
            version=int(version) if _NUMBER.fullmatch(version) else 0,
            tags={tag: tuple(lines) for tag, lines in self._tags.items()},
            needs=self._needs,
            target_s=int(target) if _NUMBER.fullmatch(target) else None,
            type=self._values.get("EXT-X-PLAYLIST-TYPE", ""),
            segments=tuple(self._segments),
            variants=tuple(self._listed["EXT-X-STREAM-INF"]),
            renditions=tuple(self._listed["EXT-X-MEDIA"]),
            iframe_variants=tuple(self._listed["EXT-X-I-FRAME-STREAM-INF"]),
            session_data=tuple(self._listed["EXT-X-SESSION-DATA"]),
            is_cut=self._is_cut,
        )

    def _cut(self, lines: Sequence[str]) -> None:
        self._report.add(
            "limits", self._name, f"It has more than {MOST_SEGMENTS} segments."
        )
        self._is_cut = True
        self._duration_s = None
        # It stands behind all segments.
        if any(line.strip() == _END for line in lines):
            self._tag(_END)

    def _wrong(self, message: str) -> None:
        self._report.add("playlist-syntax", self._name, message, f"line {self._line}")

    def _tag(self, line: str) -> None:
        tag, _, value = line[1:].partition(":")
        self._tags.setdefault(tag, []).append(self._line)
        self._values.setdefault(tag, value)
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(value)

    def _attributes(self, tag: str, value: str) -> dict[str, str]:
        found: dict[str, str] = {}
        at = 0
        while at < len(value):
            match = _ATTRIBUTE.match(value, at)
            if match is None:
                self._wrong(f"The attributes of {tag} are malformed.")
                break
            if match[1] in found:
                self._wrong(f"{tag} has {match[1]} twice.")
            found.setdefault(match[1], match[2].strip('"'))
            at = match.end()
        for needed in _NEEDED.get(tag, ()):
            if not found.get(needed):
                self._wrong(f"{tag} has no {needed}.")
        return found

    def _resolve(self, address: str) -> str:
        try:
            return urljoin(self._name, address)
        except ValueError:
            self._wrong("The address is malformed.")
            return address

    def _extinf(self, value: str) -> None:
        number, _, _ = value.partition(",")
        match = _DURATION.fullmatch(number.strip())
        if match is None:
            self._wrong("EXTINF has no usable duration.")
        self._duration_s = Fraction(match[1]) if match else Fraction(0)
        if "." in number:
            self._needs["EXTINF with fractions"] = 3

    def _byte_range(self, value: str) -> None:
        match = _RANGE.fullmatch(value.strip())
        if match is None:
            self._wrong("The byte range is malformed.")
            return
        self._needs["EXT-X-BYTERANGE"] = 4
        self._range = int(match[1]), int(match[2]) if match[2] else None

    def _map(self, value: str) -> None:
        found = self._attributes("EXT-X-MAP", value)
        # 5 is enough in an I-frame playlist.
        is_iframes = "EXT-X-I-FRAMES-ONLY" in self._tags
        self._needs["EXT-X-MAP"] = 5 if is_iframes else 6
        if "URI" not in found:
            return
        match = _RANGE.fullmatch(found.get("BYTERANGE", ""))
        if "BYTERANGE" in found and match is None:
            self._wrong("The byte range of EXT-X-MAP is malformed.")
        self._init = MapEntry(
            name=self._resolve(found["URI"]),
            range=match and ByteRange(start=int(match[2] or 0), length=int(match[1])),
        )

    def _key(self, value: str) -> None:
        found = self._attributes("EXT-X-KEY", value)
        self._is_encrypted = found.get("METHOD") != "NONE"
        if "KEYFORMAT" in found:
            self._needs["KEYFORMAT"] = 5

    def _discontinuity(self, _value: str) -> None:
        self._is_after_break = True

    def _gap(self, _value: str) -> None:
        self._is_gap = True

    def _iframes_only(self, _value: str) -> None:
        self._needs["EXT-X-I-FRAMES-ONLY"] = 4

    def _stream_inf(self, value: str) -> None:
        self._variant = self._attributes("EXT-X-STREAM-INF", value)

    def _list(self, tag: str, value: str) -> None:
        found = self._attributes(tag, value)
        if tag != "EXT-X-SESSION-DATA":
            self._needs[tag] = 4
        if re.fullmatch(r"SERVICE[0-9]+", found.get("INSTREAM-ID", "")):
            self._needs["INSTREAM-ID=SERVICE"] = 7
        name = self._resolve(found["URI"]) if found.get("URI") else None
        self._add_listed(tag, found, name)

    def _add_listed(self, tag: str, found: Mapping[str, str], name: str | None) -> None:
        if sum(map(len, self._listed.values())) >= MOST_PLAYLISTS:
            self._report.add(
                "limits", self._name, f"It names more than {MOST_PLAYLISTS} files."
            )
            return
        self._listed[tag].append(
            Tagged(line=self._line, attributes=dict(found), name=name)
        )

    def _address(self, line: str) -> None:
        name = self._resolve(line)
        if self._variant is not None:
            self._add_listed("EXT-X-STREAM-INF", self._variant, name)
            self._variant = None
            return
        if self._duration_s is None:
            self._wrong("An address without EXTINF or EXT-X-STREAM-INF.")
            return
        self._segments.append(
            SegmentEntry(
                line=self._line,
                name=name,
                duration_s=self._duration_s,
                range=self._range_of(name),
                init=self._init,
                is_after_break=self._is_after_break,
                is_encrypted=self._is_encrypted,
                is_gap=self._is_gap,
            )
        )
        self._duration_s = self._range = None
        self._is_after_break = self._is_gap = False

    def _range_of(self, name: str) -> ByteRange | None:
        if self._range is None:
            return None
        length, start = self._range
        if start is None:
            before = self._segments[-1] if self._segments else None
            if before is None or before.name != name or before.range is None:
                self._wrong(
                    "A byte range without a place follows no other of its file."
                )
                return ByteRange(start=0, length=length)
            start = before.range.start + before.range.length
        return ByteRange(start=start, length=length)
