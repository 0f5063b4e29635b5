"""
Parts join, whatever they show and whichever version of ffmpeg made them.
"""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hvcore.conformance import Level
from hvcore.plugin_api import (
    AudioCodec,
    MediaFile,
    PartDone,
    PixelFormat,
    RateControl,
    Segment,
    Track,
    TranscodeError,
    Transcoder,
    box_of,
)
from hvcore_transcoder_ffmpeg.mp4.init_segments import make_neutral
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import (
    Encoded,
    make_order,
    make_workspace,
)
from tests.plugins.transcoder_ffmpeg.publishing import publish

pytestmark = pytest.mark.services


@pytest.mark.cases(1)
@pytest.mark.parametrize("rate_control", RateControl)
def test_parts_of_other_content_have_the_same_init_segment(
    transcoder: Transcoder, tmp_path: Path, rate_control: RateControl
) -> None:
    # A still picture needs one reference frame, and crowds of dots need many.
    source = tmp_path / "still-then-crowded.mp4"
    inputs = ["-f", "lavfi", "-i", "color=gray:s=96x64:r=10:d=12"]
    inputs += ["-f", "lavfi", "-i", "life=s=96x64:r=10:mold=10:seed=1"]
    graph = "[1:v]trim=duration=12,format=yuv420p,setsar=1[b];"
    graph += "[0:v]format=yuv420p,setsar=1[a];[a][b]concat"
    quick = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "20"]
    ffmpeg(*inputs, "-filter_complex", graph, *quick, source)
    info = transcoder.probe(make_workspace(source, tmp_path / "probe"))
    # So short a video is not asked whether it can be cut.
    info = attrs.evolve(info, is_seekable=True)
    order = make_order(info, two_pass=True, rate_control=rate_control)
    parts = cut(attrs.evolve(order, workers=2), Cutting(min_segments=2))

    inits = set()
    for part in parts:
        folder = tmp_path / f"p{part.index}"
        transcoder.run(part, make_workspace(source, folder))
        inits |= {path.read_bytes() for path in folder.rglob("init.m4s")}

    assert len(parts) == 2
    assert len(inits) == 1


@pytest.mark.parametrize(
    "pixel_format", [PixelFormat.YUV420P, PixelFormat.YUV420P12B], ids=str
)
def test_an_init_segment_does_not_tell_who_made_it(
    encode: Callable[..., Encoded], tmp_path: Path, pixel_format: PixelFormat
) -> None:
    source = tmp_path / "clip.mp4"
    ffmpeg(*pattern("64x64", "5", 1), *tone(1), "-c:a", "aac", source)

    made = encode(source, pixel_format=pixel_format)

    inits = [path.read_bytes() for path in made.folder.rglob("init.m4s")]
    assert len(inits) == 2
    for init in inits:
        assert not any(name in init for name in (b"Lav", b"x264", b"x265"))
        # The movie ends where the file ends.
        assert [box.kind for box in box_of(init).children()] == ["ftyp", "moov"]


def test_init_segments_of_two_versions_are_the_same(tmp_path: Path) -> None:
    made = []
    for name, version in (("one", ["-bitexact"]), ("other", [])):
        file = tmp_path / f"{name}.mp4"
        options = ["-c:v", "libx264", "-movflags", "+cmaf+empty_moov", *version]
        ffmpeg(*pattern("64x64", "5", 1), *options, file)
        data = file.read_bytes()
        file.write_bytes(data[: box_of(data).child("moov").end])
        made.append(file)
    before = {file.read_bytes() for file in made}

    for file in made:
        make_neutral(file)

    assert len(before) == 2
    assert len({file.read_bytes() for file in made}) == 1


def test_init_segments_that_differ_are_explained_to_the_operator(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "clip.mp4"
    ffmpeg(*pattern("64x64", "5", 1), source)
    order = make_order(transcoder.probe(make_workspace(source, tmp_path / "probe")))

    def done(number: int) -> tuple[str, PartDone]:
        file = MediaFile(size_bytes=1, sha256=str(number))
        segment = Segment(number=number, duration_s=6, file=file)
        (rung,) = order.ladder.rungs
        name = f"video/{rung.key}"
        track = Track(name=name, codecs="", init=file, segments=(segment,), rung=rung)
        return f"p{number}", PartDone(tracks=(track,))

    with pytest.raises(TranscodeError) as failed:
        transcoder.assemble(order, [done(0), done(1)])

    assert "init segments differ" in failed.value.log
    assert "all workers have the same version" in failed.value.log


@pytest.mark.cases(2)
@pytest.mark.parametrize("codec", ["aac", "mp3", "ac3", "eac3"])
def test_a_video_shorter_than_a_frame_of_sound_is_conformant(
    transcoder: Transcoder, tmp_path: Path, codec: str
) -> None:
    source = tmp_path / "one-frame.mp4"
    one = ["-c:v", "libx264", "-c:a", "aac"]
    ffmpeg(*pattern("64x64", "240", 0.004), *tone(1), *one, source)

    made = publish(transcoder, source, tmp_path / "job", audio_codec=AudioCodec(codec))

    broken = [f for f in made.report().findings if f.rule.level is Level.MUST]
    assert broken == []
    assert all(track.segments for track in made.tracks)
    assert any(track.audio for track in made.tracks)
