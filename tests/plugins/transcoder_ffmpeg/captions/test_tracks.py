"""
Text tracks of sources, honest and hostile ones.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pytest

from hvcore.domain.videos.captions import Cue, read_captions
from hvcore.plugin_api import BuildContext, PartDone, SourceInfo, Transcoder
from hvcore_transcoder_ffmpeg.captions import tracks as caption_tracks
from hvcore_transcoder_ffmpeg.captions.tracks import (
    NO_TEXT,
    UNREADABLE,
    extract_captions,
)
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.machine import Machine
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from hvcore_transcoder_ffmpeg.probe.prober import Prober
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import (
    Encoded,
    make_order,
    make_workspace,
)
from tests.plugins.transcoder_ffmpeg.playing import brightness, joined

pytestmark = pytest.mark.services

ENCODE = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
SPOKEN = (
    ("00:00:00,500", "00:00:01,500", "One"),
    ("00:00:02,000", "00:00:03,250", "Two"),
)
SHOWN = [(500, 1500, "One"), (2000, 3250, "Two")]
ASS = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, Italic, Alignment
Style: Default,Arial,16,0,2
Style: Slanted,Arial,16,1,8

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:01.50,Default,,0,0,0,,{\\pos(9,9)\\p1}m 0 0 l 9 0 9 9{\\p0}
Dialogue: 0,0:00:00.50,0:00:01.50,Slanted,Bob,0,0,0,,{\\blur4}One\\N\\N{\\b1}more{\\b0}
Dialogue: 1,0:00:00.50,0:00:01.50,Slanted,Bob,0,0,0,,{\\blur0}One\\N\\N{\\b1}more{\\b0}
"""

Probe = Callable[[Path], SourceInfo]
Made = tuple[dict[str, list[tuple[int, int, str]]], tuple[str, ...]]


def srt(path: Path, cues: Sequence[tuple[str, str, str]] = SPOKEN) -> Path:
    blocks = [
        f"{number}\n{start} --> {end}\n{text}\n"
        for number, (start, end, text) in enumerate(cues, start=1)
    ]
    path.write_text("\n".join(blocks))
    return path


def subtitled(
    path: Path,
    *texts: Path,
    options: Sequence[str] = (),
    sound: Sequence[str] = (),
) -> Path:
    """
    Make 4 s of pictures with text tracks.
    """
    inputs: list[str | Path] = [*pattern("64x64", "25", 4), *sound]
    maps = ["-map", "0", *(["-map", "1"] if sound else [])]
    for number, text in enumerate(texts, start=len(maps) // 2):
        inputs += ["-i", text]
        maps += ["-map", str(number)]
    ffmpeg(*inputs, *maps, *ENCODE, *options, path)
    return path


@pytest.fixture(scope="session")
def confined(context: BuildContext) -> tuple[FfmpegEngine, Sandbox]:
    return Machine(FfmpegOptions(), context).ready()


@pytest.fixture
def extract(
    confined: tuple[FfmpegEngine, Sandbox], tmp_path: Path
) -> Callable[[Path], Made]:
    def run(source: Path) -> Made:
        workspace = make_workspace(source, tmp_path / "out")
        streams = Prober(*confined).streams(workspace)
        made = extract_captions(*confined, workspace, streams)
        texts = {
            one.source.language: [
                (cue.start_ms, cue.end_ms, cue.text)
                for cue in read(workspace.folder / one.name)
            ]
            for one in made.captions
        }
        names = {path.name for path in workspace.folder.iterdir()}
        assert names == {one.name for one in made.captions}
        return texts, made.warnings

    return run


def read(path: Path) -> list[Cue]:
    return list(read_captions(path.read_bytes(), None).cues)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.mp4", "mov_text"),
        ("a.mov", "mov_text"),
        ("a.mkv", "subrip"),
        ("a.mkv", "webvtt"),
        ("a.mkv", "ass"),
    ],
)
def test_text_tracks_of_every_format_become_captions(
    tmp_path: Path,
    probe: Probe,
    extract: Callable[[Path], Made],
    name: str,
    codec: str,
) -> None:
    options = ["-c:s", codec, "-metadata:s:s:0", "language=eng"]
    options += ["-metadata:s:s:0", "title=English", "-disposition:s:0", "forced"]
    source = subtitled(tmp_path / name, srt(tmp_path / "a.srt"), options=options)

    (track,) = probe(source).captions

    assert (track.codec, track.language) == (codec, "eng")
    if name.endswith("mkv"):
        # The others cannot say all of this.
        assert (track.title, track.is_default) == ("English", False)
        assert track.is_forced
    assert extract(source) == ({"eng": SHOWN}, ())


