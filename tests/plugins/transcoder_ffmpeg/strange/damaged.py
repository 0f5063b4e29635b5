"""
Videos that are cut off, damaged or locked.
"""

import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import pattern, tone
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
    made,
    picture,
    with_more,
)

_UNREADABLE: Final = Refused(reason="damaged or incomplete and cannot be read")
_UNDECODABLE: Final = Refused(reason="damaged: its video cannot be decoded")
_SHORT: Final = 0.4
_SMALL: Final = Ready(duration_s=_SHORT)
_SOUND: Final = ((1, ""),)
_PLAIN: Final = made(*picture(seconds=_SHORT), *X264)
_KEY: Final = "00112233445566778899aabbccddeeff"


def _long(*options: str, sound: bool = False) -> Make:
    inputs = [*pattern("160x90", "10", 16), *(tone(16) if sound else [])]
    return made(*inputs, *X264, *(AAC if sound else ()), "-g", "20", *options)


def _cut(share: float, make: Make) -> Make:
    return changed(make, lambda data: data[: int(len(data) * share)])


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


def _dolby_vision(profile: int, entry: bytes, kind: bytes) -> Change:
    def change(data: bytearray) -> bytearray:
        kinds = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", entry)
        level = 1
        record = bytes((1, 0, profile << 1 | level >> 5, (level & 31) << 3 | 5, 0))
        _, end = box_at(data, entry, data.index(b"moov"))
        return with_more(data, kinds, end, end, kind + record.ljust(24, b"\0"))

    return change


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
