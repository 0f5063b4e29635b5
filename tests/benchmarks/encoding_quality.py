"""
How much a rendition looks like its source, as a viewer with a full screen sees it.

Every rung is scaled to the source's size and compared with the source itself,
so that no scaler of ours is taken for the truth.
"""

import importlib
import json
import math
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Ladder
from tests.benchmarks.encoding_clips import HEIGHT_PX, RATE, WIDTH_PX
from tests.benchmarks.encoding_costs import run_command

AROUND: Final = 15
"""Frames before and after a joint that are looked at alone."""
_VMAF_EVERY: Final = 5
"""It costs as much as an encode; each fifth picture gives the same mean."""

_SSIM = re.compile(r"All:([\d.]+)")

_COLOURS: Final = (
    "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
)
"""Else ffmpeg 7 and later bring tagged and untagged pictures to one colour space
before they compare them, which costs the tagged ones 5 points of VMAF."""


@attrs.frozen(kw_only=True)
class Quality:
    """
    How a rendition of the clip looks.

    Attributes:
        ssim: Of each frame, 0 to 1.
        vmaf: Mean, 0 to 100; None where no ffmpeg has libvmaf.
    """

    size_bytes: int
    ssim: tuple[float, ...]
    vmaf: float | None

    @property
    def ssim_db(self) -> float:
        """
        The mean, in decibels: 3 more is half the difference from the source.
        """
        return decibels(self.ssim)

    def around_db(self, joints_s: Iterable[float]) -> float | None:
        """
        Return the mean in decibels around joints alone; None without joints.
        """
        near = [
            ssim
            for at_s in joints_s
            for ssim in self.ssim[
                max(0, round(at_s * RATE) - AROUND) : round(at_s * RATE) + AROUND
            ]
        ]
        return decibels(near) if near else None


def decibels(ssim: Sequence[float]) -> float:
    """
    Return a mean of SSIM in decibels.
    """
    return -10 * math.log10(max(1e-9, 1 - statistics.fmean(ssim)))


def compare(rendition: Path, clip: Path) -> Quality:
    """
    Compare a rendition with the clip that it was made of.

    Raises:
        SystemExit: They have different numbers of frames.
    """
    ffmpeg, has_vmaf = _engine()
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as folder:
        graph = (
            # By their numbers: a frame that is missing must not go unseen.
            f"[0:v:0]setpts=N/({RATE}*TB),{_COLOURS},"
            f"scale={WIDTH_PX}:{HEIGHT_PX}:flags=bicubic,format=yuv420p[made];"
            f"[1:v:0]setpts=N/({RATE}*TB),{_COLOURS},format=yuv420p[source]"
        )
        if has_vmaf:
            graph += (
                ";[made]split[made1][made2];[source]split[source1][source2];"
                "[made1][source1]ssim=stats_file=ssim.txt[a];"
                "[made2][source2]libvmaf=n_threads=2:log_fmt=json:log_path=vmaf.json"
                f":n_subsample={_VMAF_EVERY}[b]"
            )
        else:
            graph += ";[made][source]ssim=stats_file=ssim.txt[a]"
        outputs = ["-map", "[a]", "-f", "null", "-"]
        outputs += ["-map", "[b]", "-f", "null", "-"] if has_vmaf else []
        run_command(
            [
                ffmpeg, "-hide_banner", "-loglevel", "error", "-nostdin",
                "-i", str(rendition.absolute()), "-i", str(clip.absolute()),
                "-filter_complex", graph, *outputs,
            ],
            folder=Path(folder),
        )  # fmt: skip
        text = (Path(folder) / "ssim.txt").read_text()
        ssim = tuple(float(found) for found in _SSIM.findall(text))
        vmaf = _vmaf(Path(folder) / "vmaf.json") if has_vmaf else None
    _require_all_frames(rendition, clip)
    return Quality(size_bytes=rendition.stat().st_size, ssim=ssim, vmaf=vmaf)


def joined_rungs(folder: Path, ladder: Ladder) -> dict[str, Path]:
    """
    Join the segments of every rung into a file that a decoder reads.

    Args:
        folder: Holds ``<rung>/init.m4s`` and ``<rung>/<number>.m4s``.
    """
    files = {}
    for rung in ladder.rungs:
        parts = folder / rung.key
        numbers = sorted(int(path.stem) for path in parts.glob("[0-9]*.m4s"))
        files[rung.key] = folder / f"{rung.key}.joined.mp4"
        with files[rung.key].open("wb") as joined:
            for name in ("init", *numbers):
                joined.write((parts / f"{name}.m4s").read_bytes())
    return files


def at_equal_size(
    full: Quality, less: Quality, *, size_bytes: int
) -> tuple[float, float | None]:
    """
    Return SSIM (dB) and VMAF of the yardstick, were it of another size.

    Args:
        full: The yardstick at its own bitrate.
        less: The same at a few percent less.
    """
    span = math.log(full.size_bytes / less.size_bytes)
    share = math.log(size_bytes / full.size_bytes) / span if span else 0.0
    ssim_db = full.ssim_db + (full.ssim_db - less.ssim_db) * share
    if full.vmaf is None or less.vmaf is None:
        return ssim_db, None
    return ssim_db, full.vmaf + (full.vmaf - less.vmaf) * share


def _require_all_frames(rendition: Path, clip: Path) -> None:
    made, wanted = _frames(rendition), _frames(clip)
    if made != wanted:
        raise SystemExit(f"{rendition.name} has {made} frames, its source {wanted}.")


@cache
def _frames(video: Path) -> int:
    asked = ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0"]
    asked += ["-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", str(video)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return int(done.stdout.strip().strip(","))


def _vmaf(log: Path) -> float:
    return float(json.loads(log.read_text())["pooled_metrics"]["vmaf"]["mean"])


@cache
def _engine() -> tuple[str, bool]:
    """
    Return an ffmpeg, with libvmaf if there is one, and whether it has it.
    """
    programs = ["ffmpeg"]
    try:
        package = importlib.import_module("imageio_ffmpeg")
    except ImportError:
        pass
    else:
        programs.append(str(package.get_ffmpeg_exe()))
    for program in programs:
        asked = [program, "-hide_banner", "-filters"]
        done = subprocess.run(asked, check=True, capture_output=True, text=True)
        if " libvmaf " in done.stdout:
            return program, True
    return "ffmpeg", False
