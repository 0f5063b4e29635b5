"""
The stills of a storyboard and the poster, out of the one decode.
"""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from PIL import Image

from hvcore.plugin_api import (
    Part,
    PartDone,
    PixelFormat,
    Still,
    TranscodeOrder,
    Transcoder,
    Workspace,
)
from hvcore_transcoder_ffmpeg.encode import pictures
from hvcore_transcoder_ffmpeg.encode.poster_score import score_picture
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import make_order, make_workspace

pytestmark = pytest.mark.services

Clip = Callable[[str], Path]

COLOURS = ["red", "lime", "blue", "yellow", "cyan", "magenta", "white"]
SHOWN = {
    "red": (255, 0, 0),
    "lime": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "cyan": (0, 255, 255),
    "magenta": (255, 0, 255),
    "white": (255, 255, 255),
}
"""What is shown in each second of a clip, from its beginning again after 7."""


def colours(path: Path, rate: str, seconds: int, size: str = "320x180") -> Path:
    boxes = [
        f"drawbox=color={name}:thickness=fill:"
        f"enable='eq(mod(floor(t),{len(COLOURS)}),{number})'"
        for number, name in enumerate(COLOURS)
    ]
    source = f"color=black:size={size}:rate={rate}:duration={seconds}"
    ffmpeg(
        *("-f", "lavfi", "-i", f"{source},format=rgb24,{','.join(boxes)}"),
        *("-vf", "scale=out_color_matrix=bt709", "-pix_fmt", "yuv420p"),
        *("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
        *("-c:v", "libx264", "-preset", "ultrafast", path),
    )
    return path


def made_of(
    transcoder: Transcoder, source: Path, folder: Path, interval_s: int, **more: object
) -> tuple[PartDone, Path, TranscodeOrder]:
    workspace = make_workspace(source, folder / "job")
    info = transcoder.probe(workspace)
    order = attrs.evolve(make_order(info, **more), still_interval_s=interval_s)
    (part, *_) = transcoder.plan(order)
    done = transcoder.run(part, workspace)
    assert isinstance(done, PartDone)
    return done, workspace.folder, order


def colour_of(path: Path) -> str:
    with Image.open(path) as image:
        found = image.convert("RGB").resize((1, 1)).getpixel((0, 0))
    assert isinstance(found, tuple)
    distances = {
        name: sum(abs(a - b) for a, b in zip(found, wanted, strict=True))
        for name, wanted in SHOWN.items()
    }
    return min(distances, key=lambda name: distances[name])


def assert_right(folder: Path, stills: tuple[Still, ...]) -> None:
    for still in stills:
        shown = colour_of(folder / still.name)
        assert shown == COLOURS[still.at_s % len(COLOURS)], still


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("rate", "interval_s"), [("25", 1), ("30000/1001", 2), ("60", 5)]
)
def test_each_still_shows_its_moment(
    transcoder: Transcoder, tmp_path: Path, rate: str, interval_s: int
) -> None:
    source = colours(tmp_path / "colours.mp4", rate, 9)

    done, folder, _ = made_of(transcoder, source, tmp_path, interval_s)

    assert [still.at_s for still in done.stills] == list(range(0, 9, interval_s))
    assert_right(folder, done.stills)
    assert {path.name for path in (folder / "stills").iterdir()} == {
        Path(still.name).name for still in done.stills
    }
    assert not (folder / "posters").exists()


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("rate", "interval_s", "expected"),
    [
        ("30000/1001", 1, [6, 7, 8, 9, 10, 11]),
        ("25", 5, [10]),
        ("25", 2, [6, 8, 10]),
        ("7/2", 1, [6, 7, 8, 9, 10, 11]),
        ("1", 1, [6, 7, 8, 9, 10, 11]),
    ],
)
def test_a_part_has_the_stills_of_the_whole_videos_moments(
    transcoder: Transcoder,
    tmp_path: Path,
    rate: str,
    interval_s: int,
    expected: list[int],
) -> None:
    """
    The chain behind a rung, given the pictures of a part that begins later.
    """
    source = colours(tmp_path / "colours.mp4", rate, 12)
    info = transcoder.probe(make_workspace(source, tmp_path / "probe"))
    order = attrs.evolve(make_order(info), still_interval_s=interval_s)
    span = attrs.evolve(Span.of(Part(index=0, order=order)), first_segment=1)
    *_, chain = pictures.chains(order, span, tone_map=False)
    late = f"trim=start_frame={span.first_frame},setpts=PTS-STARTPTS[s]"
    output = [*pictures.outputs(order)]
    folder = tmp_path / "out"
    (folder / "stills").mkdir(parents=True)
    (folder / "posters").mkdir()
    options = output[output.index("[stills]") - 1 : -1]

    ffmpeg(
        *("-i", source, "-filter_complex", f"[0:v]{late};{chain}"),
        *(*options, folder / "stills/%d.jpg"),
    )

    found = pictures.collect(folder, order, span, made_s=6.0)
    assert [still.at_s for still in found.stills] == expected
    assert_right(folder, found.stills)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("portrait.mp4", (90, 160)),
        ("turned.mp4", (90, 160)),
        ("anamorphic.mp4", (160, 88)),
        ("one-frame.mp4", (160, 90)),
    ],
)
def test_a_still_is_small_and_has_the_videos_shape(
    transcoder: Transcoder,
    clip: Clip,
    tmp_path: Path,
    name: str,
    size: tuple[int, int],
) -> None:
    done, folder, _ = made_of(transcoder, clip(name), tmp_path, 1)

    assert done.stills[0].at_s == 0
    for still in done.stills:
        with Image.open(folder / still.name) as image:
            assert image.size == size


