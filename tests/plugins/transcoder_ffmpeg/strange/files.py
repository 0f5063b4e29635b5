"""
Files that are no videos, or have no pictures.
"""

import io
import zipfile
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import tone
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    AAC,
    SRT,
    X264,
    Refused,
    Strange,
    contains,
    made,
    picture,
    with_text,
)

_NO_VIDEO_FILE: Final = Refused(reason="not a video in a supported format")


def _zip(path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("holiday.mp4", b"\0" * 100)
    path.write_bytes(content.getvalue())


OTHERS: Final = (
    Strange(name="empty.mp4", make=contains(b""), expected=Refused(reason="empty")),
    Strange(
        name="diary.mp4", make=contains(b"Dear diary,\n" * 99), expected=_NO_VIDEO_FILE
    ),
    Strange(
        name="page.mp4",
        make=contains(b"<!DOCTYPE html><title>Sign in</title>" + b" " * 500),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(name="archive.mp4", make=_zip, expected=_NO_VIDEO_FILE),
    Strange(
        name="playlist.mp4",
        make=contains(b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n"),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(
        name="list.mp4",
        make=contains(b"ffconcat version 1.0\nfile /etc/passwd\n"),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(
        name="photo.mp4",
        make=made(*picture(seconds=0.04), "-f", "mjpeg"),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(
        name="photo-of-a-phone.mp4",
        make=made(
            *picture("64x64", seconds=0.04),
            "-c:v",
            "libaom-av1",
            "-cpu-used",
            "8",
            *["-still-picture", "1", "-f", "avif"],
        ),
        expected=Refused(reason="is a picture"),
    ),
    Strange(
        name="animation.mp4",
        make=made(*picture(seconds=0.2), "-f", "gif"),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(
        name="sound.mp4", make=made(*tone(1), "-f", "wav"), expected=_NO_VIDEO_FILE
    ),
    Strange(
        name="broadcast.mp4",
        make=made(*picture(seconds=0.2), *X264, "-f", "mpegts"),
        expected=_NO_VIDEO_FILE,
    ),
    Strange(
        name="song.mp4",
        make=made(
            *tone(1),
            *picture("64x64", seconds=0.04),
            "-map",
            "0",
            "-map",
            "1",
            *[*AAC, "-c:v", "mjpeg", "-disposition:v", "attached_pic"],
        ),
        expected=Refused(reason="The file has no video, only audio"),
    ),
    Strange(
        name="song.webm",
        make=made(*tone(1), "-c:a", "libopus"),
        expected=Refused(reason="The file has no video, only audio"),
    ),
    Strange(
        name="words.mkv",
        make=with_text("words.srt", SRT, "-map", "0", "-c:s", "srt", inputs=()),
        expected=Refused(reason="The file has no video"),
    ),
)
