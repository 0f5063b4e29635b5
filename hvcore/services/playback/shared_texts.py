"""
Cache playlists as templates for all viewers, and fill in each viewer's token.

A playlist of twelve hours with a token has megabytes, nearly all of which are repetitions of
that token. The filled text is never whole in memory: it is made piece by piece, as a reader
takes it.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

import attrs

MARK: Final = "~hv~token~"
"""The mark in a cached text that a token replaces; no quoting changes it."""
PIECE_BYTES: Final = 64 * 1024
"""Memory held for a client that reads nothing; large enough to need few system calls."""
_MARK: Final = MARK.encode()
_ETAG_CHARS: Final = 32


class PiecewiseBody:
    """
    The body of a response that is produced in pieces and never whole in memory.

    Not an abstract class: the ``isinstance`` check of one would cost as much as filling a short
    text.
    """

    @property
    def size_bytes(self) -> int:
        """The length of the body in bytes."""
        raise NotImplementedError

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of the body from start to before end, in pieces."""
        raise NotImplementedError


@attrs.frozen(eq=False)
class SharedText:
    """A cached playlist or manifest for all viewers, with a mark at each place for a viewer's token."""

    content: bytes = attrs.field(repr=False)
    etag: str = attrs.field(init=False)
    marks: int = attrs.field(init=False)

    @etag.default
    def _make_etag(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:_ETAG_CHARS]

    @marks.default
    def _count_marks(self) -> int:
        return self.content.count(_MARK)

    def __len__(self) -> int:
        return len(self.content)

    @property
    def text(self) -> str:
        """The cached text, decoded, so that a changed copy can be made."""
        return self.content.decode()

    @property
    def before_first_mark(self) -> bytes:
        """The bytes before the first place for a viewer's token; the whole text if there is none."""
        return self.content.partition(_MARK)[0]

    def filled_bytes(self, token_bytes: int) -> int:
        """Return the length of the text once each mark is replaced by a token of that length."""
        return len(self.content) + self.marks * (token_bytes - len(_MARK))

    def filled(self, token: bytes) -> bytes:
        """Return the text with a token in place of every mark, in one piece: for short texts."""
        return self.content.replace(_MARK, token)

    def filled_pieces(
        self, token: bytes, start: int = 0, end: int | None = None
    ) -> Iterator[bytes]:
        """
        Yield the text with a token in place of every mark, from start to before end, in pieces.

        Args:
            token: The bytes of the token; in a text for players, quoted for URLs.
        """
        size_bytes = self.filled_bytes(len(token))
        end = size_bytes if end is None else end
        longer_by = len(token) - len(_MARK)
        # Lines are much alike, so that equal parts of the text grow alike.
        step = max(1, PIECE_BYTES * len(self.content) // max(1, size_bytes))
        at = passed = 0
        while at < len(self.content) and passed < end:
            # No mark has a line break in it.
            until = self.content.find(b"\n", at + step) + 1 or len(self.content)
            marks = self.content.count(_MARK, at, until)
            size = until - at + marks * longer_by
            if passed + size > start:
                piece = self.content[at:until].replace(_MARK, token)
                yield piece[max(0, start - passed) : end - passed]
            at, passed = until, passed + size

    def filled_etag(self, token: bytes) -> str:
        """Return an ETag that differs whenever the text or the token does."""
        digest = hashlib.sha256(self.etag.encode() + b"\n" + token)
        return digest.hexdigest()[:_ETAG_CHARS]


@attrs.frozen(eq=False)
class FilledText(PiecewiseBody):
    """
    A response body: a playlist that viewers share, with one viewer's token in each address.

    Attributes:
        template: The playlist with gaps for tokens.
        token: The viewer's playback token, as it stands in addresses.
    """

    template: SharedText
    token: bytes = attrs.field(repr=False)

    @property
    def size_bytes(self) -> int:
        """The length in bytes of the text with its token."""
        return self.template.filled_bytes(len(self.token))

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of the text from start to before end, in pieces."""
        return self.template.filled_pieces(self.token, start, end)
