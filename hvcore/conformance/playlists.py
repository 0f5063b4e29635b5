"""
The tags and segments of playlists, as plain values.

Source: RFC 8216bis, section 4.4. Reading them is in playlist_reading; whether they
say what they should is in playlist_rules and variant_rules.
"""

from collections.abc import Mapping
from fractions import Fraction

import attrs


@attrs.frozen(kw_only=True)
class ByteRange:
    """A part of a file; both in bytes."""

    start: int
    length: int


@attrs.frozen(kw_only=True)
class MapEntry:
    """An EXT-X-MAP."""

    name: str
    range: ByteRange | None


@attrs.frozen(kw_only=True)
class SegmentEntry:
    """
    A segment of a media playlist.

    Attributes:
        name: Relative to the multivariant playlist.
        init: What EXT-X-MAP says for it.
        is_after_break: EXT-X-DISCONTINUITY stands before it.
        is_encrypted: EXT-X-KEY holds for it.
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
    A tag with attributes.

    Attributes:
        attributes: Without the quotes of quoted strings.
        name: The file that it leads to, relative to the multivariant playlist;
            None if it has none.
    """

    line: int
    attributes: Mapping[str, str]
    name: str | None

    def get(self, key: str) -> str:
        """Return an attribute; empty if it is not there."""
        return self.attributes.get(key, "")


@attrs.frozen(kw_only=True)
class Playlist:
    """
    A playlist of either kind.

    Attributes:
        tags: The lines of every tag, by its name without ``#``.
        target_s: None in a multivariant playlist, or if it is not usable.
        needs: The protocol version that each feature asks for.
        is_cut: It names more segments than are examined.
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
        """The sum of the segments' durations, as the playlist has them."""
        return sum((s.duration_s for s in self.segments), Fraction(0))
