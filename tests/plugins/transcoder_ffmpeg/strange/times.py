"""
Sources whose times are strange: uneven, jumping, negative, endless.
"""

from fractions import Fraction
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
    changed,
    made,
    picture,
)

_HOUR_S: Final = 3600


def _apart(seconds: float, count: int, *options: str) -> Make:
    """
    Return what makes a video with a picture every so many seconds.
    """
    chain = f"setpts=N*{seconds}/TB"
    every = ["-vf", chain, "-fps_mode", "passthrough", "-frames:v", str(count)]
    size = ["-f", "lavfi", "-i", f"testsrc2=size=160x90:rate=25:duration={count}"]
    # A tiny clock has no room for long times, a fine one has for short ones.
    return made(*size, *every, *X264, "-g", "50", *(options or ()))


def _rate(rate: str, seconds: float) -> Make:
    return made(*picture(rate=rate, seconds=seconds), *X264)


def _times(expression: str, seconds: float = 2) -> Make:
    """
    Return what makes a video and then moves its packets about.

    Args:
        expression: In milliseconds, the clock of Matroska.
    """
    plain = [*picture(seconds=seconds), *X264, "-bf", "0"]
    return made(*plain, "-bsf:v", f"setts={expression}")  # codespell:ignore setts


def _again(*options: str, source: tuple[str, ...] = (), seconds: float = 2) -> Make:
    """
    Return what makes a plain video and copies it with some options.
    """

    def make(path: Path) -> None:
        first = path.with_name(f"{path.stem}-first.mp4")
        sound = tone(seconds)
        ffmpeg(*picture(seconds=seconds), *sound, *X264, "-g", "25", *AAC, first)
        ffmpeg(*source, "-i", first, "-c", "copy", *options, path)

    return make


def _behind_each_other(*codecs: str, times: int = 1) -> Make:
    """
    Return what makes one recording of 0.8 s and one of 1.2 s behind it, so many times.
    """

    def make(path: Path) -> None:
        parts = [path.with_name(f"part-{n}{path.suffix}") for n in range(2)]
        for part, seconds in zip(parts, (0.8, 1.2), strict=True):
            ffmpeg(*picture(seconds=seconds), *tone(seconds), *codecs, part)
        path.write_bytes(b"".join(part.read_bytes() for part in parts) * times)

    return make


def _clock_of_nothing(data: bytearray) -> None:
    at = data.index(b"mdhd") + 4 + 12
    data[at : at + 4] = bytes(4)


def _edit(seconds: int, media_time: int, rate: int = 0x10000) -> Make:
    def change(data: bytearray) -> None:
        at = data.index(b"elst") + 4 + 8
        values = (seconds * 1000, media_time & 0xFFFFFFFF, rate)
        data[at : at + 12] = b"".join(n.to_bytes(4, "big") for n in values)

    return changed(made(*picture(seconds=2), *X264), change)


_SOUND: Final = ((1, ""),)

