"""
Short looks at a file cost few requests.
"""

from hvcore.mp4.windows import WINDOW_BYTES, FileInWindows

DATA = bytes(range(256)) * 256


def test_looks_within_a_window_cost_one_request() -> None:
    asked = []

    def read(start: int, end: int) -> bytes:
        asked.append((start, end))
        return DATA[start:end]

    file = FileInWindows(read, len(DATA))

    assert [file.read(at, 16) for at in range(0, 4096, 512)] == [
        DATA[at : at + 16] for at in range(0, 4096, 512)
    ]
    assert asked == [(0, WINDOW_BYTES)]


def test_a_look_beyond_the_end_gets_what_there_is() -> None:
    file = FileInWindows(lambda start, end: DATA[start:end], len(DATA))

    assert file.read(len(DATA) - 4, 100) == DATA[-4:]
    assert file.read(len(DATA), 1) == b""


def test_a_long_look_is_answered_whole() -> None:
    file = FileInWindows(lambda start, end: DATA[start:end], len(DATA))

    assert file.read(100, 3 * WINDOW_BYTES) == DATA[100 : 100 + 3 * WINDOW_BYTES]
