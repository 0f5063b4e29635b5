"""
The boxes of a file, how many there may be, and how much of the file is read for them.
"""

import struct

import attrs
import pytest

from hvcore.conformance import Piece, UnreadableError, boxes
from hvcore.conformance.boxes import (
    MOST_METADATA_BYTES,
    Box,
    BoxError,
    BoxLocation,
    box_locations,
    inside,
)
from hvcore.conformance.source import WINDOW_BYTES, Extent
from tests.conformance.made_streams import box

FREE = b"\0\0\0\x08free"


@attrs.define
class Asked:
    """
    A file in memory that notes what is read.
    """

    data: bytes
    reads: list[tuple[int, int]] = attrs.field(factory=list)

    def read(self, name: str, start: int, length: int) -> Piece:
        self.reads.append((start, length))
        data = self.data[start : start + length]
        return Piece(data=data, size_bytes=len(self.data))


def extent(data: bytes, *part: int) -> Extent:
    return Extent(Asked(data), "a.mp4", *part)


def test_a_file_has_as_many_boxes_as_the_check_reads_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boxes, "MOST_BOXES", 3)

    assert len(list(box_locations(extent(3 * FREE)))) == 3
    assert len(inside(Box("moov", 3 * FREE))) == 3
    with pytest.raises(BoxError, match="more than 3 boxes"):
        list(box_locations(extent(4 * FREE)))
    with pytest.raises(BoxError, match="moov has more than 3 boxes"):
        inside(Box("moov", 4 * FREE))


def test_boxes_are_found_by_their_path() -> None:
    trak = box("trak", box("tkhd", b"\0\7\0\x2a"), box("tkhd", b"2"))
    moov = Box("moov", box("mvhd") + trak + box("trak"))

    found = moov.need("trak", "tkhd")

    assert (found.numbers("HH"), found.number("H", 2)) == ((7, 42), 42)
    assert moov.first("mvex", "trex") is moov.first("trak", "mdia") is None
    assert len(moov.all("trak")) == 2
    assert [one.kind for one in Box("stsd", b"12" + FREE).all("free", skip=2)] == [
        "free"
    ]
    with pytest.raises(BoxError, match="moov has no trak/mdia"):
        moov.need("trak", "mdia")
    with pytest.raises(BoxError, match="tkhd ends early"):
        found.numbers("I", 1)


@pytest.mark.parametrize(
    ("head", "found", "cut"),
    [
        (struct.pack(">I4s", 12, b"free"), (8, 12), None),
        # A size of 0 goes on to the end of what is around it.
        (struct.pack(">I4s", 0, b"free"), (8, 32), None),
        (struct.pack(">I4sQ", 1, b"free", 16), (16, 16), None),
        (struct.pack(">I4sQ", 1, b"free", 32), (16, 32), None),
        (struct.pack(">I4s", 32, b"free"), (8, 32), None),
        (struct.pack(">I4s", 33, b"free"), "has 33 bytes, of which 32", (8, 33)),
        (struct.pack(">I4sQ", 1, b"free", 1 << 40), "of which 32 are", (16, 1 << 40)),
        (struct.pack(">I4s", 7, b"free"), "says that it has 7 bytes", "has 7 bytes"),
        (struct.pack(">I4sQ", 1, b"free", 15), "has 15 bytes", "has 15 bytes"),
        (struct.pack(">I4s", 2, b"\0\xe9\n "), "box \\?\\?\\?  says", "has 2 bytes"),
    ],
)
def test_a_box_is_as_long_as_its_head_says(
    head: bytes, found: tuple[int, int] | str, cut: tuple[int, int] | str | None
) -> None:
    data = head + bytes(32 - len(head))
    for may_be_cut, wanted in ((False, found), (True, cut or found)):
        located = box_locations(extent(data), may_be_cut=may_be_cut)
        if isinstance(wanted, str):
            with pytest.raises(BoxError, match=wanted):
                next(located)
        else:
            assert next(located) == BoxLocation("free", 0, *wanted)
    if isinstance(found, tuple):
        assert inside(Box("moov", data[: found[1]])) == [
            Box("free", data[found[0] : found[1]])
        ]
    else:
        with pytest.raises(BoxError, match=found):
            inside(Box("moov", data))


