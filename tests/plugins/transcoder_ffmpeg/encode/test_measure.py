"""
What was made is checked before anybody sees it.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import (
    AudioCodec,
    PartDone,
    PixelFormat,
    TranscodeError,
    Transcoder,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.encode.measure import (
    check_alignment,
    measure_audio,
    measure_rung,
)
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import (
    Encoded,
    make_order,
    make_workspace,
)

pytestmark = pytest.mark.services

_RUN = b"trun"  # codespell:ignore trun


@pytest.fixture(scope="module")
def whole(
    transcoder: Transcoder, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Path], Encoded]:
    """
    Gives a copy of a job of two segments, to be damaged.
    """
    folder = tmp_path_factory.mktemp("whole")
    source = folder / "source.mp4"
    sizes = [*pattern("64x64", "5", 8), *tone(8)]
    ffmpeg(*sizes, "-c:v", "libx264", "-c:a", "aac", source)
    workspace = make_workspace(source, folder / "job")
    info = transcoder.probe(workspace)
    order = make_order(info)
    (part,) = transcoder.plan(order)
    done = transcoder.run(part, workspace)
    assert isinstance(done, PartDone)

    def copy(target: Path) -> Encoded:
        shutil.copytree(folder / "job", target)
        return Encoded(info=info, order=order, done=done, folder=target, reports=[])

    return copy


@pytest.fixture
def made(whole: Callable[[Path], Encoded], tmp_path: Path) -> Encoded:
    """
    A job of two segments, good as it is.
    """
    return whole(tmp_path / "made")


def _change(path: Path, before: bytes, after: bytes) -> None:
    content = path.read_bytes()
    assert content.count(before) == 1
    path.write_bytes(content.replace(before, after))


def _change_behind(path: Path, mark: bytes, offset: int, after: bytes) -> None:
    content = bytearray(path.read_bytes())
    at = content.index(mark) + len(mark) + offset
    content[at : at + len(after)] = after
    path.write_bytes(content)


def test_a_good_job_passes(made: Encoded) -> None:
    (rung,) = made.order.ladder.rungs
    (audio,) = made.order.ladder.audio

    tracks = (
        measure_rung(made.folder, rung, made.span),
        measure_audio(made.folder, audio),
    )

    assert tracks == made.done.tracks


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda f: (f / "0.m4s").unlink(), id="first missing"),
        pytest.param(lambda f: (f / "init.m4s").unlink(), id="no init"),
        pytest.param(lambda f: (f / "1.m4s").rename(f / "2.m4s"), id="hole"),
        pytest.param(lambda f: (f / "1.m4s").write_bytes(b""), id="empty"),
        pytest.param(
            lambda f: (f / "1.m4s").write_bytes((f / "1.m4s").read_bytes()[:-1]),
            id="cut off",
        ),
        pytest.param(
            lambda f: _change(f / "init.m4s", b"cmfc", b"iso5"), id="no brand"
        ),
        pytest.param(
            lambda f: _change(f / "init.m4s", b"tkhd", b"edts"), id="an edit list"
        ),
        pytest.param(
            lambda f: _change_behind(f / "1.m4s", b"tfdt", 11, b"\x07"),
            id="time goes back",
        ),
        pytest.param(
            lambda f: _change_behind(f / "1.m4s", _RUN, 12, b"\x01\x01\x00\x00"),
            id="no key frame by its flags",
        ),
        pytest.param(
            lambda f: _change_behind(f / "1.m4s", b"mdat", 4, b"\x41"),
            id="no key frame by its NAL unit",
        ),
    ],
)
def test_damage_is_seen(damage: Callable[[Path], object], made: Encoded) -> None:
    (rung,) = made.order.ladder.rungs
    damage(made.folder / "video" / rung.key)

    with pytest.raises(TranscodeError) as failed:
        measure_rung(made.folder, rung, made.span)

    assert failed.value.log


def test_another_rung_than_asked_is_seen(made: Encoded) -> None:
    (rung,) = made.order.ladder.rungs

    for change in ({"width_px": 66}, {"pixel_format": PixelFormat.YUV420P10B}):
        other = attrs.evolve(rung, **change)
        with pytest.raises(TranscodeError) as failed:
            measure_rung(made.folder, other, made.span)

        assert f" is not {other}"[:200] in failed.value.log


def test_another_audio_codec_than_asked_is_seen(made: Encoded) -> None:
    (audio,) = made.order.ladder.audio

    with pytest.raises(TranscodeError) as failed:
        measure_audio(made.folder, attrs.evolve(audio, codec=AudioCodec.AAC_HE))

    assert failed.value.log == "audio: mp4a.40.2 is not {'mp4a.40.5'}"


def test_squeezed_frames_of_sound_are_seen(made: Encoded) -> None:
    (audio,) = made.order.ladder.audio
    lasts = (1024).to_bytes(4, "big")
    init = made.folder / "audio" / "init.m4s"
    segments = sorted(made.folder.glob("audio/[0-9].m4s"))
    content = segments[-1].read_bytes()
    assert lasts in content
    segments[-1].write_bytes(content.replace(lasts, (1000).to_bytes(4, "big"), 1))

    assert init.exists()
    with pytest.raises(UnusableSourceError, match="changes its format in the middle"):
        measure_audio(made.folder, audio)


def test_rungs_that_do_not_line_up_are_seen(made: Encoded) -> None:
    video = made.done.tracks[0]
    other = attrs.evolve(video, segments=video.segments[:1])

    check_alignment([video, video])
    with pytest.raises(TranscodeError) as failed:
        check_alignment([video, other])

    assert failed.value.log == "boundaries differ: [[6.0, 2.0], [6.0]]"
