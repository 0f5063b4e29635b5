"""
Pictures taken out of what was published.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from hvcore.plugin_api import (
    FrameSpan,
    PixelFormat,
    SupportsFrames,
    SupportsStill,
    TranscodeError,
    Transcoder,
    UnusableSourceError,
)
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg
from tests.plugins.transcoder_ffmpeg.conftest import Encoded, make_workspace

pytestmark = pytest.mark.services

Clip = Callable[[str], Path]
Encode = Callable[..., Encoded]

COLOURS = {
    0: (255, 0, 0),
    1: (0, 255, 0),
    2: (0, 0, 255),
    3: (255, 255, 0),
    4: (0, 255, 255),
    5: (255, 0, 255),
    6: (255, 255, 255),
    7: (128, 128, 128),
}
"""What is shown in each second of the clip."""


@pytest.fixture(scope="module")
def colours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("colours") / "colours.mp4"
    boxes = [
        f"drawbox=color=0x{red:02x}{green:02x}{blue:02x}:thickness=fill:"
        f"enable='gte(t,{second})*lt(t,{second + 1})'"
        for second, (red, green, blue) in COLOURS.items()
    ]
    source = f"color=black:size=640x360:rate=25:duration={len(COLOURS)}"
    ffmpeg(
        *("-f", "lavfi", "-i", f"{source},format=rgb24,{','.join(boxes)}"),
        *("-vf", "scale=out_color_matrix=bt709", "-pix_fmt", "yuv420p"),
        *("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
        *("-c:v", "libx264", "-preset", "ultrafast", path),
    )
    return path


def still(
    transcoder: Transcoder, made: Encoded, number: int, at_s: float, folder: Path
) -> tuple[int, ...]:
    assert isinstance(transcoder, SupportsStill)
    rung = made.folder / made.done.tracks[0].name
    source = folder / f"segment-{number}.mp4"
    files = (rung / "init.m4s", rung / f"{number}.m4s")
    source.write_bytes(b"".join(file.read_bytes() for file in files))
    workspace = make_workspace(source, folder / f"out-{number}-{at_s}")

    path = transcoder.still(workspace, at_s)

    assert path.parent == workspace.folder.resolve()
    with Image.open(path) as image:
        assert image.format == "JPEG"
        assert image.size == (640, 360)
        found = image.convert("RGB").getpixel((320, 180))
    assert isinstance(found, tuple)
    return found


def test_each_moment_has_its_colour(
    transcoder: Transcoder, encode: Encode, colours: Path, tmp_path: Path
) -> None:
    made = encode(colours)
    moments = [
        (0, 0.0, 0),
        (0, 0.96, 0),
        (0, 1.0, 1),
        (0, 4.999, 5),
        (0, 5.0, 5),
        (0, 5.95, 5),
        (1, 0.0, 6),
        (1, 1.5, 7),
    ]

    for number, at_s, second in moments:
        found = still(transcoder, made, number, at_s, tmp_path)
        wanted = COLOURS[second]
        assert all(abs(a - b) < 16 for a, b in zip(found, wanted, strict=True)), (
            at_s,
            found,
            wanted,
        )


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "pixel_format",
    [PixelFormat.YUV420P10B, PixelFormat.YUV444P, PixelFormat.YUV420P12B],
)
def test_every_kind_of_segment_gives_a_picture(
    transcoder: Transcoder,
    encode: Encode,
    colours: Path,
    tmp_path: Path,
    pixel_format: PixelFormat,
) -> None:
    if pixel_format not in transcoder.capabilities().pixel_formats:
        pytest.fail("this machine's ffmpeg lacks it")
    made = encode(colours, pixel_format=pixel_format)

    found = still(transcoder, made, 0, 2.5, tmp_path)

    assert all(abs(a - b) < 16 for a, b in zip(found, (0, 0, 255), strict=True))


def test_a_bright_picture_is_brought_to_a_normal_screen(
    transcoder: Transcoder, encode: Encode, clip: Clip, tmp_path: Path
) -> None:
    """
    HDR stays HDR in segments of 10 bits, but not in a JPEG.
    """
    made = encode(clip("hdr.mp4"), pixel_format=PixelFormat.YUV420P10B)
    shown = Image.open(made.folder / "poster.jpg").convert("RGB").resize((1, 1))

    folder = tmp_path / "still"
    folder.mkdir()
    assert isinstance(transcoder, SupportsStill)
    rung = made.folder / made.done.tracks[0].name
    source = folder / "segment.mp4"
    source.write_bytes((rung / "init.m4s").read_bytes() + (rung / "0.m4s").read_bytes())
    path = transcoder.still(make_workspace(source, folder / "out"), 0.1)

    found = Image.open(path).convert("RGB").resize((1, 1)).getpixel((0, 0))
    poster = shown.getpixel((0, 0))
    assert isinstance(found, tuple)
    assert isinstance(poster, tuple)
    assert all(abs(a - b) < 16 for a, b in zip(found, poster, strict=True))


def test_a_moment_behind_the_last_frame_gives_none(
    transcoder: Transcoder, encode: Encode, colours: Path, tmp_path: Path
) -> None:
    made = encode(colours)

    with pytest.raises(TranscodeError) as failed:
        still(transcoder, made, 1, 30.0, tmp_path)

    assert failed.value.log.startswith("no picture at 30.000 s")


def test_what_is_no_segment_is_refused(transcoder: Transcoder, tmp_path: Path) -> None:
    assert isinstance(transcoder, SupportsStill)
    source = tmp_path / "text.mp4"
    source.write_bytes(b"#EXTM3U\n/etc/passwd\n" * 10)

    with pytest.raises(UnusableSourceError, match="supported format"):
        transcoder.still(make_workspace(source, tmp_path / "out"), 0.0)


def frames(
    transcoder: Transcoder, made: Encoded, folder: Path, span: FrameSpan
) -> list[tuple[int, ...]]:
    assert isinstance(transcoder, SupportsFrames)
    rung = made.folder / made.done.tracks[0].name
    source = folder / "segments.mp4"
    files = (rung / "init.m4s", rung / "0.m4s", rung / "1.m4s")
    source.write_bytes(b"".join(file.read_bytes() for file in files))
    workspace = make_workspace(source, folder / f"out-{span.start_s}")

    found = []
    for path in transcoder.frames(workspace, span):
        assert path.parent == workspace.folder.resolve()
        with Image.open(path) as image:
            assert image.format == "JPEG"
            assert image.size == (span.width_px, span.height_px)
            pixel = image.convert("RGB").getpixel((20, 20))
        assert isinstance(pixel, tuple)
        found.append(pixel)
    return found


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("start_s", "count", "seconds"),
    [
        (4.5, 8, [4, 4, 5, 5, 5, 5, 6, 6]),
        # Behind the end there are none.
        (7.5, 8, [7, 7]),
        (7.959, 1, [7]),
    ],
)
def test_frames_are_evenly_spaced_over_several_segments(  # noqa: PLR0913, PLR0917 - fixtures and cases
    transcoder: Transcoder,
    encode: Encode,
    colours: Path,
    tmp_path: Path,
    start_s: float,
    count: int,
    seconds: list[int],
) -> None:
    made = encode(colours)
    span = FrameSpan(
        start_s=start_s, count=count, frames_per_s=4, width_px=64, height_px=36
    )

    found = frames(transcoder, made, tmp_path, span)

    assert len(found) == len(seconds)
    for pixel, second in zip(found, seconds, strict=True):
        wanted = COLOURS[second]
        assert all(abs(a - b) < 16 for a, b in zip(pixel, wanted, strict=True))


def test_a_slide_that_stays_is_every_frame_of_its_part(
    transcoder: Transcoder, encode: Encode, colours: Path, tmp_path: Path
) -> None:
    made = encode(colours, max_frame_rate=1)
    span = FrameSpan(start_s=2.5, count=8, frames_per_s=8, width_px=64, height_px=36)

    found = frames(transcoder, made, tmp_path, span)

    assert len(found) == 8


def test_frames_of_a_bright_picture_are_brought_to_a_normal_screen(
    transcoder: Transcoder, encode: Encode, clip: Clip, tmp_path: Path
) -> None:
    made = encode(clip("hdr.mp4"), pixel_format=PixelFormat.YUV420P10B)
    shown = Image.open(made.folder / "poster.jpg").convert("RGB").resize((1, 1))
    rung = made.folder / made.done.tracks[0].name
    source = tmp_path / "segment.mp4"
    source.write_bytes((rung / "init.m4s").read_bytes() + (rung / "0.m4s").read_bytes())
    span = FrameSpan(start_s=0.1, count=2, frames_per_s=8, width_px=64, height_px=36)

    assert isinstance(transcoder, SupportsFrames)
    path = transcoder.frames(make_workspace(source, tmp_path / "out"), span)[0]

    found = Image.open(path).convert("RGB").resize((1, 1)).getpixel((0, 0))
    poster = shown.getpixel((0, 0))
    assert isinstance(found, tuple)
    assert isinstance(poster, tuple)
    assert all(abs(a - b) < 16 for a, b in zip(found, poster, strict=True))


def test_a_part_behind_the_last_frame_gives_none(
    transcoder: Transcoder, encode: Encode, colours: Path, tmp_path: Path
) -> None:
    made = encode(colours)
    span = FrameSpan(start_s=30, count=2, frames_per_s=8, width_px=64, height_px=36)

    with pytest.raises(TranscodeError) as failed:
        frames(transcoder, made, tmp_path, span)

    assert failed.value.log.startswith("no picture from 30.000 s on")
