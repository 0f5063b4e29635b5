"""
Short looks at a file cost few requests.
"""

import pytest

from hvcore.mp4.windows import WINDOW_BYTES, FileInWindows

DATA = bytes(range(256)) * 256


@pytest.fixture
def asked() -> list[tuple[int, int]]:
    return []


@pytest.fixture
def file(asked: list[tuple[int, int]]) -> FileInWindows:
    def read(start: int, end: int) -> bytes:
        asked.append((start, end))
        return DATA[start:end]

    return FileInWindows(read, len(DATA))


def test_looks_within_a_window_cost_one_request(
    file: FileInWindows, asked: list[tuple[int, int]]
) -> None:
    places = [*range(0, 4096, 512), 0, WINDOW_BYTES - 16]

    assert [file.read(at, 16) for at in places] == [DATA[at : at + 16] for at in places]
    assert asked == [(0, WINDOW_BYTES)]


def test_a_look_beyond_the_end_gets_what_there_is(file: FileInWindows) -> None:
    assert file.read(len(DATA) - 4, 100) == DATA[-4:]


@pytest.mark.parametrize(
    ("start", "length"), [(0, 0), (len(DATA), 1), (len(DATA) + 9, 4)]
)
def test_a_look_at_nothing_costs_no_request(
    file: FileInWindows, asked: list[tuple[int, int]], start: int, length: int
) -> None:
    assert file.read(start, length) == b""
    assert asked == []


def test_a_long_look_is_answered_whole(file: FileInWindows) -> None:
    assert file.read(100, 3 * WINDOW_BYTES) == DATA[100 : 100 + 3 * WINDOW_BYTES]
