"""
Many short clips at once: what a job costs besides its encoding.

100 clips of 3 s go through a real ``hv up``, all ordered at once; and the same clips
through a loop of bare ffmpeg, one after the other, which makes the same rungs. It
prints both, when the first video was ready, and the processor time of each.

Run: ``python -m tests.benchmarks.encoding_many [--quick] [--clips N]``.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Final

from hvcore.plugin_api import Speed
from tests.benchmarks.encoding_costs import Cost, adopt_orphans, cost_of, run_command
from tests.benchmarks.encoding_jobs import PRESET, service_with
from tests.benchmarks.encoding_parts import order_of, transcoder_in, workspace_of
from tests.benchmarks.encoding_yardsticks import FFMPEG, run_bare
from tests.live import LiveService

SECONDS: Final = 3
WITHIN_S: Final = 3600.0
_LOOKS_EVERY_S: Final = 0.1
WANTED: Final = {
    "videoQuality": PRESET.value,
    "compressionRatio": Speed.VERYFAST.value,
}


def jobs(service: LiveService, clip: Path, clips: int) -> tuple[float, Cost]:
    """
    Upload, then order all at once; return when the first was ready, and the cost.
    """
    paths = [service.uploaded(clip) for _ in range(clips)]
    first_s = 0.0

    def work() -> None:
        nonlocal first_s
        started = time.monotonic()
        waiting = [service.process(path, **WANTED).body["videoID"] for path in paths]
        while waiting and time.monotonic() < started + WITHIN_S:
            status = service.details(waiting[0])["status"]
            if status["failed"]:
                raise SystemExit("A job has failed.")
            if status["ready"]:
                first_s = first_s or time.monotonic() - started
                waiting.pop(0)
            else:
                time.sleep(_LOOKS_EVERY_S)
        if waiting:
            raise SystemExit(f"{len(waiting)} jobs have not ended in time.")

    cost = cost_of(work)
    return first_s, cost


def bare(clip: Path, clips: int, folder: Path) -> Cost:
    """
    Make the rungs of a video by one ffmpeg for each clip.
    """
    with transcoder_in(folder / "transcoder") as transcoder:
        source = transcoder.probe(workspace_of(clip, folder / "probed"))
    ladder = order_of(source, workers=1).ladder
    costs = [run_bare(clip, ladder, folder / f"bare-{n}") for n in range(clips)]
    return sum(costs[1:], costs[0])


def make_clip(clip: Path) -> None:
    """
    Make three moving seconds with a tone.
    """
    run_command(
        [
            *FFMPEG,
            *(
                "-f",
                "lavfi",
                "-i",
                f"testsrc2=size=1280x720:rate=30:duration={SECONDS}",
            ),
            *("-f", "lavfi", "-i", f"sine=frequency=440:duration={SECONDS}"),
            *("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"),
            *("-c:a", "aac", str(clip)),
        ]
    )


def report(name: str, cost: Cost, clips: int) -> float:
    """
    Print a line; return jobs a minute.
    """
    a_minute = 60 * clips / cost.wall_s
    print(
        f"{name:<12} {a_minute:7.1f} jobs/min  {cost.wall_s / clips:6.2f} s and "
        f"{cost.cpu_s / clips:6.2f} s of the processor a clip"
    )
    return a_minute


def main() -> None:
    """
    Run what the words of the command line ask for.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five clips")
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1, help="that encode")
    wanted = parser.parse_args()
    clips = 5 if wanted.quick else wanted.clips
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as name:
        folder = Path(name)
        clip = folder / "clip.mp4"
        make_clip(clip)
        with service_with(folder / "service", workers=wanted.workers) as service:
            first_s, cost = jobs(service, clip, clips)
        theirs = bare(clip, clips, folder)
        ours = report("hv up", cost, clips)
        rate = report("bare ffmpeg", theirs, clips)
    print(f"first ready after {first_s:.2f} s; {ours / rate:.2f} of the bare loop")


if __name__ == "__main__":
    main()