def test_a_head_that_is_cut_off_is_no_box() -> None:
    for rest in (b"\0", bytes(7)):
        told = f"{len(rest)} bytes at the end are no box"
        with pytest.raises(BoxError, match=told):
            list(box_locations(extent(FREE + rest)))
        with pytest.raises(BoxError, match=told):
            inside(Box("moov", FREE + rest))
    # Of a long size, only the first half is there.
    for length in (8, 15):
        with pytest.raises(BoxError, match="says that it has 1 bytes"):
            list(
                box_locations(
                    extent(FREE + struct.pack(">I4sQ", 1, b"free", 16)[:length])
                )
            )


def test_a_box_is_loaded_unless_it_is_too_large_or_cut_off() -> None:
    data = box("ftyp") + box("moov", b"1234") + box("free")
    place = BoxLocation("moov", 8, 16, 20)

    assert place.load(extent(data)) == Box("moov", b"1234")
    with pytest.raises(BoxError, match="moov is cut off"):
        place.load(extent(data[:19]))
    most = attrs.evolve(place, end=16 + MOST_METADATA_BYTES)
    assert len(most.load(extent(bytes(16 + MOST_METADATA_BYTES))).body) == 4 << 20
    with pytest.raises(BoxError, match=f"moov has {MOST_METADATA_BYTES + 1} bytes"):
        attrs.evolve(most, end=most.end + 1).load(extent(bytes(5 << 20)))


def test_a_range_of_a_file_is_read_and_nothing_beside_it() -> None:
    data = bytes(range(100))
    part = extent(data, 10, 20)

    assert part.size_bytes == 20
    assert part.read(0, 4) == data[10:14]
    assert part.read(18, 9) == data[28:30]
    read_bytes = part.read_bytes
    assert part.read(20, 1) == part.read(30, 5) == part.read(0, 0) == b""
    assert part.read_bytes == read_bytes
    assert extent(data, 90).size_bytes == 10
    assert extent(data, 200).size_bytes == 0
    assert extent(data, 90, 10).read(0, 99) == data[90:]
    with pytest.raises(UnreadableError, match="ends before this byte range"):
        extent(data, 90, 11)


def test_looks_within_a_window_cost_one_request_and_all_bytes_are_counted() -> None:
    source = Asked(bytes(range(256)) * 256)
    file = Extent(source, "a.mp4", 8)

    for at in (0, 500, WINDOW_BYTES - 16):
        assert file.read(at, 16) == source.data[8 + at : 24 + at]
    assert source.reads == [(8, WINDOW_BYTES)]
    assert file.read(WINDOW_BYTES - 15, 16) == source.data[WINDOW_BYTES - 7 :][:16]
    assert file.read(0, 2 * WINDOW_BYTES) == source.data[8:][: 2 * WINDOW_BYTES]
    end = len(source.data) - 8
    assert file.read(end - 4, 99) == source.data[-4:]
    assert source.reads[1:] == [
        (WINDOW_BYTES - 7, WINDOW_BYTES),
        (8, 2 * WINDOW_BYTES),
        (end + 4, 4),
    ]
    assert file.read_bytes == 4 * WINDOW_BYTES + 4


def test_a_source_may_answer_more_than_it_was_asked_for() -> None:
    class Generous(Asked):
        def read(self, name: str, start: int, length: int) -> Piece:
            return Piece(data=self.data[start:], size_bytes=len(self.data))

    data = bytes(range(250)) * 200
    part = Extent(Generous(data), "a.mp4", 10, 20)
    file = Extent(Generous(data), "a.mp4")

    assert part.read(10, 99) == data[20:30]
    assert len(part._data) == 20
    assert part.read_bytes == len(data) - 10
    assert file.read(WINDOW_BYTES, 10) == data[WINDOW_BYTES:][:10]
    assert len(file._data) == WINDOW_BYTES
