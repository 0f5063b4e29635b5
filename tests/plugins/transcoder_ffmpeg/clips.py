"""
Small sources, made by ffmpeg itself.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

_ENCODE: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")


def pattern(size: str, rate: str, seconds: float) -> list[str]:
    """
    Return ffmpeg's arguments for a moving test picture.
    """
    return ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration={seconds}"]


def tone(seconds: float, hertz: int = 440) -> list[str]:
    """
    Return ffmpeg's arguments for a tone.
    """
    return ["-f", "lavfi", "-i", f"sine=frequency={hertz}:duration={seconds}"]


def ffmpeg(*arguments: str | Path) -> None:
    """
    Run ffmpeg, which has to succeed.
    """
    subprocess.run(
        ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y", *arguments],
        check=True,
    )


def turned(path: Path) -> None:
    """
    Write a rotation by 90 degrees into the display matrix of an mp4's video.
    """
    data = bytearray(path.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 40
    quarter = (0, 1 << 16, 0, 0xFFFF0000, 0, 0, 0, 0, 1 << 30)
    data[matrix : matrix + 36] = b"".join(n.to_bytes(4, "big") for n in quarter)
    path.write_bytes(data)


def _plain(path: Path) -> None:
    ffmpeg(*pattern("320x180", "25", 2), *tone(2), *_ENCODE, "-shortest", path)


def two_segments(path: Path) -> None:
    """
    Make a clip that is longer than a segment.
    """
    ffmpeg(*pattern("320x180", "25", 8), *tone(8), *_ENCODE, "-shortest", path)


def _silent(path: Path) -> None:
    ffmpeg(*pattern("320x180", "25", 2), *_ENCODE, path)


def _turned(path: Path) -> None:
    _silent(path)
    turned(path)


def _anamorphic(path: Path) -> None:
    pixels = ["-vf", "setsar=16/11"]
    ffmpeg(*pattern("360x288", "25", 1), *pixels, *_ENCODE, path)


def _odd(path: Path) -> None:
    exact = ["-pix_fmt", "yuv444p"]
    ffmpeg(*pattern("161x121", "25", 1), *exact, *_ENCODE, path)


def _portrait(path: Path) -> None:
    ffmpeg(*pattern("180x320", "25", 1), *_ENCODE, path)


def _one_frame(path: Path) -> None:
    ffmpeg(*pattern("160x90", "25", 1), "-frames:v", "1", *_ENCODE, path)


def _uneven(path: Path) -> None:
    # Ten pictures on a clock of 30 a second, then one of seven, and so on.
    keep = "select='lt(mod(n,40),10)+not(mod(n,7))'"
    times = ["-vf", keep, "-fps_mode", "vfr"]
    ffmpeg(*pattern("160x90", "30", 6), *times, *_ENCODE, path)


def _two_languages(path: Path) -> None:
    tracks = ["-map", "0", "-map", "1", "-map", "2"]
    tracks += ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"]
    tracks += ["-disposition:a:0", "0", "-disposition:a:1", "default"]
    sound = [*tone(1), *tone(1, 880)]
    ffmpeg(*pattern("160x90", "25", 1), *sound, *tracks, *_ENCODE, path)


def _hdr(path: Path) -> None:
    colour = ["-color_primaries", "bt2020", "-color_trc", "smpte2084"]
    colour += ["-colorspace", "bt2020nc", "-pix_fmt", "yuv420p10le"]
    ffmpeg(*pattern("160x90", "25", 1), *_ENCODE, *colour, path)


def _interlaced(path: Path) -> None:
    fields = ["-vf", "interlace", "-flags", "+ilme+ildct"]
    ffmpeg(*pattern("160x96", "50", 1), *fields, *_ENCODE, path)


def _only_sound(path: Path) -> None:
    ffmpeg(*tone(1), "-c:a", "aac", path)


def _cover_picture(path: Path) -> None:
    cover = ["-map", "0", "-map", "1", "-c:a", "aac", "-c:v", "mjpeg"]
    cover += ["-frames:v", "1", "-disposition:v", "attached_pic"]
    ffmpeg(*tone(1), *pattern("160x90", "25", 1), *cover, path)


def _cut_off(path: Path) -> None:
    whole = ["-movflags", "+faststart", *_ENCODE]
    ffmpeg(*pattern("160x90", "10", 20), *whole, path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size * 6 // 10)


def _hardly_begun(path: Path) -> None:
    _cut_off(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 12)


def _no_index(path: Path) -> None:
    _plain(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _noise(path: Path) -> None:
    _silent(path)
    data = path.read_bytes()
    at = data.index(b"mdat") + 4
    end = data.index(b"moov") - 4
    noise = bytes(range(256)) * ((end - at) // 256 + 1)
    path.write_bytes(data[:at] + noise[: end - at] + data[end:])


def _long_gap(path: Path) -> None:
    times = ["-vf", "setpts=N*36000/TB", "-frames:v", "2", "-fps_mode", "passthrough"]
    ffmpeg(*pattern("160x90", "25", 1), *times, *_ENCODE, path)


def _no_channels(path: Path) -> None:
    _plain(path)
    data = bytearray(path.read_bytes())
    config = data.index(b"\x05\x80\x80\x80", data.index(b"esds")) + 5
    data[config : config + 2] = b"\xff\xff"
    path.write_bytes(data)


def _changes_size(path: Path) -> None:
    # Without a container of its own, one stream can follow another.
    parts = [path.with_name(f"part-{number}.webm") for number in range(2)]
    for part, size in zip(parts, ("160x90", "320x180"), strict=True):
        ffmpeg(*pattern(size, "25", 1), "-c:v", "libvpx", "-b:v", "200k", part)
    listing = path.with_name("parts.txt")
    listing.write_text("".join(f"file '{part}'\n" for part in parts))
    ffmpeg("-f", "concat", "-safe", "0", "-i", listing, "-c", "copy", path)


def _flash_and_beep(path: Path) -> None:
    black = "color=black:size=160x90:rate=25:duration=4"
    flash = "drawbox=color=white:thickness=fill:enable='between(t,2,2.2)'"
    beep = "aevalsrc='between(t,2,2.2)*sin(2*PI*1000*t)':duration=4:sample_rate=44100"
    inputs = ["-f", "lavfi", "-i", f"{black},{flash}", "-f", "lavfi", "-i", beep]
    ffmpeg(*inputs, *_ENCODE, path)


def _late_sound(path: Path) -> None:
    whole = path.with_name("whole.mp4")
    _flash_and_beep(whole)
    # The first second of the sound is cut away, the rest stays where it was.
    late: list[str | Path] = ["-i", whole, "-ss", "1", "-copyts", "-i", whole]
    ffmpeg(*late, "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "flac", path)


CLIPS: Final[dict[str, Callable[[Path], None]]] = {
    "plain.mp4": _plain,
    "silent.mp4": _silent,
    "turned.mp4": _turned,
    "anamorphic.mp4": _anamorphic,
    "odd.mkv": _odd,
    "portrait.mp4": _portrait,
    "one-frame.mp4": _one_frame,
    "uneven.mp4": _uneven,
    "two-languages.mp4": _two_languages,
    "hdr.mp4": _hdr,
    "interlaced.mp4": _interlaced,
    "only-sound.mp4": _only_sound,
    "cover-picture.mp4": _cover_picture,
    "cut-off.mp4": _cut_off,
    "hardly-begun.mp4": _hardly_begun,
    "no-index.mp4": _no_index,
    "noise.mp4": _noise,
    "long-gap.mkv": _long_gap,
    "no-channels.mp4": _no_channels,
    "changes-size.webm": _changes_size,
    "flash-and-beep.mp4": _flash_and_beep,
    "late-sound.mkv": _late_sound,
}
