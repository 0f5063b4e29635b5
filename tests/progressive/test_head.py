"""
The head of a download: the tracks as their init segments describe them, with times and places of its own.
"""

import struct

import pytest

from hvcore.mp4.boxes import Mp4Box, Mp4Error, box_of
from hvcore.progressive.box_writing import box, full_box, number
from hvcore.progressive.fragments import SampleRun
from hvcore.progressive.head import JoinedTrack, make_head
from hvcore.progressive.sample_tables import SampleTables

BEHIND_MOVIE, BEHIND_TRACK = bytes(range(76)), bytes(range(60))
LANGUAGE = b"\x15\xc7\x00\x00"
HANDLER, VIDEO, DESCRIPTION = b"the handler", b"a video header", b"the codec"
FLAGS = 7
MEDIA_BYTES = 5000


def times(units: int, version: int) -> bytes:
    form = ">QQIQ" if version else ">IIII"
    return struct.pack(form, 1, 2, units, 3)


def init_of(
    units: int, edits: bytes = b"", *, version: int = 0, movie_units: int = 1000
) -> bytes:
    """
    Return an init segment as writers of fragments make it.
    """
    tables = box(b"stbl", box(b"stsd", DESCRIPTION), box(b"stts", bytes(8)))
    media = box(
        b"mdia",
        full_box(b"mdhd", times(units, version), LANGUAGE, version=version),
        box(b"hdlr", HANDLER),
        box(b"minf", box(b"vmhd", VIDEO), tables),
    )
    header = full_box(b"tkhd", bytes(20), BEHIND_TRACK, flags=FLAGS)
    movie = full_box(
        b"mvhd", times(movie_units, version), BEHIND_MOVIE, number(9), version=version
    )
    return box(b"moov", movie, box(b"trak", header, edits, media))