def test_stills_of_high_dynamic_range_are_for_normal_screens(
    transcoder: Transcoder, clip: Clip, tmp_path: Path
) -> None:
    done, folder, _ = made_of(
        transcoder, clip("hdr.mp4"), tmp_path, 1, pixel_format=PixelFormat.YUV420P10B
    )

    assert done.poster
    means = []
    for name in (done.poster, done.stills[0].name):
        with Image.open(folder / name) as image:
            means.append(image.convert("RGB").resize((1, 1)).getpixel((0, 0)))
    poster, still = means
    assert isinstance(poster, tuple)
    assert isinstance(still, tuple)
    assert all(abs(a - b) < 16 for a, b in zip(poster, still, strict=True))


def test_the_poster_is_not_the_black_at_the_beginning(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "opening.mp4"
    black = ["-f", "lavfi", "-i", "color=black:size=320x180:rate=25:duration=3"]
    white = ["-f", "lavfi", "-i", "color=white:size=320x180:rate=25:duration=1"]
    joint = "[0:v][1:v][2:v]concat=n=3:v=1"
    ffmpeg(
        *(*black, *white, *pattern("320x180", "25", 4), "-filter_complex", joint),
        *("-c:v", "libx264", "-preset", "ultrafast", source),
    )

    done, folder, _ = made_of(transcoder, source, tmp_path, 0)

    assert done.poster == "poster.jpg"
    assert done.poster_score > 0.3
    with Image.open(folder / "poster.jpg") as image:
        assert image.size == (320, 180)
        lows, highs = zip(*image.convert("RGB").getextrema(), strict=True)
    assert max(lows) < 50
    assert min(highs) > 200
    assert done.stills == ()
    assert sorted(path.name for path in folder.iterdir()) == ["poster.jpg", "video"]


def test_a_picture_that_shows_nothing_scores_less(tmp_path: Path) -> None:
    graphs = {
        "sharp": "testsrc2=size=640x360",
        "blurred": "testsrc2=size=640x360,gblur=sigma=12",
        "dark": "testsrc2=size=640x360,lutyuv=y=16+(val-16)/12:u=128:v=128",
        "grey": "color=gray:size=640x360",
        "white": "color=white:size=640x360",
        "black": "color=black:size=640x360",
    }
    scores = []
    for name, graph in graphs.items():
        path = tmp_path / f"{name}.jpg"
        ffmpeg("-f", "lavfi", "-i", graph, "-frames:v", "1", path)
        scores.append(score_picture(path))

    assert scores[:2] == sorted(scores[:2], reverse=True)
    assert scores[1] > max(scores[2:])
    assert scores[-2:] == pytest.approx([0, 0], abs=0.02)


def test_a_picture_that_was_not_finished_scores_nothing(tmp_path: Path) -> None:
    path = tmp_path / "half.jpg"
    path.write_bytes(b"\xff\xd8\xff")

    assert score_picture(path) == 0


def test_a_video_without_a_still_interval_has_no_stills(
    transcoder: Transcoder, clip: Clip, tmp_path: Path
) -> None:
    workspace: Workspace = make_workspace(clip("silent.mp4"), tmp_path / "job")
    order = make_order(transcoder.probe(workspace))
    (part,) = transcoder.plan(order)

    done = transcoder.run(part, workspace)

    assert isinstance(done, PartDone)
    assert done.poster == "poster.jpg"
    assert done.stills == ()


@pytest.mark.cases(1)
@pytest.mark.parametrize("rate", ["25", "30000/1001"])
def test_parts_have_their_own_stills_and_posters(
    transcoder: Transcoder, tmp_path: Path, rate: str
) -> None:
    source = colours(tmp_path / "colours.mp4", rate, 26, "160x90")
    info = transcoder.probe(make_workspace(source, tmp_path / "probe"))
    # So short a video is not asked whether it can be cut.
    info = attrs.evolve(info, is_seekable=True)
    order = attrs.evolve(make_order(info), still_interval_s=2, workers=2)
    parts = cut(order, Cutting(min_segments=2))
    assert len(parts) == 2

    moments = []
    for part in parts:
        workspace = make_workspace(source, tmp_path / f"part-{part.index}")
        done = transcoder.run(part, workspace)
        assert isinstance(done, PartDone)
        assert done.poster
        assert (workspace.folder / done.poster).is_file()
        assert_right(workspace.folder, done.stills)
        moments += [still.at_s for still in done.stills]

    assert moments == list(range(0, 26, 2))
