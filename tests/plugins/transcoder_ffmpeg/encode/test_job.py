"""
What comes out, looked at with ffprobe and ffmpeg.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from hvcore.plugin_api import (
    AudioCodec,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
    Track,
    UnusableSourceError,
)
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import Encoded
from tests.plugins.transcoder_ffmpeg.playing import (
    brightness,
    complaints,
    joined,
    packets,
    picture,
    samples,
    stream,
)

pytestmark = pytest.mark.services

Clip = Callable[[str], Path]
Encode = Callable[..., Encoded]

_FAST = ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]


def _track(made: Encoded, name: str) -> Track:
    (found,) = [track for track in made.done.tracks if track.name == name]
    return found


def _first(made: Encoded) -> Path:
    return joined(made.folder, made.done.tracks[0])


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("preset", "size", "keys"),
    [
        (Preset.STANDARD, "1280x720", ["360p", "480p", "720p"]),
        (Preset.HIGH, "1920x1080", ["480p", "720p", "1080p"]),
        (Preset.ULTRA, "3840x2160", ["720p", "1080p", "1440p", "2160p"]),
    ],
)
def test_every_preset_makes_its_whole_ladder(
    preset: Preset, size: str, keys: list[str], tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    ffmpeg(*pattern(size, "10", 0.5), *tone(0.5), *_FAST, source)

    made = encode(source, preset=preset, speed=Speed.ULTRAFAST)

    video = [f"video/{key}" for key in keys]
    assert [track.name for track in made.done.tracks] == [*video, "audio"]
    for rung, track in zip(made.order.ladder.rungs, made.done.tracks, strict=False):
        path = joined(made.folder, track)
        found = stream(path)
        assert track.rung == rung
        assert (found["width"], found["height"]) == (rung.width_px, rung.height_px)
        assert found["color_space"] == found["color_primaries"] == "bt709"
        assert complaints(path) == ""
    with Image.open(made.folder / "poster.jpg") as poster:
        assert max(poster.size) == min(1920, made.info.video.width_px)


def test_segments_begin_alike_and_with_key_frames_at_29_97(
    tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    ffmpeg(*pattern("640x480", "30000/1001", 13), *tone(13), *_FAST, source)

    made = encode(source, speed=Speed.ULTRAFAST)

    frame = Fraction(1001, 30000)
    lasts = [float(180 * frame), float(180 * frame), pytest.approx(30 / 29.97, abs=0.1)]
    rungs = [track for track in made.done.tracks if track.rung]
    assert len(rungs) == 2
    for track in rungs:
        assert [segment.duration_s for segment in track.segments] == lasts
        found = packets(joined(made.folder, track))
        keys = [n for n, packet in enumerate(found) if "K" in packet["flags"]]
        assert keys == [0, 180, 360]
        assert float(found[0]["pts_time"]) == 0
        assert complaints(joined(made.folder, track)) == ""
    assert complaints(joined(made.folder, _track(made, "audio"))) == ""


def test_files_are_measured_and_nothing_else_is_left(
    clip: Clip, encode: Encode
) -> None:
    made = encode(clip("plain.mp4"))

    expected = {"poster.jpg"}
    for track in made.done.tracks:
        files = {"init": track.init} | {str(s.number): s.file for s in track.segments}
        for name, file in files.items():
            content = (made.folder / track.name / f"{name}.m4s").read_bytes()
            assert file.size_bytes == len(content)
            assert file.sha256 == hashlib.sha256(content).hexdigest()
            expected.add(f"{track.name}/{name}.m4s")
    present = {
        str(path.relative_to(made.folder))
        for path in made.folder.rglob("*")
        if path.is_file()
    }
    assert present == expected


def test_progress_rises_to_the_end(clip: Clip, encode: Encode) -> None:
    made = encode(clip("plain.mp4"))

    assert made.reports == sorted(made.reports)
    assert made.reports[-1] == 1.0
    assert all(0 <= report <= 1 for report in made.reports)


def test_the_owners_names_are_not_published(tmp_path: Path, encode: Encode) -> None:
    source = tmp_path / "source.mp4"
    names = ["-metadata", "title=Grandmother", "-metadata:s:a:0", "title=Grandmother"]
    names += ["-metadata:s:v:0", "handler_name=Grandmother", *_FAST]
    ffmpeg(*pattern("160x90", "25", 0.2), *tone(0.2), *names, source)

    made = encode(source)

    written = list(made.folder.rglob("*.m4s"))
    assert len(written) == 4
    assert not [path for path in written if b"Grandmother" in path.read_bytes()]


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("wanted", "codecs", "made_as"),
    [
        (PixelFormat.YUV420P, "avc1.64", "yuv420p"),
        (PixelFormat.YUV422P, "avc1.7A", "yuv422p"),
        (PixelFormat.YUV420P10B, "avc1.6E", "yuv420p10le"),
        (PixelFormat.YUV444P10B, "avc1.F4", "yuv444p10le"),
        (PixelFormat.YUV420P12B, "hvc1.4.", "yuv420p12le"),
        (PixelFormat.YUV422P12B, "hvc1.4.", "yuv422p12le"),
    ],
)
def test_a_pixel_format_is_made_as_asked(
    wanted: PixelFormat, codecs: str, made_as: str, clip: Clip, encode: Encode
) -> None:
    made = encode(clip("silent.mp4"), pixel_format=wanted)

    found = stream(_first(made))
    assert made.done.tracks[0].codecs.startswith(codecs)
    assert found["pix_fmt"] == made_as
    assert found["codec_tag_string"] == codecs[:4]
    assert complaints(_first(made)) == ""


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("wanted", "codecs"),
    [
        (AudioCodec.AAC, ["mp4a.40.2"]),
        (AudioCodec.MP3, ["mp4a.6B", "mp4a.40.2"]),
        (AudioCodec.AC3, ["ac-3", "mp4a.40.2"]),
        (AudioCodec.EAC3, ["ec-3", "mp4a.40.2"]),
    ],
)
def test_an_audio_codec_is_made_with_its_company(
    wanted: AudioCodec, codecs: list[str], clip: Clip, encode: Encode
) -> None:
    made = encode(clip("plain.mp4"), audio_codec=wanted)

    audio = [track for track in made.done.tracks if track.audio]
    assert [track.codecs for track in audio] == codecs
    assert [track.audio for track in audio] == list(made.order.ladder.audio)
    for track in audio:
        length_s = sum(segment.duration_s for segment in track.segments)
        assert length_s == pytest.approx(made.info.duration_s, abs=0.05)
        assert complaints(joined(made.folder, track)) == ""


def test_each_language_is_a_rendition(clip: Clip, encode: Encode) -> None:
    made = encode(clip("two-languages.mp4"))

    audio = [track.audio for track in made.done.tracks if track.audio]
    assert [(one.name, one.language) for one in audio] == [
        ("audio", "deu"),
        ("audio-1", "eng"),
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize("two_pass", [False, True])
@pytest.mark.parametrize("pixel_format", [PixelFormat.YUV420P, PixelFormat.YUV420P12B])
def test_a_variable_rate_meets_its_target(
    *, two_pass: bool, pixel_format: PixelFormat, tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    grain = ["-vf", "noise=all_strength=40:all_flags=t"]
    noisy = [*pattern("320x180", "25", 4), *grain, *_FAST]
    ffmpeg(*noisy, source)

    made = encode(
        source, two_pass=two_pass, pixel_format=pixel_format, speed=Speed.ULTRAFAST
    )

    (track,) = made.done.tracks
    kbps = sum(s.file.size_bytes for s in track.segments) * 8 / 1000 / 4
    assert kbps == pytest.approx(500, rel=0.25)
    assert not list(made.folder.glob(".*"))


def test_a_constant_rate_is_kept_even_by_a_still_picture(
    tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    still = "color=gray:size=320x180:rate=25:duration=8"
    ffmpeg("-f", "lavfi", "-i", still, *_FAST, source)

    made = encode(source, rate_control=RateControl.CONSTANT)

    (track,) = made.done.tracks
    kbps = [s.file.size_bytes * 8 / 1000 / s.duration_s for s in track.segments]
    assert kbps == [pytest.approx(500, rel=0.1)] * 2
    assert complaints(_first(made)) == ""


def test_the_slowest_speed_is_known_to_the_encoder(clip: Clip, encode: Encode) -> None:
    made = encode(clip("one-frame.mp4"), speed=Speed.ULTRASLOW)

    assert made.done.tracks[0].codecs.startswith("avc1.64")


def test_a_turned_video_is_upright(clip: Clip, encode: Encode) -> None:
    made = encode(clip("turned.mp4"))

    found = stream(_first(made))
    assert (found["width"], found["height"]) == (180, 320)
    assert "side_data_list" not in found


def test_a_portrait_keeps_its_shape(clip: Clip, encode: Encode) -> None:
    made = encode(clip("portrait.mp4"))

    assert made.done.tracks[0].name == "video/180p"
    assert stream(_first(made))["height"] == 320


def test_oblong_pixels_become_square(clip: Clip, encode: Encode) -> None:
    made = encode(clip("anamorphic.mp4"))

    found = stream(_first(made))
    assert (found["width"], found["height"]) == (524, 288)
    assert found["sample_aspect_ratio"] == "1:1"


def test_odd_sizes_become_even(clip: Clip, encode: Encode) -> None:
    made = encode(clip("odd.mkv"))

    found = stream(_first(made))
    assert (found["width"], found["height"]) == (160, 120)


def test_one_picture_is_a_video_with_a_poster(clip: Clip, encode: Encode) -> None:
    made = encode(clip("one-frame.mp4"))

    assert len(packets(_first(made))) == 1
    assert made.done.poster == "poster.jpg"
    with Image.open(made.folder / "poster.jpg") as poster:
        assert poster.size == (160, 90)


def test_a_variable_rate_becomes_constant(clip: Clip, encode: Encode) -> None:
    made = encode(clip("uneven.mp4"))

    times = sorted(float(packet["pts_time"]) for packet in packets(_first(made)))
    steps = [after - before for before, after in pairwise(times)]
    assert steps == [pytest.approx(1 / 30, abs=1e-4)] * len(steps)


def test_a_change_of_size_in_the_middle_is_followed(clip: Clip, encode: Encode) -> None:
    made = encode(clip("changes-size.webm"))

    (track,) = made.done.tracks
    assert sum(s.duration_s for s in track.segments) == pytest.approx(2, abs=0.05)
    assert complaints(_first(made)) == ""


def test_high_dynamic_range_is_mapped_to_a_normal_screen(
    clip: Clip, encode: Encode
) -> None:
    made = encode(clip("hdr.mp4"))

    found = stream(_first(made))
    assert found["color_transfer"] == found["color_space"] == "bt709"


def test_high_dynamic_range_is_kept_in_ten_bits(clip: Clip, encode: Encode) -> None:
    made = encode(clip("hdr.mp4"), pixel_format=PixelFormat.AUTO_DETECT)

    found = stream(_first(made))
    assert found["pix_fmt"] == "yuv420p10le"
    assert found["color_transfer"] == "smpte2084"
    assert found["color_space"] == "bt2020nc"


def test_fields_become_frames(clip: Clip, encode: Encode) -> None:
    made = encode(clip("interlaced.mp4"))

    assert stream(_first(made)).get("field_order", "progressive") == "progressive"


@pytest.mark.cases(2)
@pytest.mark.parametrize("size", ["320x180", "1280x720"])
@pytest.mark.parametrize("matrix", ["bt709", "smpte170m"])
def test_colours_stay_what_they_were(
    size: str, matrix: str, tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    red = f"color=0xd02040:size={size}:rate=5:duration=0.4"
    tagged = ["-vf", f"scale=out_color_matrix={matrix}", "-colorspace", matrix]
    ffmpeg("-f", "lavfi", "-i", red, *tagged, *_FAST, source)

    made = encode(source)

    assert picture(_first(made)) == pytest.approx((0xD0, 0x20, 0x40), abs=6)
    with Image.open(made.folder / "poster.jpg") as poster:
        assert poster.getpixel((9, 9)) == pytest.approx((0xD0, 0x20, 0x40), abs=8)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "numbers",
    [
        # A rung of 720 lines passes such pictures on as they are, but not these.
        pytest.param(
            [
                *("-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuv420p"),
                *("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"),
                *("-colorspace", "bt709", "-color_range", "pc"),
            ],
            id="full range",
        ),
        pytest.param(["-c:v", "libx264rgb", "-preset", "ultrafast"], id="RGB"),
    ],
)
def test_other_numbers_become_the_usual_ones(
    numbers: list[str], tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    red = "color=0xd02040:size=1280x720:rate=5:duration=0.4"
    ffmpeg("-f", "lavfi", "-i", red, *numbers, source)

    made = encode(source)

    track = next(t for t in made.done.tracks if t.name == "video/720p")
    found = picture(joined(made.folder, track))
    assert found == pytest.approx((0xD0, 0x20, 0x40), abs=6)


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["flash-and-beep.mp4", "late-sound.mkv"])
@pytest.mark.parametrize("codec", [AudioCodec.AAC, AudioCodec.AC3])
def test_picture_and_sound_are_in_step(
    name: str, codec: AudioCodec, clip: Clip, encode: Encode
) -> None:
    made = encode(clip(name), audio_codec=codec)

    flash = next(n for n, light in enumerate(brightness(_first(made))) if light > 128)
    sound = samples(joined(made.folder, _track(made, "audio")))
    beep = next(n for n, level in enumerate(sound) if abs(level) > 1500)
    assert flash / 25 == pytest.approx(2.0, abs=0.001)
    assert beep / 48000 == pytest.approx(2.0, abs=0.008)


def test_sound_that_ends_early_is_followed_by_silence(
    tmp_path: Path, encode: Encode
) -> None:
    source = tmp_path / "source.mp4"
    ffmpeg(*pattern("160x90", "10", 8), *tone(1), *_FAST, source)

    made = encode(source)

    track = _track(made, "audio")
    assert sum(s.duration_s for s in track.segments) == pytest.approx(8, abs=0.05)


def test_what_there_is_of_a_cut_off_file_is_made(clip: Clip, encode: Encode) -> None:
    made = encode(clip("cut-off.mp4"))

    length_s = sum(s.duration_s for s in made.done.tracks[0].segments)
    assert 6 < length_s < 15
    assert "of 20 s are there" in made.done.warnings[0]
    assert complaints(_first(made)) == ""


def test_a_file_of_noise_is_refused_for_good(clip: Clip, encode: Encode) -> None:
    with pytest.raises(UnusableSourceError, match="cannot be decoded"):
        encode(clip("noise.mp4"))
