"""
Sources whose sound is strange: late, long, surround, in pieces.
"""

from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, tone
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    AAC,
    X264,
    Make,
    Ready,
    Refused,
    Strange,
    made,
    picture,
)
from tests.plugins.transcoder_ffmpeg.tiny_packets import tiny_packets

_SHORT: Final = 0.4
_PICTURE: Final = picture(seconds=_SHORT)
_UNEVEN: Final = Refused(reason="The sound changes its format in the middle")
_STEREO: Final = Ready(duration_s=_SHORT, sound=((2, ""),))
_MONO: Final = Ready(duration_s=_SHORT, sound=((1, ""),))


def channels(layout: str, seconds: float = _SHORT) -> list[str]:
    """
    Return ffmpeg's arguments for a tone in every channel of a layout.
    """
    names = {"mono": 1, "stereo": 2, "FL+LFE": 2, "2.1": 3, "quad": 4, "4.0": 4}
    names |= {"5.1": 6, "5.1(side)": 6, "7.1": 8, "hexadecagonal": 16}
    count = names[layout]
    tones = "|".join(f"0.5*sin({200 + 100 * n}*2*PI*t)" for n in range(count))
    return ["-f", "lavfi", "-i", f"aevalsrc='{tones}':c='{layout}':d={seconds}"]


def _layout(layout: str, *codec: str) -> Make:
    return made(*_PICTURE, *channels(layout), *X264, *(codec or ("-c:a", "flac")))


def _sound(rate: int, *codec: str) -> Make:
    source = f"sine=frequency=440:sample_rate={rate}:duration={_SHORT}"
    return made(*_PICTURE, "-f", "lavfi", "-i", source, *X264, *codec)


def _shifted(
    picture_s: float,
    sound_s: float,
    *,
    picture_at: float,
    sound_at: float,
    options: tuple[str, ...] = AAC,
) -> Make:
    inputs = ["-itsoffset", f"{picture_at}", *picture(seconds=picture_s)]
    inputs += ["-itsoffset", f"{sound_at}", *tone(sound_s)]
    return made(*inputs, *X264, *options)


def _languages(*languages: str, default: int | None = None) -> Make:
    inputs, options = [], ["-map", "0"]
    for number, language in enumerate(languages):
        inputs += tone(_SHORT, 300 + 100 * number)
        options += ["-map", f"{number + 1}", f"-metadata:s:a:{number}"]
        options += [f"language={language}"]
        chosen = "default" if number == default else "0"
        options += [f"-disposition:a:{number}", chosen]
    return made(*_PICTURE, *inputs, *options, *X264, *AAC)


def _changing(*sounds: list[str]) -> Make:
    def make(path: Path) -> None:
        parts = []
        for number, sound in enumerate(sounds):
            part = path.with_name(f"{path.stem}-{number}{path.suffix}")
            ffmpeg(*_PICTURE, *sound, *X264, part)
            parts.append(part)
        listing = path.with_name(f"{path.stem}.txt")
        listing.write_text("".join(f"file '{part}'\n" for part in parts))
        ffmpeg("-f", "concat", "-safe", "0", "-i", listing, "-c", "copy", path)

    return make


