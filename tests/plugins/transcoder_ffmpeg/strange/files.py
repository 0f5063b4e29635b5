"""
Files that are broken, packed strangely, locked, or no videos at all.
"""

import io
import subprocess
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    AAC,
    X264,
    Change,
    Make,
    Ready,
    Refused,
    Strange,
    box_at,
    changed,
    contains,
    made,
    picture,
    with_more,
)

_NO_VIDEO_FILE: Final = Refused(reason="not a video in a supported format")
_UNREADABLE: Final = Refused(reason="damaged or incomplete and cannot be read")
_UNDECODABLE: Final = Refused(reason="damaged: its video cannot be decoded")
_SHORT: Final = 0.4
_SMALL: Final = Ready(duration_s=_SHORT)
_SOUND: Final = ((1, ""),)
_MONO: Final = Ready(duration_s=_SHORT, sound=_SOUND)
_PLAIN: Final = made(*picture(seconds=_SHORT), *X264)
_KEY: Final = "00112233445566778899aabbccddeeff"
_SRT: Final = "1\n00:00:00,000 --> 00:00:01,000\nHello.\n"
_CHAPTERS: Final = (
    ";FFMETADATA1\ntitle=Grandmother\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\n"
    "title=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=200\nEND=400\ntitle=Two\n"
)


def _long(*options: str, sound: bool = False) -> Make:
    inputs = [*pattern("160x90", "10", 16), *(tone(16) if sound else [])]
    return made(*inputs, *X264, *(AAC if sound else ()), "-g", "20", *options)


def _cut(share: float, make: Make) -> Make:
    return changed(make, lambda data: data[: int(len(data) * share)])


def _with_text(name: str, text: str, *options: str, inputs: tuple[str, ...]) -> Make:
    def make(path: Path) -> None:
        extra = path.with_name(name)
        extra.write_text(text)
        ffmpeg(*inputs, "-i", extra, *options, path)

    return make


