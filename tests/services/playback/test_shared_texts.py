"""
Texts that all readers share.
"""

import random

import pytest

from hvcore.services.playback.shared_texts import (
    MARK,
    PIECE_BYTES,
    FilledText,
    SharedText,
)

TOKENS = [b"t", b"t" * 20, b"t" * 400, b"t" * 4000]


def playlist(segments: int) -> SharedText:
    lines = ["#EXTM3U", f'#EXT-X-MAP:URI="video/720p/init.m4s?token={MARK}"']
    for number in range(segments):
        lines += ["#EXTINF:6.000000,", f"video/720p/{number}.m4s?token={MARK}"]
    return SharedText("\n".join([*lines, "#EXT-X-ENDLIST", ""]).encode())


@pytest.mark.parametrize("token", TOKENS, ids=len)
@pytest.mark.parametrize("segments", [0, 1, 7200])
def test_the_pieces_together_are_the_text_with_its_token(
    segments: int, token: bytes
) -> None:
    text = playlist(segments)
    body = FilledText(text, token)
    whole = text.content.replace(MARK.encode(), token)

    assert b"".join(body.pieces(0, body.size_bytes)) == whole
    assert body.size_bytes == len(whole)


@pytest.mark.parametrize("token", TOKENS, ids=len)
def test_any_part_can_be_had(token: bytes) -> None:
    body = FilledText(playlist(500), token)
    whole = b"".join(body.pieces(0, body.size_bytes))
    some = random.Random(21)  # noqa: S311 - no secret
    for _ in range(100):
        start, end = sorted(some.choices(range(len(whole) + 1), k=2))
        assert b"".join(body.pieces(start, end)) == whole[start:end]


@pytest.mark.parametrize("token", TOKENS, ids=len)
def test_no_piece_of_a_playlist_is_long(token: bytes) -> None:
    body = FilledText(playlist(7200), token)

    longest = max(map(len, body.pieces(0, body.size_bytes)))

    assert longest <= 2 * PIECE_BYTES


def test_a_text_without_marks_is_as_it_was() -> None:
    text = SharedText(b"#EXTM3U\n")

    assert b"".join(text.filled_pieces(b"token")) == b"#EXTM3U\n"
    assert SharedText(b"").filled_bytes(5) == 0


def test_entity_tags_differ_with_the_text_and_with_the_token() -> None:
    one, other = playlist(1), playlist(2)

    tags = {text.filled_etag(token) for text in (one, other) for token in TOKENS}

    assert len(tags) == 2 * len(TOKENS)
    assert one.filled_etag(b"t") == playlist(1).filled_etag(b"t")
