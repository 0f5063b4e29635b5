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
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Ladder
from tests.benchmarks.encoding.clips import HEIGHT_PX, RATE, WIDTH_PX
from tests.benchmarks.encoding.costs import run_command

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
        vmaf: 0 to 100, by the number of the frame; empty where no ffmpeg has
            libvmaf.
    """

    size_bytes: int
    ssim: tuple[float, ...]
    vmaf: Mapping[int, float]

    def figures(self, joints_s: Iterable[float]) -> dict[str, float]:
        """
        Return the means over all frames and around joints, by what they are.

        SSIM is in decibels: 3 more is half the difference from the source.
        """
        joints = [round(at_s * RATE) for at_s in joints_s]
        near = {
            number
            for joint in joints
            for number in range(max(0, joint - AROUND), joint + AROUND)
        }
        found = {"dB SSIM": decibels(self.ssim)}
        if self.vmaf:
            found["VMAF"] = statistics.fmean(self.vmaf.values())
        if near:
            found["dB SSIM at joints"] = decibels([self.ssim[n] for n in sorted(near)])
        if near & self.vmaf.keys():
            found["VMAF at joints"] = statistics.fmean(
                self.vmaf[n] for n in near & self.vmaf.keys()
            )
        return found


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
        vmaf = _vmaf(Path(folder) / "vmaf.json") if has_vmaf else {}
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
    ours: Quality, full: Quality, less: Quality, joints_s: Iterable[float]
) -> str:
    """
    Tell how much better than the yardstick ours looks, were both of one size.

    Args:
        full: The yardstick at its own bitrate.
        less: The same at a few percent less.
    """
    joints = list(joints_s)
    mine, of_full, of_less = (each.figures(joints) for each in (ours, full, less))
    span = math.log(full.size_bytes / less.size_bytes)
    share = math.log(ours.size_bytes / full.size_bytes) / span if span else 0.0
    gains = {
        name: mine[name] - (of_full[name] + (of_full[name] - of_less[name]) * share)
        for name in mine
    }
    return ", ".join(f"{gain:+.3f} {name}" for name, gain in gains.items())


def line(made: Quality, joints_s: Iterable[float]) -> str:
    """
    Return what the report says of a rendition.
    """
    figures = made.figures(joints_s).items()
    return f"{made.size_bytes / 1e6:8.2f} MB  " + ", ".join(
        f"{figure:.3f} {name}" for name, figure in figures
    )


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


def _vmaf(log: Path) -> dict[int, float]:
    frames = json.loads(log.read_text())["frames"]
    return {frame["frameNum"]: frame["metrics"]["vmaf"] for frame in frames}


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
