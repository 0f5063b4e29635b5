"""
The tags and segments of playlists, as plain values.

Source: RFC 8216bis, section 4.4. The module playlist_reading reads playlists;
playlist_rules and variant_rules check them.
"""

from collections.abc import Mapping
from fractions import Fraction

import attrs


@attrs.frozen(kw_only=True)
class ByteRange:
    """A range of bytes of a file, as a playlist names it."""

    start: int
    length: int


@attrs.frozen(kw_only=True)
class MapEntry:
    """The init segment that an EXT-X-MAP tag names."""

    name: str
    range: ByteRange | None


@attrs.frozen(kw_only=True)
class SegmentEntry:
    """
    A segment as its media playlist lists it.

    Attributes:
        name: The file of the segment, relative to the multivariant playlist.
        init: The init segment that EXT-X-MAP names for the segment; None if no tag
            does.
        is_after_break: Whether EXT-X-DISCONTINUITY stands before the segment.
        is_encrypted: Whether an EXT-X-KEY applies to the segment.
    """

    line: int
    name: str
    duration_s: Fraction
    range: ByteRange | None
    init: MapEntry | None
    is_after_break: bool
    is_encrypted: bool
    is_gap: bool


@attrs.frozen(kw_only=True)
class Tagged:
    """
    A tag of a playlist that has attributes, such as EXT-X-MEDIA.

    Attributes:
        attributes: The attributes' values by name, without the quotes of quoted
            strings.
        name: The file that the tag names, relative to the multivariant playlist; None
            if it names none.
    """

    line: int
    attributes: Mapping[str, str]
    name: str | None

    def get(self, key: str) -> str:
        """Return the value of an attribute of the tag; empty if it is not there."""
        return self.attributes.get(key, "")


@attrs.frozen(kw_only=True)
class Playlist:
    """
    A multivariant or media playlist, as it was read.

    Attributes:
        tags: The line numbers of every tag, by its name without ``#``.
        target_s: The target duration in seconds; None in a multivariant playlist, or if it is not
            usable.
        needs: The HLS protocol version that each used feature requires.
        is_cut: Whether the playlist names more segments than the check examines.
    """

    name: str
    version: int
    tags: Mapping[str, tuple[int, ...]]
    needs: Mapping[str, int]
    target_s: int | None
    type: str
    segments: tuple[SegmentEntry, ...]
    variants: tuple[Tagged, ...]
    renditions: tuple[Tagged, ...]
    iframe_variants: tuple[Tagged, ...]
    session_data: tuple[Tagged, ...] = ()
    is_cut: bool = False

    @property
    def is_multivariant(self) -> bool:
        """Whether the playlist lists other playlists."""
        return bool(self.variants or self.renditions or self.iframe_variants)

    @property
    def duration_s(self) -> Fraction:
        """The sum of the segments' durations in seconds, as the playlist has them."""
        return sum((s.duration_s for s in self.segments), Fraction(0))