SOUNDS: Final = (
    Strange(name="mono.mkv", make=_layout("mono"), expected=_MONO),
    Strange(name="2-1.mov", make=_layout("2.1", "-c:a", "pcm_s16le"), expected=_STEREO),
    Strange(name="quad.mkv", make=_layout("quad"), expected=_STEREO),
    Strange(name="5-1.mp4", make=_layout("5.1", *AAC), expected=_STEREO),
    Strange(name="5-1-side.mkv", make=_layout("5.1(side)"), expected=_STEREO),
    Strange(name="7-1.mov", make=_layout("7.1", "-c:a", "pcm_s24le"), expected=_STEREO),
    Strange(
        name="16-channels.mov",
        make=_layout("hexadecagonal", "-c:a", "pcm_s16le"),
        expected=_STEREO,
    ),
    Strange(
        name="ambisonic.mkv",
        make=_layout("4.0", "-c:a", "libopus", "-mapping_family", "2"),
        expected=_STEREO,
    ),
    Strange(
        name="front-left-and-subwoofer.mov",
        make=_layout("FL+LFE", "-c:a", "pcm_s16le"),
        expected=_STEREO,
    ),
    Strange(
        name="wavpack.mkv",
        make=_layout("stereo", "-c:a", "wavpack"),
        expected=Ready(duration_s=_SHORT, warns="A track of the file"),
    ),
    Strange(name="8-khz.avi", make=_sound(8000, "-c:a", "pcm_u8"), expected=_MONO),
    Strange(name="11-khz.mp4", make=_sound(11025, *AAC), expected=_MONO),
    Strange(name="96-khz.mov", make=_sound(96000, "-c:a", "pcm_f32le"), expected=_MONO),
    Strange(name="192-khz.mkv", make=_sound(192000, "-c:a", "flac"), expected=_MONO),
    Strange(
        name="opus.webm",
        make=made(
            *_PICTURE,
            *tone(_SHORT),
            "-c:v",
            "libvpx",
            "-deadline",
            "realtime",
            "-c:a",
            "libopus",
        ),
        expected=_MONO,
    ),
    Strange(name="vorbis.mkv", make=_sound(44100, "-c:a", "libvorbis"), expected=_MONO),
    Strange(name="alac.mov", make=_sound(44100, "-c:a", "alac"), expected=_MONO),
    Strange(
        # Such sound begins before the pictures.
        name="mp3.avi",
        make=_sound(22050, "-c:a", "libmp3lame"),
        expected=Ready(duration_s=_SHORT, within_s=0.1, sound=((1, ""),)),
    ),
    Strange(name="ac3.mp4", make=_layout("5.1", "-c:a", "ac3"), expected=_STEREO),
    Strange(
        name="dts.mkv",
        make=_layout("5.1(side)", "-c:a", "dca", "-strict", "-2"),
        expected=_STEREO,
    ),
    Strange(
        name="truehd.mkv",
        make=made(
            *_PICTURE, *channels("stereo"), *X264, "-c:a", "truehd", "-strict", "-2"
        ),
        expected=_STEREO,
    ),
    Strange(name="adpcm.avi", make=_sound(22050, "-c:a", "adpcm_ms"), expected=_MONO),
    Strange(
        name="three-languages.mkv",
        make=_languages("eng", "deu", "jpn", default=1),
        expected=Ready(duration_s=_SHORT, sound=((1, "deu"), (1, "eng"), (1, "jpn"))),
    ),
    Strange(
        name="languages-nobody-chose.mp4",
        make=_languages("und", "fra", "x!"),
        expected=Ready(duration_s=_SHORT, sound=((1, ""), (1, "fra"), (1, ""))),
    ),
    Strange(
        name="sound-begins-later.mp4",
        make=_shifted(1, 0.5, picture_at=0, sound_at=0.5),
        expected=Ready(sound=((1, ""),)),
    ),
    Strange(
        name="sound-begins-earlier.mkv",
        make=_shifted(1, 1.5, picture_at=0.5, sound_at=0),
        expected=Ready(duration_s=1.5, within_s=0.08, sound=((1, ""),)),
    ),
    Strange(
        name="sound-ends-earlier.mp4",
        make=_shifted(1, 0.2, picture_at=0, sound_at=0),
        expected=Ready(sound=((1, ""),)),
    ),
    Strange(
        name="sound-goes-on.mp4",
        make=_shifted(1, 3, picture_at=0, sound_at=0),
        expected=Ready(sound=((1, ""),)),
    ),
    Strange(
        name="sound-begins-when-all-is-over.mkv",
        make=_shifted(1, 1, picture_at=0, sound_at=2),
        expected=Ready(sound=((1, ""),)),
    ),
    Strange(
        name="picture-begins-after-the-sound.mkv",
        make=_shifted(0.5, 0.5, picture_at=2, sound_at=0),
        expected=Ready(duration_s=2.5, within_s=0.08, sound=((1, ""),)),
    ),
    Strange(
        name="sound-of-one-packet.mp4",
        make=_shifted(1, 0.02, picture_at=0, sound_at=0),
        expected=Ready(sound=((1, ""),)),
    ),
    Strange(
        name="sound-track-without-sound.mp4",
        make=made(*picture(), *tone(1), "-af", "atrim=end=0", *X264, *AAC),
        expected=Ready(sound=()),
    ),
    Strange(
        name="sound-pauses.mkv",
        make=made(
            *picture(seconds=2),
            *tone(2),
            *["-af", "aselect='not(between(t,0.5,1.5))'", *X264, "-c:a", "libmp3lame"],
        ),
        expected=Ready(duration_s=2, sound=((1, ""),)),
    ),
    Strange(
        name="sound-changes.mkv",
        make=_changing(
            [*channels("mono"), "-c:a", "libmp3lame", "-ar", "22050"],
            [*channels("stereo"), "-c:a", "libmp3lame", "-ar", "48000"],
        ),
        expected=_UNEVEN,
    ),
    Strange(
        name="sound-in-tiny-packets.mkv",
        make=lambda path: tiny_packets(path, 100_000),
        expected=Refused(reason="A track of the file consists of more than 5,000"),
    ),
    Strange(
        name="sound-becomes-surround.mkv",
        make=_changing(
            [*channels("stereo"), "-c:a", "ac3", "-ar", "48000"],
            [*channels("5.1"), "-c:a", "ac3", "-ar", "48000"],
        ),
        expected=_UNEVEN,
    ),
)
