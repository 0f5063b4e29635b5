"""
Whatever the bytes are, the check ends, and says what it has found.
"""

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hvcore.conformance import (
    CheckReport,
    Piece,
    UnreadableError,
    check,
    examiner,
    playlist_reading,
)
from tests.conformance import made_streams as made
from tests.conformance.made_streams import Files, MemorySource

GOOD = made.stream()
NAMES = sorted(GOOD)


def checked(files: Files) -> CheckReport:
    return check(MemorySource(files), "master.m3u8")


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=8),
    kept=st.floats(0, 1),
)
def test_damaged_files_are_findings_and_no_failures(
    name: str, flips: list[tuple[float, int]], kept: float
) -> None:
    data = bytearray(GOOD[name])
    for place, mask in flips:
        data[int(place * (len(data) - 1))] ^= mask

    checked({**GOOD, name: bytes(data[: int(len(data) * kept)])})


@settings(max_examples=100, deadline=None)
@given(name=st.sampled_from([n for n in NAMES if "init" in n]), data=st.data())
def test_every_byte_of_an_init_segment_may_be_wrong(
    name: str, data: st.DataObject
) -> None:
    made_of = bytearray(GOOD[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(made_of) - 1))
        made_of[place] = data.draw(st.integers(0, 255))

    checked({**GOOD, name: bytes(made_of)})


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(
        st.sampled_from(GOOD["master.m3u8"].decode().split("\n")) | st.text()
    )
)
def test_any_lines_are_a_playlist_with_findings(lines: list[str]) -> None:
    checked({**GOOD, "master.m3u8": "\n".join(["#EXTM3U", *lines]).encode()})


@settings(max_examples=100, deadline=None)
@given(sps=st.binary(max_size=80), kind=st.sampled_from(["avc1", "hvc1"]))
def test_any_bytes_may_stand_for_parameter_sets(sps: bytes, kind: str) -> None:
    record = made.avcc(b"\x67" + sps.ljust(3, b"\0"))
    if kind == "hvc1":
        head = bytes(21) + b"\x03\x01\x21\0\1" + len(sps).to_bytes(2, "big")
        record = made.box("hvcC", b"\x01", head, sps)
    entry = made.video_init("180p", entry=kind, record=record)

    checked({**GOOD, "video/180p/init.m4s": entry})


def _many_boxes() -> bytes:
    return b"\0\0\0\x08free" * 200_000


def _deep_boxes() -> bytes:
    size = 16_000
    return b"".join((8 * (size - n)).to_bytes(4, "big") + b"moov" for n in range(size))


def _many_samples() -> bytes:
    run = made.full("trun", 0, 0, made.u32(0xFFFFFFFF))  # codespell:ignore trun
    header = made.full("tfhd", 0, 0x20000, made.u32(1))
    time = made.full("tfdt", 0, 0, made.u32(0))
    count = made.full("mfhd", 0, 0, made.u32(1))
    moof = made.box("moof", count, made.box("traf", header, time, run * 4000))
    return (moof + made.box("mdat")) * 200


def _endless_nal_units() -> bytes:
    sample = made.u32(1) + b"\x06"
    return made.segment(0, 0, [sample * 100_000], 512)


@pytest.mark.parametrize(
    "bomb", [_many_boxes, _deep_boxes, _many_samples, _endless_nal_units]
)
def test_small_files_cannot_cost_much_time(bomb: Callable[[], bytes]) -> None:
    files = {**GOOD, "video/180p/0.m4s": bomb()}
    began_s = time.process_time()

    report = checked(files)

    assert time.process_time() - began_s < 5
    assert report.findings


def test_a_long_playlist_is_examined_up_to_its_limit() -> None:
    text = "#EXTM3U\n" + "#EXTINF:2,\nx\n" * 30_000
    source = MemorySource({"master.m3u8": text.encode()})

    report = check(source, "master.m3u8")

    assert "limits" in {finding.rule.id for finding in report.findings}
    assert len(report.findings) < 100


@pytest.mark.parametrize("room", range(1, 15))
def test_a_video_with_more_segments_than_are_examined_breaks_no_other_rule(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "MOST_SEGMENTS_IN_ALL", room)

    report = checked(GOOD)

    assert {finding.rule.id for finding in report.findings} <= {"limits"}


def test_as_many_segments_are_read_as_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examiner, "MOST_SEGMENTS_IN_ALL", 2)

    report = check(MemorySource(GOOD), "video-180p.m3u8")

    # With the init segment.
    assert report.segments == 3


def test_playlists_longer_than_is_read_break_no_other_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playlist_reading, "MOST_SEGMENTS", 2)

    report = checked(GOOD)

    assert {finding.rule.id for finding in report.findings} == {"limits"}


def test_playlists_that_name_each_other_end() -> None:
    text = b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmaster.m3u8\n"

    report = check(MemorySource({"master.m3u8": text}), "master.m3u8")

    assert "playlist-syntax" in {finding.rule.id for finding in report.findings}


def test_a_source_may_fail_at_any_moment() -> None:
    class Failing(MemorySource):
        fails_after = 0

        def read(self, name: str, start: int, length: int) -> Piece:
            self.fails_after -= 1
            if self.fails_after == 0:
                raise UnreadableError("It has gone.")
            return super().read(name, start, length)

    far = made.box("free", bytes(200_000))
    files = GOOD | {
        "video/180p/init.m4s": far + GOOD["video/180p/init.m4s"],
        "video/180p/0.m4s": far + GOOD["video/180p/0.m4s"],
    }
    for fails_at in range(1, 40):
        source = Failing(files)
        source.fails_after = fails_at
        report = check(source, "master.m3u8")

        missing = {f.message for f in report.findings if f.rule.id == "readable"}
        assert missing <= {"It has gone."}


def test_only_the_head_of_a_large_segment_is_read() -> None:
    large = made.picture(5, 8 * 1024 * 1024)
    read = 0

    class Counting(MemorySource):
        def read(self, name: str, start: int, length: int) -> Piece:
            nonlocal read
            piece = super().read(name, start, length)
            read += len(piece.data)
            return piece

    files = {**GOOD, "video/180p/0.m4s": made.video_segment(0, first=large)}
    check(Counting(files), "master.m3u8")

    assert read < 1024 * 1024