def _holes(data: bytearray) -> None:
    """
    Overwrite a quarter of the pictures in the middle with noise.
    """
    start, end = box_at(data, b"mdat")
    middle, size = start + (end - start) // 2, (end - start) // 4
    data[middle : middle + size] = (bytes(range(1, 256)) * (size // 255 + 1))[:size]


def _undecodable_from(begin_s: float, make: Make) -> Make:
    """
    Spoil what pictures consist of, and leave their lengths and all sound.
    """

    def run(path: Path) -> None:
        make(path)
        entries = ["-select_streams", "v", "-show_entries", "packet=pts_time,size,pos"]
        probed = subprocess.run(
            ["ffprobe", "-v", "error", *entries, "-of", "csv=p=0", path],
            check=True,
            capture_output=True,
            text=True,
        )
        data = bytearray(path.read_bytes())
        for line in probed.stdout.split():
            at_s, size, at = line.split(",")[:3]
            if float(at_s) >= begin_s:
                first, end = int(at) + 5, int(at) + int(size)
                data[first:end] = b"\xff" * (end - first)
        path.write_bytes(data)

    return run


def _offsets(shift: int) -> Make:
    def change(data: bytearray) -> None:
        at = data.index(b"stco") + 8
        count = int.from_bytes(data[at : at + 4], "big")
        for entry in range(at + 4, at + 4 + 4 * count, 4):
            offset = int.from_bytes(data[entry : entry + 4], "big") + shift
            data[entry : entry + 4] = offset.to_bytes(4, "big")

    return changed(made(*picture(), *X264), change)


def _without(kind: bytes, make: Make) -> Make:
    """
    Give a box a name that nobody knows.
    """
    return changed(make, lambda data: data.replace(kind, b"skip", 1))


def _elsewhere(data: bytearray) -> bytearray:
    """
    Put a reference to a file on a disk of a Macintosh in place of "in here".
    """
    kinds = (b"moov", b"trak", b"mdia", b"minf", b"dinf", b"dref")
    at, end = box_at(data, b"url \x00\x00\x00\x01")
    path = b"/etc/passwd!"
    absolute = b"\0\x02" + len(path).to_bytes(2, "big") + path + b"\xff\xff\0\0"
    alias = b"alis" + bytes(4 + 150) + absolute  # codespell:ignore alis
    return with_more(data, kinds, at, end, alias)


def _damaged_clusters(data: bytearray) -> None:
    cluster = data.index(b"\x1f\x43\xb6\x75", len(data) // 2)
    data[cluster : cluster + 200] = bytes(200)


def _without_cues(data: bytearray) -> None:
    at = data.rindex(b"\x1c\x53\xbb\x6b")
    # Four bytes that no element's name begins with; a reader looks further.
    data[at : at + 4] = b"\xec\x82\x00\x00"


def _dolby_vision(profile: int, entry: bytes, kind: bytes) -> Change:
    def change(data: bytearray) -> bytearray:
        kinds = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", entry)
        level = 1
        record = bytes((1, 0, profile << 1 | level >> 5, (level & 31) << 3 | 5, 0))
        _, end = box_at(data, entry, data.index(b"moov"))
        return with_more(data, kinds, end, end, kind + record.ljust(24, b"\0"))

    return change


def _zip(path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("holiday.mp4", b"\0" * 100)
    path.write_bytes(content.getvalue())


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
        make=_with_text(
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
        make=_with_text(
            "words.srt",
            _SRT,
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

DAMAGED: Final = (
    Strange(
        name="index-missing.mp4",
        make=_cut(0.5, made(*picture(), *X264)),
        expected=_UNREADABLE,
    ),
    Strange(
        name="cut-off.mp4",
        make=_cut(0.6, _long("-movflags", "+faststart", sound=True)),
        expected=Ready(
            duration_s=9, within_s=2, frame_rate=10, sound=_SOUND, warns="of 16 s"
        ),
    ),
    Strange(
        name="hardly-begun.mp4",
        make=_cut(0.1, _long("-movflags", "+faststart")),
        expected=Refused(reason="The file is incomplete"),
    ),
    Strange(
        name="cut-off.mkv",
        make=_cut(0.6, _long()),
        expected=Ready(duration_s=9, within_s=2, frame_rate=10, warns="of 16 s"),
    ),
    Strange(
        name="cut-off.avi",
        make=_cut(0.6, _long("-bf", "0")),
        expected=Ready(duration_s=9, within_s=2, frame_rate=10),
    ),
    Strange(
        name="cut-off-fragments.mp4",
        make=_cut(0.6, _long("-movflags", "frag_keyframe+empty_moov")),
        expected=Ready(duration_s=9, within_s=2, frame_rate=10),
    ),
    Strange(
        name="holes.mp4",
        make=changed(_long(), _holes),
        expected=Ready(duration_s=16, within_s=0.2, frame_rate=10),
    ),
    Strange(
        name="holes.mkv",
        make=changed(_long("-cluster_time_limit", "1000"), _damaged_clusters),
        expected=Ready(duration_s=16, within_s=0.2, frame_rate=10),
    ),
    Strange(
        name="pictures-end-before-the-sound.mp4",
        make=_undecodable_from(7, _long("-bf", "0", "-g", "999", sound=True)),
        expected=Ready(
            duration_s=7,
            within_s=0.2,
            frame_rate=Fraction(10),
            sound=_SOUND,
            sound_over_s=6,
            warns="7 of 16 s",
        ),
    ),
    Strange(name="index-shifted.mp4", make=_offsets(7), expected=_UNDECODABLE),
    Strange(
        name="index-beyond-the-end.mp4",
        make=_offsets(10_000_000),
        expected=Refused(reason="without pictures"),
    ),
    Strange(
        name="no-parameters.mp4",
        make=_without(b"avcC", _PLAIN),
        expected=_UNREADABLE,
    ),
    Strange(
        name="no-samples.mp4",
        make=_without(b"stsz", _PLAIN),
        expected=Refused(reason="without pictures"),
    ),
    Strange(
        name="no-avi-index.avi",
        make=changed(
            made(*picture(seconds=_SHORT), "-c:v", "mpeg4"),
            lambda data: data[: data.rindex(b"idx1")],
        ),
        expected=_SMALL,
    ),
    Strange(
        name="only-a-header.mp4",
        make=made(
            *picture(seconds=0.04),
            *X264,
            "-frames:v",
            "0",
            "-movflags",
            "empty_moov+frag_keyframe",
        ),
        expected=Refused(reason="without pictures"),
    ),
    Strange(
        name="begins-in-the-middle.avi",
        make=made(
            *picture(seconds=2),
            "-c:v",
            "mpeg4",
            "-g",
            "20",
            *["-bsf:v", "noise=drop='lt(n,5)'"],
        ),
        expected=Ready(duration_s=1.8, within_s=0.3),
    ),
    Strange(
        name="pictures-elsewhere.mov",
        make=changed(_PLAIN, _elsewhere),
        expected=Refused(reason="other file"),
    ),
    Strange(
        name="locked.mp4",
        make=made(
            *picture(),
            *X264,
            "-encryption_scheme",
            "cenc-aes-ctr",
            *["-encryption_key", _KEY, "-encryption_kid", _KEY],
        ),
        expected=Refused(reason="encrypted"),
    ),
    Strange(
        name="dolby-vision-5.mp4",
        make=changed(
            made(
                *picture("160x96", seconds=_SHORT),
                *["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le"],
                *["-x265-params", "log-level=error", "-tag:v", "hev1"],
            ),
            _dolby_vision(5, b"hev1", b"dvcC"),
        ),
        expected=Refused(reason="Dolby Vision"),
    ),
    Strange(
        name="dolby-vision-10.mp4",
        make=changed(
            made(
                *picture("160x96", seconds=_SHORT),
                *["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "yuv420p10le"],
            ),
            _dolby_vision(10, b"av01", b"dvvC"),
        ),
        expected=Refused(reason="Dolby Vision"),
    ),
)

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
        make=_with_text("words.srt", _SRT, "-map", "0", "-c:s", "srt", inputs=()),
        expected=Refused(reason="The file has no video"),
    ),
)
