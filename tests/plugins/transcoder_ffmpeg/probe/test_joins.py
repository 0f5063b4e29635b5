"""
Recordings that stand in one file one behind the other are all shown, in their order.
"""

import re
import subprocess
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from hvcore.plugin_api import SourceInfo, Speed, Transcoder
from hvcore_transcoder_ffmpeg.probe import notes
from hvcore_transcoder_ffmpeg.probe.joins import Joins, Packet, shifting
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.playing import brightness, joined, samples
from tests.plugins.transcoder_ffmpeg.publishing import publish


def followed(
    packets: Iterable[tuple[int, float, bool]],
    *,
    decoded: bool = False,
    fields: int = 1,
) -> dict[int, tuple[float, ...]]:
    """
    Return the steps of packets of 0.1 s: pictures of track 0, sound of track 1.
    """
    joins = Joins({0: fields} if fields else {})
    for place, (index, time_s, is_key) in enumerate(packets):
        packet = Packet(
            time_s=time_s,
            decoded_s=float(place) if decoded else None,
            lasts_s=0.1,
            is_key=is_key,
        )
        joins.shift_s(str(index).encode(), packet)
    return joins.steps_s()


def test_a_recording_behind_another_begins_at_its_end() -> None:
    first = [(track, time_s, True) for time_s in (0.0, 0.1, 0.2) for track in (0, 1)]
    second = [(track, time_s, True) for time_s in (0.02, 0.12) for track in (1, 0)]

    steps_s = followed([*first, *second])

    assert steps_s == {0: (0.28,), 1: (0.28,)}


def test_a_track_that_a_recording_lacks_is_in_step_in_the_next_one() -> None:
    first = [(0, 0.0, True), (1, 0.0, True), (0, 1.0, True), (1, 1.0, True)]
    silent = [(0, 0.0, True), (0, 2.0, True)]
    third = [(1, 0.0, True), (0, 0.0, True)]

    steps_s = followed([*first, *silent, *third])

    assert steps_s == {0: (1.1, 2.1), 1: (3.2,)}


@pytest.mark.parametrize("apart_s", [0.04, 15.0])
def test_pictures_between_others_are_no_further_recording(apart_s: float) -> None:
    """
    Slides of a quarter of a minute are decoded half a minute before others, too.
    """
    order = [0]
    for group in range(1, 100, 16):
        order += [group + 15, *range(group, group + 15)]
    packets = [(0, place * apart_s, place == 0) for place in order]

    assert followed(packets, decoded=True) == {}


def test_time_that_goes_back_between_key_frames_is_seen() -> None:
    times_s = [n * 0.04 for n in range(25)] + [n * 0.04 + 0.2 for n in range(25)]
    packets = [(0, time_s, n == 0) for n, time_s in enumerate(times_s)]

    ((step_s,),) = followed(packets).values()

    assert step_s == pytest.approx(0.96 + 0.1 - 0.2)


@pytest.mark.parametrize("ahead_s", [0.5, 5.0])
@pytest.mark.parametrize("wrong", [0, 1])
def test_one_wrong_time_begins_no_recording(wrong: int, ahead_s: float) -> None:
    packets = [
        (track, time_s + (ahead_s if (track, time_s) == (wrong, 4.0) else 0.0), True)
        for time_s in (n / 2 for n in range(20))
        for track in (0, 1)
    ]

    assert followed(packets) == followed(packets, fields=0) == {}


def test_a_recording_behind_a_wrong_time_begins_at_the_end_of_the_true_ones() -> None:
    first = [(1, 0.0, True), (1, 0.1, True), (1, 5.2, True), (1, 0.3, True)]
    second = [(1, 0.0, True), (1, 0.1, True)]

    assert followed([*first, *second]) == {1: (0.4,)}