def test_styled_subtitles_keep_their_words(
    tmp_path: Path, extract: Callable[[Path], Made]
) -> None:
    styled = tmp_path / "a.ass"
    styled.write_text(ASS)
    source = subtitled(tmp_path / "a.mkv", styled, options=["-c:s", "copy"])

    texts, warnings = extract(source)

    assert texts == {"": [(500, 1500, "<i>One\n<b>more</b></i>")]}
    assert warnings == ()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.mkv", ["-itsoffset", "5"]),
        ("a.mp4", ["-itsoffset", "5"]),
        # An edit list leaves out the first second.
        ("a.mp4", ["-ss", "1"]),
    ],
)
def test_captions_stay_with_their_pictures_wherever_a_file_begins(
    tmp_path: Path,
    clip: Callable[[str], Path],
    encode: Callable[..., Encoded],
    name: str,
    options: list[str],
) -> None:
    early = ("00:00:00,200", "00:00:00,400", "Before the edit")
    flashed = ("00:00:02,000", "00:00:02,200", "Flash")
    text = srt(tmp_path / "a.srt", [early, flashed])
    both = tmp_path / f"both-{name}"
    inputs: list[str | Path] = ["-i", clip("flash-and-beep.mp4"), "-i", text]
    codec = ["-c", "copy", "-c:s", "mov_text" if name.endswith("mp4") else "srt"]
    ffmpeg(*inputs, "-map", "0", "-map", "1", *codec, both)
    source = tmp_path / name
    moved: list[str | Path] = [*options, "-i", both, "-map", "0", "-c", "copy"]
    ffmpeg(*moved, "-avoid_negative_ts", "disabled", source)

    made = encode(source)

    (captions,) = made.done.captions
    *_, cue = read(made.folder / captions.name)
    lights = brightness(joined(made.folder, made.done.tracks[0]))
    flash = next(number for number, light in enumerate(lights) if light > 128)
    assert cue.start_ms / 1000 == pytest.approx(flash / 25, abs=0.021)
    assert (flash / 25 > 0.9, cue.text) == (True, "Flash")


def test_a_text_from_before_the_pictures_moves_no_other(
    tmp_path: Path, extract: Callable[[Path], Made]
) -> None:
    early = (("00:00:01,000", "00:00:02,000", "Before"), *SPOKEN)
    whole = subtitled(tmp_path / "whole.mkv")
    source = tmp_path / "a.mkv"
    later: list[str | Path] = ["-itsoffset", "5", "-i", whole]
    later += ["-i", srt(tmp_path / "a.srt", early), "-itsoffset", "5"]
    later += ["-i", srt(tmp_path / "b.srt")]
    tracks = ["-map", "0", "-map", "1", "-map", "2", "-metadata:s:s:1", "language=deu"]
    ffmpeg(*later, *tracks, "-c", "copy", "-avoid_negative_ts", "disabled", source)

    assert extract(source)[0] == {"deu": SHOWN}


def test_the_part_that_makes_the_sound_makes_the_captions(
    tmp_path: Path, encode: Callable[..., Encoded]
) -> None:
    texts = [srt(tmp_path / "a.srt"), srt(tmp_path / "b.srt")]
    named = ["-c:s", "srt"]
    named += ["-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=deu"]

    made = encode(subtitled(tmp_path / "a.mkv", *texts, options=named))

    assert [one.source.language for one in made.done.captions] == ["eng", "deu"]
    for one in made.done.captions:
        assert [cue.text for cue in read(made.folder / one.name)] == ["One", "Two"]
    assert made.done.warnings == ()


