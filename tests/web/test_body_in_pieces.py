"""
A body in pieces: all bytes of its range once, in their order, and no more than these.
"""

import pytest

from hvcore_web.body_in_pieces import PIECE_BYTES, BodyInPieces


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 0, []),
        (5, 5, []),
        (0, 1, [(0, 1)]),
        (3, 3 + PIECE_BYTES, [(3, 3 + PIECE_BYTES)]),
        (0, PIECE_BYTES + 1, [(0, PIECE_BYTES), (PIECE_BYTES, PIECE_BYTES + 1)]),
        (7, 6, []),
    ],
)
def test_each_byte_is_asked_for_once(
    start: int, end: int, expected: list[tuple[int, int]]
) -> None:
    asked = []

    def read(first: int, until: int) -> bytes:
        asked.append((first, until))
        return bytes(until - first)

    pieces = [len(piece) for piece in BodyInPieces(read, start, end)]

    # None for an empty range: servers answer such a question with an error.
    assert asked == expected
    assert pieces == [until - first for first, until in expected]


def test_a_body_says_how_many_of_its_bytes_are_left() -> None:
    body = BodyInPieces(lambda first, until: bytes(until - first), 10, 25)

    left = [body.left_bytes]
    while body.make_piece(10):
        left.append(body.left_bytes)

    assert left == [15, 5, 0]
    assert body.left_bytes == 0
