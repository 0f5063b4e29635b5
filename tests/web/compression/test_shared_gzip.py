"""
Texts that are compressed once for all tokens of one length.
"""

import gzip
import os

import pytest

from hvcore.services.playback.shared_texts import MARK, FilledText, SharedText
from hvcore_web.compression.compressed_texts import CompressedTexts, NotPreparedError
from hvcore_web.compression.shared_gzip import MAX_TOKEN_BYTES, SharedGzip
from tests.services.playback.test_shared_texts import playlist


def token_of(size_bytes: int) -> bytes:
    return os.urandom(size_bytes).hex().encode()[:size_bytes]


@pytest.mark.parametrize("token_bytes", [16, 17, 100, 258, 371, 999, MAX_TOKEN_BYTES])
@pytest.mark.parametrize("segments", [1, 200, 3000])
def test_a_text_that_was_compressed_once_is_whole_with_every_token(
    segments: int, token_bytes: int
) -> None:
    text = playlist(segments)
    shared = SharedGzip.make(text, token_bytes)
    assert shared is not None

    # Tokens with nothing in common, and some that repeat themselves.
    for token in (token_of(token_bytes), token_of(token_bytes), b"a" * token_bytes):
        body = shared.filled(token)
        made = b"".join(body.pieces(0, body.size_bytes))
        assert len(made) == body.size_bytes
        # Checksum and length are looked at, too.
        assert gzip.decompress(made) == text.content.replace(MARK.encode(), token)


def test_a_readers_own_bytes_of_a_shared_text_are_few() -> None:
    text, token = playlist(7200), token_of(400)
    shared = SharedGzip.make(text, len(token))
    assert shared is not None
    whole = FilledText(text, token)

    body = shared.filled(token)

    own = sum(len(piece) for piece in body.parts if piece is not shared.after)
    assert own < 1000
    assert body.size_bytes < whole.size_bytes / 50


@pytest.mark.parametrize(
    "text",
    [
        b"#EXTM3U\n",
        # A compressor may write so short a token down again.
        MARK.encode() * 20,
        b"x" * 20_000 + MARK.encode(),
    ],
)
def test_a_text_that_cannot_be_shared_is_not_compressed(text: bytes) -> None:
    assert SharedGzip.make(SharedText(text), 8) is None


def test_a_part_of_a_compressed_text_is_that_part() -> None:
    shared = SharedGzip.make(playlist(50), 40)
    assert shared is not None
    body = shared.filled(token_of(40))
    whole = b"".join(body.pieces(0, body.size_bytes))

    for start, end in ((0, 5), (3, len(whole) - 3), (len(whole) - 9, len(whole))):
        assert b"".join(body.pieces(start, end)) == whole[start:end]


def test_a_long_text_is_compressed_by_a_reader_that_can_wait() -> None:
    texts, body = CompressedTexts(), FilledText(playlist(500), token_of(40))
    with pytest.raises(NotPreparedError):
        texts.find(body, "tag", waits=False)

    made = texts.find(body, "tag", waits=True)

    again = texts.find(FilledText(body.template, token_of(40)), "other", waits=False)
    assert made is not None
    assert again is not None


def test_texts_without_tokens_are_compressed_once() -> None:
    texts, body = CompressedTexts(), b"WEBVTT\n" * 20_000

    made = texts.find(body, "tag", waits=True)

    assert isinstance(made, bytes)
    assert gzip.decompress(made) == body
    assert texts.find(body, "tag", waits=False) is made


def test_a_token_of_four_kilobytes_is_sent_as_it_is() -> None:
    texts, body = CompressedTexts(), FilledText(playlist(50), token_of(4000))

    assert texts.find(body, "tag", waits=True) is None
    # Nor is it tried again.
    assert texts.find(body, "tag", waits=False) is None
