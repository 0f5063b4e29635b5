"""
Wall time of a whole job against one bare ffmpeg command.

Measured from the process request to ``ready``: queueing, probing, encoding,
measuring, hashing, storing, publishing. The yardstick makes the same rungs
and audio from one decode, with the same encoder settings, and does nothing
else. Both run in turn, so that a machine that gets slower slows both.

Run: ``python -m tests.benchmarks.job_wall [--clip FILE] [--runs N]``
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.live import LiveService, live_service

GOAL: Final = 1.10
RUNGS: Final = ((1080, 5000), (720, 2500), (480, 1000))
GOP: Final = 180


def make_clip(path: Path, *, seconds: int) -> None:
    """
    Make a 1080p30 clip with motion, grain and sound.
    """
    subprocess.run(
        [
            "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
            "-f", "lavfi", "-i",
            f"testsrc2=s=1920x1080:r=30:d={seconds},noise=alls=12:allf=t",
            "-f", "lavfi", "-i", f"sine=f=440:r=48000:d={seconds}",
            "-c:v", "libx264", "-preset", "ultrafast", "-crf", "20",
            "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", str(path),
        ],
        check=True,
    )  # fmt: skip


def bare_command(clip: Path, folder: Path) -> list[str]:
    """
    Return the yardstick: one decode, three rungs, one audio, HLS segments.
    """
    graph = (
        "[0:v]split=2[a][x];[x]scale=1280:720:flags=bicubic,split=2[b][y];"
        "[y]scale=854:480:flags=bicubic[c]"
    )
    command = [
        "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
        "-i", str(clip), "-filter_complex", graph,
    ]  # fmt: skip
    for label, (height, kbps) in zip("abc", RUNGS, strict=True):
        command += [
            "-map", f"[{label}]", "-c:v", "libx264", "-preset", "veryfast",
            "-pix_fmt", "yuv420p", "-b:v", f"{kbps}k",
            "-maxrate", f"{kbps * 3 // 2}k", "-bufsize", f"{kbps * 2}k",
            "-g", str(GOP), "-keyint_min", str(GOP), "-sc_threshold", "0",
            *_hls(folder / f"video-{height}"),
        ]  # fmt: skip
    command += ["-map", "0:a", "-c:a", "aac", "-b:a", "128k"]
    return [*command, *_hls(folder / "audio")]


def _hls(folder: Path) -> list[str]:
    folder.mkdir(parents=True)
    return [
        "-f", "hls", "-hls_time", "6", "-hls_playlist_type", "vod",
        "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init.m4s",
        "-hls_segment_filename", str(folder / "%d.m4s"),
        str(folder / "index.m3u8"),
    ]  # fmt: skip


def time_bare(clip: Path) -> float:
    """
    Run the yardstick once; return its wall seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = bare_command(clip, Path(folder))
        started = time.monotonic()
        subprocess.run(command, check=True)
        return time.monotonic() - started


def time_job(service: LiveService, clip: Path) -> float:
    """
    Run one job; return the wall seconds from the request to ``ready``.
    """
    path = service.uploaded(clip)
    started = time.monotonic()
    video_id = service.process(path, videoQuality="high").body["videoID"]
    details = service.finished(video_id, within_s=900)
    wall_s = time.monotonic() - started
    if not details["status"]["ready"]:
        raise SystemExit(f"the job failed: {details}")
    return wall_s


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clip", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=2)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as folder:
        clip = wanted.clip or Path(folder) / "clip.mp4"
        if wanted.clip is None:
            make_clip(clip, seconds=wanted.seconds)
        with live_service(Path(folder)) as service:
            pairs = []
            for number in range(wanted.runs):
                pairs.append((time_job(service, clip), time_bare(clip)))
                job_s, bare_s = pairs[-1]
                print(
                    f"run {number + 1}: job {job_s:.2f} s, bare ffmpeg {bare_s:.2f} s, "
                    f"ratio {job_s / bare_s:.3f}",
                    flush=True,
                )
    ratio = statistics.median(job_s / bare_s for job_s, bare_s in pairs)
    print(f"job wall / bare ffmpeg: {ratio:.3f} (goal at most {GOAL:.2f})")


if __name__ == "__main__":
    main()
