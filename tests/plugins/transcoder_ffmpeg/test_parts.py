"""
A video that is made in parts is the video that one process makes.

Each picture of the sources carries its number, so that a frame that is lost,
doubled or taken from the wrong moment is seen.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore.plugin_api import (
    PixelFormat,
    SourceInfo,
    Transcoder,
    box_of,
)
from hvcore_transcoder_ffmpeg.parts import Cutting
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, tone, turned
from tests.plugins.transcoder_ffmpeg.conftest import make_workspace
from tests.plugins.transcoder_ffmpeg.counted import counted_clip, numbers
from tests.plugins.transcoder_ffmpeg.in_parts import Made, Make, maker
from tests.plugins.transcoder_ffmpeg.playing import (
    complaints,
    joined,
    packets,
    samples,
)

pytestmark = pytest.mark.services

_B_FRAMES: Final = ("-c:v", "libx264", "-preset", "veryfast", "-bf", "4", "-g", "100")
_OPEN_GOP: Final = (*_B_FRAMES, "-x264-params", "open-gop=1")


@pytest.fixture
def make(transcoder: Transcoder, tmp_path: Path) -> Make:
    """
    Makes a source into a video, in as many parts as there are workers.
    """
    return maker(transcoder, tmp_path)


def _plain(path: Path) -> None:
    sound = tone(25)
    counted_clip(path, more_inputs=sound, more=["-c:a", "aac"], codec=_B_FRAMES)


def _ntsc(path: Path) -> None:
    counted_clip(path, rate="30000/1001", codec=_OPEN_GOP)


def _film(path: Path) -> None:
    counted_clip(path, rate="24000/1001", frames=620, codec=_OPEN_GOP)


def _uneven(path: Path) -> None:
    # Ten pictures on a clock of 30 a second, then one of seven, and so on.
    keep = "select='lt(mod(n,40),10)+not(mod(n,7))'"
    counted_clip(path, filters=keep, codec=_B_FRAMES, more=["-fps_mode", "vfr"])


def _edited(path: Path) -> None:
    whole = path.with_name("whole.mp4")
    more = ["-c:a", "aac"]
    counted_clip(whole, frames=860, more_inputs=tone(29), more=more, codec=_B_FRAMES)
    # From the middle of a group of pictures on: an edit list hides the rest.
    ffmpeg("-ss", "3.37", "-i", whole, "-c", "copy", path)


def _late(path: Path) -> None:
    early = path.with_name("early.mp4")
    counted_clip(early, rate="25", frames=600, codec=_B_FRAMES)
    late: list[str | Path] = ["-itsoffset", "1.37", "-i", early, *tone(26)]
    ffmpeg(*late, "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "flac", path)


def _turned(path: Path) -> None:
    counted_clip(path, codec=_B_FRAMES)
    turned(path)


def _refreshed(path: Path) -> None:
    # No key frames: a stripe of each picture is new, and after 90 all are.
    refresh = ("-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=90")
    counted_clip(path, codec=refresh)


def _one_key_frame(path: Path) -> None:
    counted_clip(path, codec=("-c:v", "libx264", "-g", "9999"))


def _hevc(path: Path) -> None:
    params = "keyint=70:open-gop=1:log-level=error"
    counted_clip(path, codec=("-c:v", "libx265", "-x265-params", params))


def _vp9(path: Path) -> None:
    quick = ("-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "20")
    counted_clip(path, codec=("-c:v", "libvpx-vp9", "-g", "77", *quick))


def _mpeg4(path: Path) -> None:
    counted_clip(path, codec=("-c:v", "mpeg4", "-bf", "2", "-g", "60", "-q:v", "3"))


def _interlaced(path: Path) -> None:
    fields = (*_B_FRAMES, "-flags", "+ilme+ildct")
    counted_clip(path, rate="50", frames=1300, filters="interlace", codec=fields)


def _fragments(path: Path) -> None:
    more = ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]
    counted_clip(path, codec=_B_FRAMES, more=more)


def _jittering(path: Path) -> None:
    times = "setpts='(N+0.3*random(0))/30/TB+if(gt(N,300),3/TB,0)'"
    more = ["-fps_mode", "passthrough", "-video_track_timescale", "90000"]
    counted_clip(path, filters=times, codec=_B_FRAMES, more=more)


_OFTEN: Final = [
    ("plain.mp4", _plain),
    ("ntsc.mp4", _ntsc),
    ("film.mkv", _film),
    ("edited.mp4", _edited),
    ("turned.mp4", _turned),
]
_SELDOM: Final = [
    ("uneven.mp4", _uneven),
    ("late.mkv", _late),
    ("refreshed.mp4", _refreshed),
    ("one-key-frame.mp4", _one_key_frame),
    ("hevc.mp4", _hevc),
    ("vp9.webm", _vp9),
    ("mpeg4.mp4", _mpeg4),
    ("interlaced.mp4", _interlaced),
    ("fragments.mp4", _fragments),
    ("jittering.mkv", _jittering),
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("name", "write"),
    [
        *(pytest.param(*one, id=one[0]) for one in _OFTEN),
        *(pytest.param(*one, id=one[0], marks=pytest.mark.long) for one in _SELDOM),
    ],
)
def test_no_frame_is_lost_doubled_or_moved(
    make: Make, tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    source = tmp_path / name
    write(source)

    whole, parts = make(source, workers=1), make(source, workers=2)

    _assert_equal(whole, parts)
    assert _pictures(parts) == 2


@pytest.mark.parametrize(
    "settings",
    [
        {},
        pytest.param(
            {"pixel_format": PixelFormat.YUV420P12B, "two_pass": True},
            marks=pytest.mark.long,
        ),
    ],
    ids=str,
)
def test_parts_of_one_segment_are_the_same_video(
    make: Make, tmp_path: Path, settings: dict[str, Any]
) -> None:
    source = tmp_path / "ntsc.mp4"
    _ntsc(source)

    whole = make(source, workers=1, **settings)
    parts = make(source, workers=2, cutting=Cutting(slice_s=1e-9), **settings)

    _assert_equal(whole, parts)
    # The last second belongs to the fourth.
    assert _pictures(parts) == 4


def _avi(path: Path) -> None:
    # No times of showing, and pictures that come in another order than shown.
    counted_clip(path, codec=("-c:v", "mpeg4", "-bf", "2", "-g", "60", "-q:v", "3"))


@pytest.mark.cases(1)
@pytest.mark.parametrize(("name", "write"), [("a.avi", _avi), ("r.mp4", _refreshed)])
def test_parts_that_are_decoded_from_the_beginning_are_the_same_video(
    make: Make, tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    source = tmp_path / name
    write(source)
    cutting = Cutting(slice_s=1e-9)

    whole = make(source, workers=1, is_seekable=False)
    parts = make(source, workers=2, is_seekable=False, cutting=cutting)

    _assert_equal(whole, parts)
    assert _pictures(parts) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        {"two_pass": True},
        {"pixel_format": PixelFormat.YUV420P12B},
        {"pixel_format": PixelFormat.YUV420P12B, "two_pass": True},
    ],
    ids=str,
)
def test_every_encoder_can_make_parts(
    make: Make, tmp_path: Path, settings: dict[str, Any]
) -> None:
    source = tmp_path / "ntsc.mp4"
    _ntsc(source)

    whole = make(source, workers=1, **settings)
    parts = make(source, workers=2, **settings)

    _assert_equal(whole, parts)
    assert _pictures(parts) == 2


def _pictures(made: Made) -> int:
    return sum(1 for part in made.done if part.tracks and part.tracks[0].rung)


def _assert_equal(whole: Made, parts: Made) -> None:
    (rung,) = whole.order.ladder.rungs
    # What is not joined has H.264 parameter sets that suit its own pictures.
    if not rung.two_pass or rung.pixel_format.bit_depth == 12:
        assert parts.video.init == whole.video.init
    assert numbers(parts.file) == numbers(whole.file)
    assert _shown(parts.file) == _shown(whole.file)
    assert _cuts(parts) == _cuts(whole)
    assert complaints(parts.file) == ""
    assert _stills(parts) == _stills(whole)
    sound = [track.track for track in parts.media.tracks[1:]]
    assert sound == [track.track for track in whole.media.tracks[1:]]


def _shown(file: Path) -> list[tuple[str, str]]:
    return sorted((one["pts_time"], one["duration_time"]) for one in packets(file))


def _cuts(made: Made) -> list[tuple[int, float]]:
    return [(one.number, one.duration_s) for one in made.video.segments]


def _stills(made: Made) -> list[int]:
    return [still.at_s for part in made.done for still in part.stills]


def test_decode_times_and_numbers_go_on_over_joints(make: Make, tmp_path: Path) -> None:
    source = tmp_path / "ntsc.mp4"
    _ntsc(source)

    made = make(source, workers=2)

    folder = made.folder / made.video.name
    times, sequence = [], []
    for segment in made.video.segments:
        moof = box_of((folder / f"{segment.number}.m4s").read_bytes()).child("moof")
        sequence += moof.child("mfhd").fields("I", 4)
        times += moof.child("traf/tfdt").fields("Q", 4)
    # 1001 of 30000 a frame, and 180 or 179 frames a segment.
    assert times == [frame * 1001 for frame in (0, 180, 360, 540, 720)]
    assert sequence == [1, 2, 3, 4, 5]
    decoded = [float(one["dts_time"]) for one in packets(made.file)]
    assert decoded == sorted(set(decoded))


def test_the_first_picture_of_a_segment_can_be_cut_off_and_decoded(
    make: Make, tmp_path: Path
) -> None:
    source = tmp_path / "plain.mp4"
    _plain(source)
    made = make(source, workers=2)

    segment = made.video.segments[3]

    folder = made.folder / made.video.name
    init = (folder / "init.m4s").read_bytes()
    assert segment.first_picture_bytes is not None
    begun = (folder / "3.m4s").read_bytes()[: segment.first_picture_bytes]
    file = tmp_path / "begun.mp4"
    file.write_bytes(init + begun)
    assert numbers(file)[:1] == [3 * 6 * 30]
    file.write_bytes(init + begun[:-8])
    assert complaints(file) != ""
    (sound,) = (one for one in made.done if one.tracks[0].audio)
    assert {one.first_picture_bytes for one in sound.tracks[0].segments} == {None}


def test_sound_does_not_click_where_pictures_are_cut(
    make: Make, tmp_path: Path
) -> None:
    source = tmp_path / "plain.mp4"
    _plain(source)

    made = make(source, workers=2)

    heard = samples(joined(made.folder, made.media.tracks[1].track))
    # A tone of 440 Hz and an eighth of the loudness changes by 236 a sample.
    joint = range(12 * 48000 - 4800, 12 * 48000 + 4800)
    steps = [abs(heard[at + 1] - heard[at]) for at in joint]
    assert 150 < max(steps) < 300


def _damaged(path: Path, first: float, last: float) -> None:
    counted_clip(path, frames=900, codec=_B_FRAMES)
    data = path.read_bytes()
    at, end = data.index(b"mdat") + 4, data.index(b"moov") - 4
    begin, stop = (at + int((end - at) * share) for share in (first, last))
    path.write_bytes(data[:begin] + bytes(stop - begin) + data[stop:])


@pytest.mark.parametrize(
    ("first", "last", "warns"),
    [
        pytest.param(0.3, 0.7, False, id="in the middle", marks=pytest.mark.long),
        pytest.param(0.4, 1.0, True, id="to the end"),
    ],
)
def test_what_cannot_be_decoded_is_missing_as_in_one_process(
    make: Make, tmp_path: Path, *, first: float, last: float, warns: bool
) -> None:
    source = tmp_path / "damaged.mp4"
    _damaged(source, first, last)

    whole, parts = make(source, workers=1), make(source, workers=2)

    _assert_equal(whole, parts)
    assert bool(parts.media.warnings) == bool(whole.media.warnings) == warns
    made = {path.name for path in (parts.folder.parent / "p1").rglob("*.m4s")}
    assert made == (set() if warns else {"init.m4s", "2.m4s", "3.m4s", "4.m4s"})


@pytest.fixture
def seekable(transcoder: Transcoder, tmp_path: Path) -> Callable[[Path], bool]:
    """
    Tells what probing says.
    """

    def probe(source: Path) -> bool:
        info: SourceInfo = transcoder.probe(make_workspace(source, tmp_path / "probe"))
        return info.is_seekable

    return probe


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("name", "codec", "expected"),
    [
        ("plain.mp4", _B_FRAMES, True),
        ("plain.mkv", _B_FRAMES, True),
        ("plain.avi", ("-c:v", "mpeg4"), False),
        ("one-key-frame.mkv", ("-c:v", "libx264", "-g", "9999"), False),
    ],
)
def test_probing_tells_whether_a_decoder_can_begin_anywhere(
    seekable: Callable[[Path], bool],
    tmp_path: Path,
    name: str,
    codec: Sequence[str],
    *,
    expected: bool,
) -> None:
    source = tmp_path / name
    counted_clip(source, frames=1500, codec=codec)

    assert seekable(source) is expected
