"""
Compress a text that contains a viewer's token once, for all tokens of the same length.

In deflate (RFC 1951) a repetition is written as a distance and a length, never by its
content. So all that follows the first token is the same for all tokens of one length,
if the compressor writes each further token as a repetition, which is checked after
compressing. The text up to the first token, and this token, are stored uncompressed. The
checksum of gzip is linear: the change by a token is the sum of the changes by its bits.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final, Self

import attrs

from hvcore.services.playback.shared_texts import PiecewiseBody, SharedText

MAX_TOKEN_BYTES: Final = 1024
"""The longest token for which compressed playlists are shared: longer than any token that is
issued now. Playlists for longer, older tokens are compressed separately."""
MAX_FILLED_BYTES: Final = 16 * 1024 * 1024
_MIN_TOKEN_BYTES: Final = 16
_HEAD: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_WINDOW_BYTES: Final = 32 * 1024
_MAX_STORED_BYTES: Final = 16 * 1024
_STORED: Final = struct.Struct("<BHH")
_END: Final = struct.Struct("<II")
_ALL: Final = 2**32 - 1
_BITS: Final = 32


@attrs.frozen(eq=False)
class SharedGzip:
    """
    A gzip-compressed text into which any viewer's token of one length can be put.

    Attributes:
        template: The text, with marks where the token stands.
        before: The uncompressed text before the first token.
        after: The compressed text behind the first token.
        checksum: The CRC-32 of the text with zeros for the token.
        weights: For each of 32 bits of a token, the change that it makes to the checksum.
    """

    template: SharedText
    before: bytes = attrs.field(repr=False)
    after: bytes = attrs.field(repr=False)
    checksum: int
    weights: tuple[int, ...] = attrs.field(repr=False)

    def __len__(self) -> int:
        return len(self.before) + len(self.after)

    @classmethod
    def make(cls, template: SharedText, token_bytes: int) -> Self | None:
        """
        Compress a text so that it can be shared by all tokens of ``token_bytes`` bytes.

        Returns:
            None if that is not worth it, or not possible for all tokens alike.
        """
        size_bytes = template.filled_bytes(token_bytes)
        if (
            not _MIN_TOKEN_BYTES <= token_bytes <= MAX_TOKEN_BYTES
            or size_bytes > MAX_FILLED_BYTES
            or template.marks == 0
        ):
            return None
        before = template.before_first_mark
        if len(before) + token_bytes > _MAX_STORED_BYTES:
            return None
        after = _compressed(template, before, token_bytes)
        if after is None:
            return None
        zeros = bytes(token_bytes)
        checksum = _checksum(template, zeros)
        weights = tuple(
            checksum
            ^ _checksum(template, zeros[:-4] + (1 << bit).to_bytes(4, "little"))
            for bit in range(_BITS)
        )
        return cls(template, before, after, checksum, weights)

    def filled(self, token: bytes) -> "FilledGzip":
        """Return the compressed text with this token in it; the token must have the right length."""
        # The four last bytes come into the checksum as they are.
        bits = (zlib.crc32(token[:-4], _ALL) ^ _ALL) ^ int.from_bytes(
            token[-4:], "little"
        )
        checksum = self.checksum
        for bit, weight in enumerate(self.weights):
            if bits >> bit & 1:
                checksum ^= weight
        stored = self.before + token
        size = len(stored)
        head = _HEAD + _STORED.pack(0, size, size ^ 0xFFFF) + stored
        size_bytes = self.template.filled_bytes(len(token)) & _ALL
        return FilledGzip((head, self.after, _END.pack(checksum, size_bytes)))


@attrs.frozen(eq=False)
class FilledGzip(PiecewiseBody):
    """A compressed text with one viewer's token; most of its bytes are shared by all viewers."""

    parts: tuple[bytes, ...] = attrs.field(repr=False)

    @property
    def size_bytes(self) -> int:
        """The length of the compressed text in bytes."""
        return sum(map(len, self.parts))

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of the compressed text from start up to end (exclusive)."""
        at = 0
        for part in self.parts:
            piece = part[max(0, start - at) : max(0, end - at)]
            if piece:
                yield piece
            at += len(part)


def _compressed(template: SharedText, before: bytes, token_bytes: int) -> bytes | None:
    """Compress the text behind its first token; None if that depends on the token."""
    # No text of ours has these bytes, and no two neighbours stand twice: a repetition
    # within the token would be written down as one.
    stand_in = bytes(
        128 + at // 2 % 64 if at % 2 == 0 else 192 + at // 128
        for at in range(token_bytes)
    )
    compressor = zlib.compressobj(
        9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=(before + stand_in)[-_WINDOW_BYTES:]
    )
    skipped = len(before) + token_bytes
    made = [
        compressor.compress(piece)
        for piece in template.filled_pieces(stand_in, skipped)
    ]
    after = b"".join([*made, compressor.flush()])
    # Together these tell every byte of a token from every other, and from one that
    # was written down.
    probes = [bytes(at & 255 for at in range(token_bytes))]
    probes.append(bytes(at >> 8 for at in range(token_bytes)))
    probes.append(bytes(255 - byte for byte in probes[0]))
    fits = all(_unfolds(after, template, before, token) for token in probes)
    return after if fits else None


def _unfolds(after: bytes, template: SharedText, before: bytes, token: bytes) -> bool:
    window = (before + token)[-_WINDOW_BYTES:]
    expander = zlib.decompressobj(-zlib.MAX_WBITS, zdict=window)
    rest = after
    for piece in template.filled_pieces(token, len(before) + len(token)):
        if expander.decompress(rest, len(piece)) != piece:
            return False
        rest = expander.unconsumed_tail
    return expander.decompress(rest) == b"" and expander.eof


def _checksum(template: SharedText, token: bytes) -> int:
    checksum = 0
    for piece in template.filled_pieces(token):
        checksum = zlib.crc32(piece, checksum)
    return checksum
