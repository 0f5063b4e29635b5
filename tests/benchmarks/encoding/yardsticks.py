"""
What our jobs are compared with: the limit, the best simple command, others.

The others' option sets follow their public sources; nothing of them runs here
but the ffmpeg of this machine.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
import psutil

from hvcore.plugin_api import Ladder, Rung
from tests.benchmarks.encoding.clips import HEIGHT_PX, RATE, WIDTH_PX
from tests.benchmarks.encoding.costs import Cost, cost_of, cost_of_command, run_command

FFMPEG: Final = ("ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y")
SEGMENT_S: Final = 6
CORES: Final = 2
"""What the limit is divided by, as the goals are written."""

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - not for the sake of a temporary file
_SPARE_BYTES: Final = 2 * 1024**3


@attrs.frozen(kw_only=True)
class Limit:
    """
    What no design can do without: one decode, and x264 for each rung.

    Attributes:
        cpu_s: By what it was spent on.
    """

    cpu_s: Mapping[str, float]

    @property
    def wall_s(self) -> float:
        """
        With every core busy all the time.
        """
        return sum(self.cpu_s.values()) / CORES


def x264_options(rung: Rung, *, share: float = 1.0) -> list[str]:
    """
    Return the encoder's options of a rung, as our own command has them.

    Args:
        share: Of the rung's bitrate.
    """
    kbps, group = round(rung.video_kbps * share), str(SEGMENT_S * RATE)
    return [
        "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high",
        "-pix_fmt", "yuv420p", "-b:v", f"{kbps}k",
        "-maxrate", f"{kbps * 3 // 2}k", "-bufsize", f"{kbps * 2}k",
        "-g", group, "-keyint_min", group, "-sc_threshold", "0",
    ]  # fmt: skip


def measure_limit(clip: Path, ladder: Ladder, *, seconds: float) -> Limit:
    """
    Measure the limit: x264 from raw pictures in memory, less reading them.

    Args:
        seconds: Of the clip.
    """
    decode = [*FFMPEG, "-i", str(clip), "-map", "0:v", "-f", "null", "-"]
    cpu_s = {"decode": cost_of_command(decode).cpu_s}
    for rung in reversed(ladder.rungs):
        with tempfile.TemporaryDirectory(prefix="hv-bench-", dir=_MEMORY) as folder:
            raw = Path(folder) / "raw"
            _require_memory(rung, seconds)
            run_command(
                [
                    *FFMPEG, "-i", str(clip), "-map", "0:v", "-vf", _scale(rung),
                    "-pix_fmt", "yuv420p", "-f", "rawvideo", str(raw),
                ]
            )  # fmt: skip
            read = [
                *FFMPEG, "-f", "rawvideo", "-pix_fmt", "yuv420p",
                "-s", f"{rung.width_px}x{rung.height_px}", "-r", str(RATE),
                "-i", str(raw),
            ]  # fmt: skip
            reading = cost_of_command([*read, "-f", "null", "-"])
            encoding = cost_of_command([*read, *x264_options(rung), "-f", "null", "-"])
        cpu_s[rung.key] = encoding.cpu_s - reading.cpu_s
    return Limit(cpu_s=cpu_s)


def run_bare(clip: Path, ladder: Ladder, folder: Path, *, share: float = 1.0) -> Cost:
    """
    Run the best simple command, see bare_command.
    """
    return cost_of_command(bare_command(clip, ladder, folder, share=share))


def bare_command(
    clip: Path, ladder: Ladder, folder: Path, *, share: float = 1.0
) -> list[str]:
    """
    Return the best simple command: one process, one decode, one HLS output a rung.

    Its files are ``<rung>/init.m4s`` and ``<rung>/<number>.m4s`` in the folder.
    """
    rungs = list(reversed(ladder.rungs))
    # Cascaded: it costs less than to scale every rung from the source.
    graph, source = [], "0:v"
    for number, rung in enumerate(rungs):
        pads = [f"v{number}"] + ([f"c{number}"] if number + 1 < len(rungs) else [])
        labels = "".join(f"[{pad}]" for pad in pads)
        graph.append(f"[{source}]{_scale(rung)},split={len(pads)}{labels}")
        source = f"c{number}"
    command = [*FFMPEG, "-i", str(clip), "-filter_complex", ";".join(graph)]
    for number, rung in enumerate(rungs):
        command += ["-map", f"[v{number}]", *x264_options(rung, share=share)]
        command += _segments(folder / rung.key)
    if ladder.audio:
        command += ["-map", "0:a:0", "-c:a", "aac", "-b:a", "128k"]
        command += _segments(folder / "audio")
    return command


def run_each_rung(clip: Path, ladder: Ladder, folder: Path) -> Cost:
    """
    Run the bare command once for every rung, one after the other.
    """
    costs = []
    for rung in ladder.rungs:
        command = [*FFMPEG, "-i", str(clip), "-map", "0:v", "-vf", _scale(rung)]
        command += [*x264_options(rung), *_segments(folder / rung.key)]
        if ladder.audio and rung is ladder.rungs[0]:
            command += ["-map", "0:a:0", "-c:a", "aac", "-b:a", "128k"]
            command += _segments(folder / "audio")
        costs.append(cost_of_command(command))
    return sum(costs[1:], costs[0])


def run_like_peertube(clip: Path, ladder: Ladder, folder: Path) -> Cost:
    """
    Run PeerTube's options, with our bitrates: a process a rung, the best first.

    Source: its default profile for H.264 and its HLS command.
    """

    def work() -> None:
        for rung in reversed(ladder.rungs):
            (folder / rung.key).mkdir(parents=True)
            kbps = rung.video_kbps
            run_command(
                [
                    *FFMPEG, "-i", str(clip), "-c:v", "libx264", "-c:a", "copy",
                    "-vf", f"scale=w=-2:h={rung.height_px}", "-r", str(RATE),
                    "-pix_fmt", "yuv420p", "-preset", "veryfast",
                    "-maxrate:v", f"{kbps}k", "-bufsize:v", f"{kbps * 2}k",
                    "-b_strategy", "1", "-bf", "16", "-g", str(RATE * 2),
                    "-map_metadata", "-1", "-f", "hls", "-hls_time", "4",
                    "-hls_list_size", "0", "-hls_playlist_type", "vod",
                    "-hls_segment_type", "fmp4", "-hls_flags", "single_file",
                    "-hls_segment_filename", str(folder / rung.key / "video.mp4"),
                    str(folder / rung.key / "index.m3u8"),
                ]
            )  # fmt: skip

    return cost_of(work)


def run_like_mediacms(clip: Path, ladder: Ladder, folder: Path) -> Cost:
    """
    Run MediaCMS's options, with our bitrates: a file a rung, then segments of each.

    Source: its ``files/helpers.py``. It cuts segments with another tool, for
    which copying stands here.
    """

    def work() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for rung in ladder.rungs:
            made, kbps = folder / f"{rung.key}.mp4", rung.video_kbps
            small = rung.height_px < _MEDIACMS_BIG_PX
            run_command(
                [
                    *FFMPEG, "-i", str(clip), "-c:v", "libx264", "-filter:v",
                    f"scale=-2:{rung.height_px},fps=fps={RATE}",
                    "-pix_fmt", "yuv420p", "-crf", "23", "-c:a", "aac",
                    "-b:a", "128k", "-ac", "2", "-maxrate", f"{kbps * 3 // 2}k",
                    "-bufsize", f"{kbps * 3 // 2}k",
                    "-force_key_frames", "expr:gte(t,n_forced*4)",
                    "-x264-params", f"keyint={RATE * 8}:keyint_min={RATE * 4}",
                    "-preset", "medium" if small else "faster",
                    "-profile:v", "main", "-level", "4.2", str(made),
                ]
            )  # fmt: skip
            copied = [*FFMPEG, "-i", str(made), "-c", "copy"]
            run_command([*copied, *_segments(folder / rung.key)])

    return cost_of(work)


_MEDIACMS_BIG_PX: Final = 720

OTHERS: Final[Mapping[str, Callable[[Path, Ladder, Path], Cost]]] = {
    "one process a rung": run_each_rung,
    "PeerTube's options": run_like_peertube,
    "MediaCMS's options": run_like_mediacms,
}


def _scale(rung: Rung) -> str:
    if (rung.width_px, rung.height_px) == (WIDTH_PX, HEIGHT_PX):
        return "null"
    return f"scale={rung.width_px}:{rung.height_px}:flags=bicubic"


def _segments(folder: Path) -> Sequence[str]:
    folder.mkdir(parents=True)
    return (
        "-f", "hls", "-hls_time", str(SEGMENT_S), "-hls_playlist_type", "vod",
        "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init.m4s",
        "-hls_segment_filename", str(folder / "%d.m4s"), str(folder / "index.m3u8"),
    )  # fmt: skip


def _require_memory(rung: Rung, seconds: float) -> None:
    needed = round(rung.width_px * rung.height_px * 1.5 * RATE * seconds)
    free = psutil.virtual_memory().available
    if needed + _SPARE_BYTES > free:
        raise SystemExit(
            f"The raw pictures of {rung.key} need {needed / 1e9:.1f} GB of memory, "
            f"{free / 1e9:.1f} GB are free; fix: a smaller --seconds."
        )
