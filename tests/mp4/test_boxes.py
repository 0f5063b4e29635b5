"""
Boxes are read from memory and by ranges, and none leads out of the one around it.
"""

import struct
from collections.abc import Callable

import pytest

from hvcore.mp4.boxes import (
    MOST_CHILDREN,
    MOST_LOADED_BYTES,
    BytesInMemory,
    Mp4Box,
    Mp4Error,
    box_around,
    box_of,
)
from hvcore.mp4.reading_budget import ReadingBudget
from hvcore.mp4.windows import FileInWindows


def box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def large_box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4sQ", 1, kind, 16 + len(content)) + content


def in_memory(data: bytes, *, is_forgiving: bool = False) -> Mp4Box:
    return box_of(data, is_forgiving=is_forgiving)


def by_ranges(data: bytes, *, is_forgiving: bool = False) -> Mp4Box:
    source = FileInWindows(lambda start, end: data[start:end], len(data))
    return box_around(source, is_forgiving=is_forgiving)


Opened = Callable[..., Mp4Box]
either_way = pytest.mark.parametrize("opened", [in_memory, by_ranges])


@either_way
def test_a_box_is_found_by_its_path(opened: Opened) -> None:
    inner = box(b"mdhd", b"\0\0\0\7\0\0\0\x2a")
    file = opened(box(b"ftyp", b"isom") + box(b"moov", box(b"trak", inner)))

    found = file.child("moov/trak/mdhd")

    assert found.fields("II") == (7, 42)
    assert found.fields("I", 4) == (42,)
    assert found.content(4) == b"\0\0\0\x2a"
    assert file.find("moov/trak/tkhd") is None
    with pytest.raises(Mp4Error, match="moov/trak/tkhd"):
        file.child("moov/trak/tkhd")


@either_way
def test_fields_in_front_of_boxes_are_skipped(opened: Opened) -> None:
    file = opened(box(b"stsd", b"\0" * 8, box(b"avc1"), box(b"hvc1")))

    (table,) = file.children()

    assert [one.kind for one in table.children(8)] == ["avc1", "hvc1"]


@either_way
def test_a_large_header_says_where_its_content_begins(opened: Opened) -> None:
    (found,) = opened(box(b"free") + large_box(b"mdat", b"1234")).all("mdat")

    assert (found.begins, found.start, found.end) == (8, 24, 28)


@either_way
@pytest.mark.parametrize(
    "inner",
    [
        struct.pack(">I4s", 100, b"trak"),
        struct.pack(">I4s", 7, b"trak"),
        struct.pack(">I4sQ", 1, b"trak", 15),
        struct.pack(">I4sQ", 1, b"trak", 1 << 63),
    ],
    ids=["longer than its parent", "shorter than its header", "large", "huge"],
)
def test_a_wrong_size_is_no_box(opened: Opened, inner: bytes) -> None:
    file = opened(box(b"moov", inner) + b"\0" * 200, is_forgiving=True)

    with pytest.raises(Mp4Error, match="wrong size"):
        file.child("moov/trak")


@pytest.mark.parametrize("rest", [b"\0\0\0\0", struct.pack(">I4s", 1, b"trak")])
def test_a_short_rest_is_a_fault_unless_it_is_forgiven(rest: bytes) -> None:
    data = box(b"udta", box(b"name"), rest)

    assert [b.kind for b in in_memory(data, is_forgiving=True).child("udta").children()]
    with pytest.raises(Mp4Error, match="cut off"):
        list(in_memory(data).child("udta").children())


def test_a_size_of_zero_is_the_rest_of_a_whole_file_alone() -> None:
    data = struct.pack(">I4s", 0, b"mdat") + b"1234"
    file = box_around(BytesInMemory(memoryview(data), len(data)))

    assert file.child("mdat").content() == b"1234"
    with pytest.raises(Mp4Error, match="wrong size"):
        in_memory(data, is_forgiving=True).child("mdat")


def test_a_file_of_which_the_beginning_is_there_is_read_so_far() -> None:
    whole = box(b"moof", b"1234") + box(b"mdat", b"\0" * 100)
    file = box_of(whole[:24], size_bytes=len(whole), is_forgiving=True)

    kinds = [(one.kind, one.end) for one in file.children()]

    assert kinds == [("moof", 12), ("mdat", len(whole))]
    with pytest.raises(Mp4Error, match="too short"):
        file.child("mdat").fields("8I")


def test_as_many_boxes_are_read_as_one_may_have_and_no_more() -> None:
    full = box(b"free") * (MOST_CHILDREN - 1) + box(b"moov")

    assert in_memory(full).child("moov").kind == "moov"
    with pytest.raises(Mp4Error, match="too many"):
        in_memory(box(b"free") + full).child("moov")


def test_a_budget_counts_the_boxes_within_others() -> None:
    data = box(b"moov", box(b"trak") * 3)

    def read(most: int) -> list[Mp4Box]:
        file = box_of(data, budget=ReadingBudget(most))
        return list(file.child("moov").children())

    assert len(read(4)) == 3
    with pytest.raises(Mp4Error, match="too many"):
        read(3)


@either_way
@pytest.mark.parametrize("next_bytes", [b"", box(b"free", b"5678" * 8)])
def test_a_box_is_read_from_its_own_bytes_alone(
    opened: Opened, next_bytes: bytes
) -> None:
    data = box(b"udta", box(b"name", b"1234"), b"\0\0\0\x08") + next_bytes
    table = opened(data, is_forgiving=True).child("udta")

    (name,) = table.children()

    assert [name.content(at, 100) for at in (0, 2, 4, 5)] == [b"1234", b"34", b"", b""]
    with pytest.raises(Mp4Error, match="name is too short"):
        name.fields("I", 1)
    with pytest.raises(Mp4Error, match="udta is cut off"):
        list(opened(data).child("udta").children())


def test_the_heads_of_boxes_are_all_that_is_read_to_find_one() -> None:
    data = box(b"free", b"\0" * 100) + large_box(b"mdat", b"\0" * 100) + box(b"moov")
    read: list[tuple[int, int]] = []

    class Counted(BytesInMemory):
        def read(self, start: int, length: int) -> bytes:
            read.append((start, length))
            return super().read(start, length)

    box_around(Counted(memoryview(data), len(data))).child("moov").content(0, 4)

    assert read == [(0, 16), (108, 16), (224, 8), (232, 0)]


def test_a_box_is_loaded_with_the_boxes_within_it() -> None:
    file = by_ranges(box(b"free") + box(b"moof", box(b"traf", b"1234")))

    assert file.child("moof").loaded().child("traf").content() == b"1234"


@pytest.mark.parametrize(
    ("size", "told"),
    [(MOST_LOADED_BYTES, "is cut off"), (MOST_LOADED_BYTES + 1, "bytes$")],
)
def test_a_box_that_is_too_large_or_cut_off_is_not_loaded(size: int, told: str) -> None:
    data = struct.pack(">I4s", 8 + size, b"moof")
    found = box_of(data, size_bytes=8 + size).child("moof")

    with pytest.raises(Mp4Error, match=told):
        found.loaded()