@pytest.mark.services
def test_filters_find_the_recordings_of_the_packets() -> None:
    times_s = [0.0, 0.1, 5.2, 0.3, 0.4, 0.0, 0.1, 0.2, 0.9, 0.3, 0.0, 0.1]
    (steps_s,) = followed([(1, time_s, True) for time_s in times_s]).values()
    at = "+".join(f"eq(N,{n})*{time_s}" for n, time_s in enumerate(times_s))
    chain = [f"setpts='round(({at})/TB)'", f"setpts={shifting(steps_s)}"]
    picture = f"color=s=16x16:r=1000,trim=end_frame={len(times_s)},{','.join(chain)}"
    question = ["-show_entries", "frame=pts_time", "-of", "csv=print_section=0"]
    printed = subprocess.run(
        ["ffprobe", "-v", "error", "-f", "lavfi", picture, *question],
        check=True,
        capture_output=True,
        text=True,
    )

    shown_s = [float(line) for line in printed.stdout.split()]
    wanted_s = [0.0, 0.1, 5.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.4, 0.8, 0.9, 1.0]
    assert shown_s == pytest.approx(wanted_s)


def test_a_clock_that_always_goes_back_is_followed_for_a_while() -> None:
    joins = Joins({})
    for n in range(1000):
        packet = Packet(time_s=-float(n), decoded_s=-float(n), lasts_s=0.1, is_key=True)
        joins.shift_s(b"0", packet)

    assert joins.are_too_many
    assert len(joins.steps_s()[0]) == 100


def _flashes(path: Path, seconds: float, at_s: float) -> None:
    on = f"between(t,{at_s},{at_s + 0.2})"
    picture = (
        f"color=black:s=160x90:r=25:d={seconds},drawbox=c=white:t=fill:enable='{on}'"
    )
    sound = f"aevalsrc='{on}*sin(2*PI*1000*t)':d={seconds}:s=48000"
    codecs = ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]
    # As browsers record: nothing says where it ends.
    codecs += ["-live", "1"]
    ffmpeg("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound, *codecs, path)


@pytest.mark.services
@pytest.mark.parametrize("track", [1, 2], ids=["pictures", "sound"])
def test_one_wrong_time_in_a_source_makes_it_no_longer(
    track: int, probe: Callable[[Path], SourceInfo], tmp_path: Path
) -> None:
    source = tmp_path / "source.webm"
    codecs = ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]
    ffmpeg(*pattern("160x90", "25", 4), *tone(4), *codecs, source)
    data = bytearray(source.read_bytes())
    # A SimpleBlock: its size, the track's number, and 768 to 1023 ms.
    size = rb"(?:[\x80-\xff]|[\x40-\x7f].|[\x20-\x3f]..)"
    block = rb"\xa3" + size + bytes([0x80 + track]) + rb"\x03."
    found = next(re.finditer(block + rb"[\x00\x80]", data, re.DOTALL))
    data[found.end() - 3 : found.end() - 1] = (4000).to_bytes(2, "big")
    source.write_bytes(data)

    info = probe(source)

    assert info.duration_s == pytest.approx(4, abs=0.1)
    streams = notes.read(info.notes)
    assert streams is not None
    assert streams.steps_s == {}


@pytest.mark.services
@pytest.mark.parametrize("programs", ["transcoder", "wheel_transcoder"])
def test_each_recording_is_seen_and_heard_at_once(
    programs: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    transcoder: Transcoder = request.getfixturevalue(programs)
    parts = [tmp_path / f"{number}.webm" for number in range(3)]
    for part, seconds in zip(parts, (1.0, 1.6, 0.8), strict=True):
        _flashes(part, seconds, at_s=0.4)
    source = tmp_path / "joined.webm"
    source.write_bytes(b"".join(part.read_bytes() for part in parts))

    made = publish(transcoder, source, tmp_path / "job", speed=Speed.ULTRAFAST)

    lights = brightness(joined(made.folder, made.tracks[0]))
    seen_s = [n / 25 for n, (a, b) in enumerate(pairwise(lights), 1) if a < 128 <= b]
    heard = samples(joined(made.folder, made.tracks[1]))
    loud = [
        max(map(abs, heard[at : at + 480])) > 3000 for at in range(0, len(heard), 480)
    ]
    heard_s = [n / 100 for n, (a, b) in enumerate(pairwise(loud), 1) if b and not a]
    assert seen_s == pytest.approx([0.4, 1.4, 3.0], abs=0.06)
    assert heard_s == pytest.approx(seen_s, abs=0.06)
    assert made.warnings == ()