def test_a_silent_video_that_is_cut_has_a_part_for_its_captions(
    tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "a.mp4"
    inputs: list[str | Path] = [*pattern("64x64", "5", 30), "-i"]
    inputs += [srt(tmp_path / "a.srt"), "-map", "0", "-map", "1"]
    ffmpeg(*inputs, *ENCODE, "-g", "10", "-c:s", "mov_text", source)
    info = transcoder.probe(make_workspace(source, tmp_path / "probe"))
    # So short a video is not asked whether it can be cut.
    order = attrs.evolve(make_order(attrs.evolve(info, is_seekable=True)), workers=2)
    parts = cut(order, Cutting(min_segments=2))
    assert len(parts) > 1
    (part,) = (part for part in parts if part.has_sound)

    done = transcoder.run(part, make_workspace(source, tmp_path / "out"))

    assert isinstance(done, PartDone)
    assert [one.name for one in done.captions] == ["captions-0.vtt"]
    assert done.tracks == ()


def test_subtitles_that_are_pictures_are_left_out_and_said_to_be(
    tmp_path: Path, probe: Probe, extract: Callable[[Path], Made]
) -> None:
    # A header that promises a track of pictures is enough.
    options = ["-c:s", "srt", "-metadata:s:s:0", "language=eng"]
    source = subtitled(tmp_path / "a.mkv", srt(tmp_path / "a.srt"), options=options)
    data = source.read_bytes()
    assert data.count(b"S_TEXT/UTF8") == 1
    source.write_bytes(data.replace(b"S_TEXT/UTF8", b"S_HDMV/PGS\0"))

    assert probe(source).captions == ()
    assert extract(source) == ({}, (NO_TEXT,))


def test_a_sound_track_that_cannot_be_opened_costs_no_captions(
    tmp_path: Path, probe: Probe, extract: Callable[[Path], Made]
) -> None:
    options = ["-c:s", "mov_text", "-metadata:s:s:0", "language=deu"]
    text = srt(tmp_path / "a.srt")
    source = subtitled(tmp_path / "a.mp4", text, options=options, sound=tone(4))
    data = bytearray(source.read_bytes())
    config = data.index(b"\x05\x80\x80\x80", data.index(b"esds")) + 5
    data[config : config + 2] = b"\xff\xff"
    source.write_bytes(data)

    info = probe(source)

    assert info.audio == ()
    assert [track.stream_index for track in info.captions] == [2]
    assert extract(source) == ({"deu": SHOWN}, ())


def test_texts_that_are_not_utf_8_are_missed_and_said_to_be(
    tmp_path: Path, extract: Callable[[Path], Made]
) -> None:
    cues = [("00:00:00,500", "00:00:01,500", "Gr@@e"), SPOKEN[1]]
    options = ["-c:s", "srt"]
    source = subtitled(
        tmp_path / "a.mkv", srt(tmp_path / "a.srt", cues), options=options
    )
    source.write_bytes(source.read_bytes().replace(b"Gr@@e", b"Gr\xfc\xdfe"))

    assert extract(source) == ({"": SHOWN[1:]}, (UNREADABLE,))


def test_a_track_without_end_is_left_out_within_bounds_and_others_stay(
    tmp_path: Path,
    extract: Callable[[Path], Made],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caption_tracks, "_MOST_BYTES", 100_000)
    cues = [(*SPOKEN[0][:2], f"Line {number}") for number in range(20_000)]
    endless = srt(tmp_path / "b.srt", cues)
    texts = [srt(tmp_path / "a.srt"), endless]
    named = ["-c:s", "srt"]
    named += ["-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=deu"]
    source = subtitled(tmp_path / "a.mkv", *texts, options=named)

    began = time.process_time()
    found = extract(source)

    assert found == ({"eng": SHOWN}, (UNREADABLE,))
    assert time.process_time() - began < 5


def test_captions_that_cannot_be_read_do_not_cost_the_video(
    tmp_path: Path,
    encode: Callable[..., Encoded],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # ffmpeg ends with an error that it would not have ended an encode with.
    monkeypatch.setattr(caption_tracks, "CAPTION_DECODERS", "none")
    source = subtitled(
        tmp_path / "a.mkv", srt(tmp_path / "a.srt"), options=["-c:s", "srt"]
    )

    made = encode(source)

    assert made.done.captions == ()
    assert made.done.warnings == (UNREADABLE,)
    assert made.done.tracks
    assert not [*made.folder.glob("*captions*")]