TIMES: Final = (
    Strange(
        name="screen-recording.mkv",
        make=made(
            *picture(rate="60", seconds=4),
            *["-vf", "select='not(mod(n,60))+between(n,120,150)'"],
            *["-fps_mode", "vfr", *X264],
        ),
        expected=Ready(duration_s=3.02, within_s=0.1, frame_rate=Fraction(12)),
    ),
    Strange(
        name="gaps-of-9-s.mkv",
        make=_apart(9, 3),
        expected=Ready(duration_s=19, frame_rate=Fraction(1)),
    ),
    Strange(
        name="gap-of-11-s.mkv",
        make=_apart(11, 2),
        expected=Ready(duration_s=12, frame_rate=Fraction(1)),
    ),
    Strange(
        name="one-a-second.mp4",
        make=_rate("1", 3),
        expected=Ready(duration_s=3, frame_rate=Fraction(1)),
    ),
    Strange(
        name="one-in-five-seconds.mp4",
        make=_rate("1/5", 15),
        expected=Ready(duration_s=15, frame_rate=Fraction(1)),
    ),
    Strange(
        name="240-a-second.mp4",
        make=_rate("240", 0.5),
        expected=Ready(duration_s=0.5, frame_rate=Fraction(60)),
    ),
    Strange(
        name="500-a-second.mp4",
        make=_rate("500", 0.5),
        expected=Refused(reason="500 pictures a second; at most 240"),
    ),
    Strange(
        name="one-picture.mp4",
        make=_rate("25", 0.04),
        expected=Ready(duration_s=0.04, within_s=0.01),
    ),
    Strange(
        name="one-picture-with-sound.mp4",
        make=made(*picture(seconds=0.04), *tone(1), *X264, *AAC),
        expected=Ready(duration_s=0.04, within_s=0.01, sound=_SOUND),
    ),
    Strange(
        name="two-pictures.webm",
        make=made(*picture(seconds=0.08), "-c:v", "libvpx"),
        expected=Ready(duration_s=0.08, within_s=0.01),
    ),
    Strange(
        name="a-tenth-of-a-second.mp4",
        make=made(*picture(rate="30", seconds=0.1), *tone(0.1), *X264, *AAC),
        expected=Ready(
            duration_s=0.1, within_s=0.01, frame_rate=Fraction(30), sound=_SOUND
        ),
    ),
    Strange(
        name="begins-below-zero.mkv",
        make=_again("-output_ts_offset", "-1", "-avoid_negative_ts", "disabled"),
        expected=Ready(duration_s=2, sound=_SOUND),
    ),
    Strange(
        name="begins-after-a-day.mkv",
        make=_again("-output_ts_offset", "100000"),
        expected=Ready(duration_s=2, sound=_SOUND),
    ),
    Strange(
        name="begins-after-a-day.mp4",
        make=_again("-output_ts_offset", "100000"),
        expected=Ready(duration_s=2, sound=_SOUND),
    ),
    Strange(
        name="beginning-cut-away.mp4",
        make=_again(source=("-ss", "0.5")),
        expected=Ready(duration_s=1.5, within_s=0.1, sound=_SOUND),
    ),
    Strange(
        name="beginning-cut-away-and-ignored.mkv",
        make=_again(source=("-ss", "1.2")),
        expected=Ready(duration_s=1, within_s=0.1, sound=_SOUND),
    ),
    Strange(
        name="empty-edit.mp4",
        make=made(
            *["-itsoffset", "0.5", *picture()],
            *tone(1.5),
            *[*X264, *AAC],
        ),
        expected=Ready(duration_s=1.5, sound=_SOUND),
    ),
    Strange(
        name="edit-of-the-end.mp4",
        make=_edit(1, 12800),
        expected=Ready(duration_s=1, within_s=0.1),
    ),
    Strange(
        name="edit-beyond-the-end.mp4",
        make=_edit(2, 12800 * 100),
        expected=Refused(reason="video track without pictures"),
    ),
    Strange(
        name="edit-at-half-speed.mp4",
        make=_edit(2, 0, 0x8000),
        expected=Ready(duration_s=2),
    ),
    Strange(
        name="jump-forward.mkv",
        make=_times("pts='PTS+gte(N,25)*5000':dts='DTS+gte(N,25)*5000'"),
        expected=Ready(duration_s=7, within_s=0.1),
    ),
    Strange(
        name="jump-of-an-hour.mkv",
        make=_times("pts='PTS+gte(N,25)*3600000':dts='DTS+gte(N,25)*3600000'"),
        expected=Ready(duration_s=3602, within_s=0.5, frame_rate=Fraction(1)),
    ),
    Strange(
        name="jump-back.mkv",
        make=_times("ts='PTS-gte(N,25)*800'"),
        expected=Ready(duration_s=1.2, within_s=0.1, frame_rate=Fraction(48)),
    ),
    Strange(
        name="recordings-behind-each-other.webm",
        make=_behind_each_other("-c:v", "libvpx", "-c:a", "libopus"),
        expected=Ready(duration_s=2, within_s=0.1, sound=_SOUND),
    ),
    Strange(
        name="more-recordings-than-are-found.mkv",
        make=_behind_each_other(*X264, *AAC, times=2),
        expected=Ready(
            duration_s=2, within_s=0.1, sound=_SOUND, warns="not all of them can be"
        ),
    ),
    Strange(
        name="recordings-behind-each-other.mkv",
        make=_behind_each_other(*X264, *AAC),
        expected=Ready(duration_s=2, within_s=0.1, sound=_SOUND),
    ),
    Strange(
        name="recordings-behind-each-other.avi",
        make=_behind_each_other("-c:v", "mpeg4", "-c:a", "mp3"),
        expected=Ready(duration_s=2, within_s=0.1, sound=_SOUND),
    ),
    Strange(
        name="recordings-behind-each-other.mp4",
        make=_behind_each_other(*X264, *AAC),
        expected=Ready(
            duration_s=0.8, sound=_SOUND, warns="not all of them can be shown"
        ),
    ),
    Strange(
        name="picture-half-a-minute-after-the-sound.mkv",
        make=made("-itsoffset", "30", *picture(), *tone(32), *X264, *AAC),
        expected=Ready(duration_s=31, sound=_SOUND),
    ),
    Strange(
        name="every-time-twice.mkv",
        make=_times("ts='floor(N/2)*80'"),
        expected=Ready(duration_s=2, within_s=0.1, frame_rate=Fraction(30000, 1001)),
    ),
    Strange(
        name="all-at-once.mkv",
        make=_times("ts=0"),
        expected=Ready(duration_s=0.04, within_s=0.02),
    ),
    Strange(
        name="packets-without-length.mp4",
        make=_times("duration=0:ts=PTS"),
        expected=Ready(duration_s=2),
    ),
    Strange(
        name="fine-clock.mp4",
        make=_again("-video_track_timescale", "2000000000"),
        expected=Ready(duration_s=2, sound=_SOUND),
    ),
    Strange(
        name="coarse-clock.mp4",
        make=_again("-video_track_timescale", "7"),
        # 50 pictures on a clock of seven a second last seven seconds.
        expected=Ready(duration_s=7, frame_rate=Fraction(7), sound=_SOUND),
    ),
    Strange(
        name="clock-of-nothing.mp4",
        make=changed(made(*picture(seconds=2), *X264), _clock_of_nothing),
        expected=Ready(duration_s=2, frame_rate=Fraction(1)),
    ),
    Strange(
        name="twelve-hours.mkv",
        make=_apart(9, 12 * _HOUR_S // 9),
        expected=Ready(duration_s=12 * _HOUR_S, within_s=11, frame_rate=Fraction(1)),
    ),
    Strange(
        name="thirteen-hours.mkv",
        make=_apart(9, 13 * _HOUR_S // 9),
        expected=Refused(reason="longer than 12 hours"),
    ),
)