def joined(
    units: int,
    edits: bytes = b"",
    *,
    first: int = 0,
    offsets: tuple[int, ...] = (),
    lasts: int = 100,
) -> JoinedTrack:
    tables = SampleTables()
    run = SampleRun(
        start_time=first,
        data_offset=0,
        durations=(lasts // 2, lasts - lasts // 2),
        sizes=(1, 2),
        is_sync=[True, True],
        offsets=offsets,
    )
    tables.add(run, at=40)
    return JoinedTrack(init=init_of(units, edits), tables=tables)


def edit_list(*edits: tuple[int, int], version: int) -> bytes:
    form = ">QqI" if version else ">IiI"
    body = b"".join(struct.pack(form, *one, 1 << 16) for one in edits)
    return box(b"edts", full_box(b"elst", number(len(edits)), body, version=version))


def movie_in(head: bytes) -> Mp4Box:
    kinds, movie = box_of(head[:-16], kind="head").children()
    assert (kinds.kind, movie.kind) == ("ftyp", "moov")
    return movie


@pytest.mark.parametrize("version", [0, 1])
def test_a_download_copies_the_description_of_a_track_and_has_times_of_its_own(
    version: int,
) -> None:
    tables = joined(50).tables

    head = make_head(
        [JoinedTrack(init=init_of(50, version=version), tables=tables)], MEDIA_BYTES
    )

    movie = movie_in(head)
    track = movie.child("trak")
    media = track.child("mdia")
    assert head[-16:] == struct.pack(">I4sQ", 1, b"mdat", 16 + MEDIA_BYTES)
    assert movie.child("mvhd").content() == (
        b"\1\0\0\0" + struct.pack(">QQIQ", 0, 0, 50, 100) + BEHIND_MOVIE + number(2)
    )
    assert track.child("tkhd").content() == (
        b"\1\0\0\7" + struct.pack(">QQIIQ", 0, 0, 1, 0, 100) + BEHIND_TRACK
    )
    assert media.child("mdhd").content() == (
        b"\1\0\0\0" + struct.pack(">QQIQ", 0, 0, 50, 100) + LANGUAGE
    )
    assert [one.kind for one in movie.children()] == ["mvhd", "trak"]
    assert [one.kind for one in track.children()] == ["tkhd", "mdia"]
    assert media.child("hdlr").content() == HANDLER
    assert media.child("minf/vmhd").content() == VIDEO
    boxes = [one.kind for one in media.child("minf/stbl").children()]
    assert boxes == ["stsd", "stts", "stsc", "stsz", "co64"]
    assert media.child("minf/stbl/stsd").content() == DESCRIPTION


def test_places_of_samples_begin_behind_the_head() -> None:
    head = make_head([joined(50), joined(48)], MEDIA_BYTES)

    for track in movie_in(head).all("trak"):
        places = track.child("mdia/minf/stbl/co64").fields("IQ", 4)
        assert places == (1, len(head) + 40)


def test_several_tracks_are_numbered_and_the_longest_is_as_long_as_the_movie() -> None:
    movie = movie_in(make_head([joined(50), joined(40, lasts=120)], MEDIA_BYTES))

    # In units that both have.
    assert movie.child("mvhd").fields("IQ", 20) == (200, 600)
    headers = [track.child("tkhd") for track in movie.all("trak")]
    assert [one.fields("I", 20) for one in headers] == [(1,), (2,)]
    assert [one.fields("Q", 28) for one in headers] == [(400,), (600,)]
    assert movie.child("mvhd").content()[-4:] == number(3)


@pytest.mark.parametrize(
    ("units", "expected"),
    [((2**30, 2**29 + 1), 2**30), ((2**30, 2**31), 2**30), ((2**31 - 1, 1), 2**31 - 1)],
)
def test_units_that_no_player_counts_in_are_those_of_the_first_track(
    units: tuple[int, int], expected: int
) -> None:
    movie = movie_in(make_head([joined(one) for one in units], MEDIA_BYTES))

    assert movie.child("mvhd").fields("I", 20) == (expected,)


@pytest.mark.parametrize(
    ("track", "expected"),
    [
        # It begins late: nothing is shown until then.
        (joined(50, first=25), [(25, -1), (100, 0)]),
        # Its first picture is decoded before it is shown.
        (joined(50, offsets=(10, 10)), [(10, -1), (100, 10)]),
        (
            joined(50, edit_list((0, 10), version=0), offsets=(10, 10)),
            [(100, 10)],
        ),
        # Some of it is decoded and not shown, as of sound.
        (joined(50, edit_list((0, 20), version=1)), [(80, 20)]),
        (
            joined(50, edit_list((500, -1), (0, 20), (9, 9), version=0)),
            [(5, -1), (100, 0)],
        ),
        (
            joined(50, edit_list((1000, -1), (1000, -1), version=1)),
            [(100, -1), (100, 0)],
        ),
    ],
)
def test_edits_say_when_a_track_is_shown(
    track: JoinedTrack, expected: list[tuple[int, int]]
) -> None:
    movie = movie_in(make_head([track], MEDIA_BYTES))

    listed = movie.child("trak/edts/elst")
    (count,) = listed.fields("I", 4)
    found = [listed.fields("QqI", 8 + 20 * n) for n in range(count)]
    assert found == [(*one, 1 << 16) for one in expected]
    lasts = sum(duration for duration, _ in expected)
    assert movie.child("mvhd").fields("Q", 24) == (lasts,)
    assert movie.child("trak/tkhd").fields("Q", 28) == (lasts,)


def test_an_init_segment_of_another_form_is_an_error() -> None:
    tables = joined(50).tables
    no_units = JoinedTrack(init=init_of(0), tables=tables)
    newer = JoinedTrack(init=init_of(50, version=2), tables=tables)

    with pytest.raises(Mp4Error, match="no unit of time"):
        make_head([no_units], MEDIA_BYTES)
    with pytest.raises(Mp4Error, match="has version 2"):
        make_head([newer], MEDIA_BYTES)
