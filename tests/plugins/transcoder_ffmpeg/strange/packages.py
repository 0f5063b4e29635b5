"""
Videos that are packed strangely.
"""

from pathlib import Path
from typing import Final

import attrs

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, tone
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    AAC,
    SRT,
    X264,
    Ready,
    Refused,
    Strange,
    changed,
    made,
    picture,
    with_text,
)

_SHORT: Final = 0.4
_SMALL: Final = Ready(duration_s=_SHORT)
_SOUND: Final = ((1, ""),)
_CHAPTERS: Final = (
    ";FFMETADATA1\ntitle=Grandmother\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\n"
    "title=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=200\nEND=400\ntitle=Two\n"
)


def _without_cues(data: bytearray) -> None:
    at = data.rindex(b"\x1c\x53\xbb\x6b")
    # Four bytes that no element's name begins with; a reader looks further.
    data[at : at + 4] = b"\xec\x82\x00\x00"


def _many_tracks(path: Path) -> None:
    sounds = [word for _ in range(32) for word in ("-map", "1")]
    inputs = [*picture(seconds=0.2), *tone(0.2)]
    ffmpeg(*inputs, "-map", "0", *sounds, *X264, "-c:a", "pcm_s16le", path)


PACKAGES: Final = (
    Strange(
        name="fragments.mp4",
        make=made(
            *picture(seconds=2),
            *tone(2),
            *[*X264, "-g", "10", *AAC],
            *["-movflags", "frag_keyframe+empty_moov+default_base_moof"],
        ),
        expected=Ready(duration_s=2, sound=_SOUND),
    ),
    Strange(
        name="fragments-with-an-index.mp4",
        make=made(
            *picture(seconds=2),
            *[*X264, "-g", "10", "-movflags", "dash+frag_keyframe"],
        ),
        expected=Ready(duration_s=2),
    ),
    Strange(
        name="live.webm",
        make=made(
            *picture(),
            *tone(1),
            *["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"],
            *["-live", "1", "-f", "webm"],
        ),
        expected=Ready(sound=_SOUND),
    ),
    Strange(
        name="without-cues.mkv",
        make=changed(made(*picture(seconds=2), *X264), _without_cues),
        expected=Ready(duration_s=2),
    ),
    Strange(
        name="time-code.mov",
        make=made(*picture(seconds=_SHORT), *X264, "-timecode", "01:00:00:00"),
        expected=_SMALL,
    ),
    Strange(
        name="chapters.mp4",
        make=with_text(
            "chapters.txt",
            _CHAPTERS,
            *["-map_metadata", "1", *X264],
            inputs=tuple(picture(seconds=_SHORT)),
        ),
        expected=_SMALL,
    ),
    Strange(
        name="with-a-cover.mp4",
        make=made(
            *picture("64x64", seconds=0.04),
            *picture(seconds=_SHORT),
            *["-map", "0", "-map", "1", "-c:v:0", "mjpeg", "-c:v:1", "libx264"],
            *["-disposition:v:0", "attached_pic"],
        ),
        expected=_SMALL,
    ),
    Strange(
        name="two-pictures-the-second-is-meant.mkv",
        make=made(
            *picture("64x64", seconds=_SHORT),
            *picture(seconds=_SHORT),
            *["-map", "0", "-map", "1", *X264],
            *["-disposition:v:0", "0", "-disposition:v:1", "default"],
        ),
        expected=Ready(duration_s=_SHORT, warns="another video track (64x64)"),
    ),
    Strange(
        name="two-equals-the-second-is-meant.mkv",
        make=made(
            *picture(seconds=_SHORT, chain="negate"),
            *["-f", "lavfi", "-i", f"color=red:s=160x90:r=25:d={_SHORT}"],
            *["-map", "0", "-map", "1", *X264],
            *["-disposition:v:0", "0", "-disposition:v:1", "default"],
        ),
        expected=Ready(
            duration_s=_SHORT, warns="another video track", corner=(255, 0, 0)
        ),
    ),
    Strange(
        name="preview-first.mkv",
        make=made(
            *picture("320x180", seconds=0.04),
            *picture(seconds=1),
            *["-map", "0", "-map", "1", "-c:v:0", "mjpeg", "-c:v:1", "libx264"],
            *["-disposition:v:0", "default", "-disposition:v:1", "default"],
        ),
        expected=Ready(warns="another video track (320x180)"),
    ),
    Strange(
        name="index-in-front.mp4",
        make=made(*picture(seconds=_SHORT), *X264, "-movflags", "+faststart"),
        expected=_SMALL,
    ),
    Strange(
        name="with-subtitles.mkv",
        make=with_text(
            "words.srt",
            SRT,
            *[*X264, "-c:s", "srt"],
            inputs=tuple(picture(seconds=_SHORT)),
        ),
        expected=_SMALL,
    ),
    Strange(
        name="33-tracks.mov",
        make=_many_tracks,
        expected=Refused(reason="more than 32 tracks"),
    ),
    Strange(
        name="sound-of-another-kind.mkv",
        make=made(
            *picture(seconds=_SHORT),
            *tone(_SHORT),
            *X264,
            "-c:a",
            "wmav2",
            "-metadata:s:a:0",
            "language=eng",
        ),
        expected=Ready(duration_s=_SHORT, sound=((1, "eng"),)),
    ),
    Strange(
        name="sound-nobody-knows.mov",
        make=made(
            *picture(seconds=_SHORT), *tone(_SHORT), *X264, "-c:a", "adpcm_ima_qt"
        ),
        expected=attrs.evolve(_SMALL, warns="A track of the file"),
    ),
)
