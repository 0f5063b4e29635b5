"""
Many short clips at once: what a job costs besides its encoding.

100 clips of 3 s go through a real ``hv up``, all ordered at once; and the same clips
through loops of bare ffmpeg: with the best simple command for the same rungs, and with
the service's own command, which makes pictures, too; one clip after the other, and two
at a time. It prints each, with the processor time, and when the first video was ready.
One job goes before, so that every process has started.

Run: ``python -m tests.benchmarks.encoding.many [--quick] [--clips N]``.
"""

import argparse
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from hvcore.plugin_api import AudioCodec, Part, Speed, TranscodeOrder
from hvcore_cli.processes.local_service import ENCODE_NICENESS
from hvcore_transcoder_ffmpeg.encode import pictures
from hvcore_transcoder_ffmpeg.encode.commands import Encode, encode_command
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.probe import notes
from tests.benchmarks.encoding.costs import Cost, adopt_orphans, cost_of, run_command
from tests.benchmarks.encoding.jobs import PRESET, service_with
from tests.benchmarks.encoding.parts import order_of, transcoder_in, workspace_of
from tests.benchmarks.encoding.yardsticks import FFMPEG, bare_command
from tests.support.live import LiveService

SECONDS: Final = 3
WITHIN_S: Final = 3600.0
_LOOKS_EVERY_S: Final = 0.1
"""For the first; later looks are seldom, for each costs the service time."""
_SELDOM_S: Final = 1.0
AT_A_TIME: Final = (1, 2)
"""Of bare ffmpeg: one alone leaves a part of the cores idle at both its ends."""
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
        waiting: list[str] = []
        for path in paths:
            waiting.append(service.process(path, **WANTED).body["videoID"])
            if not first_s and _is_ready(service, waiting[0]):
                first_s = time.monotonic() - started
        while waiting and time.monotonic() < started + WITHIN_S:
            if _is_ready(service, waiting[0]):
                first_s = first_s or time.monotonic() - started
                waiting.pop(0)
            else:
                is_between = first_s and len(waiting) > 1
                time.sleep(_SELDOM_S if is_between else _LOOKS_EVERY_S)
        if waiting:
            raise SystemExit(f"{len(waiting)} jobs have not ended in time.")

    cost = cost_of(work)
    return first_s, cost


def _is_ready(service: LiveService, video_id: str) -> bool:
    status = service.details(video_id)["status"]
    if status["failed"]:
        raise SystemExit("A job has failed.")
    return bool(status["ready"])


def bare(clip: Path, clips: int, folder: Path, *, at_a_time: int, is_own: bool) -> Cost:
    """
    Make the rungs of a video by one ffmpeg for each clip.

    Args:
        is_own: With the service's own arguments.
    """
    with transcoder_in(folder / "transcoder") as transcoder:
        source = transcoder.probe(workspace_of(clip, folder / "probed"))
    order = order_of(source, workers=1)

    def make(number: int) -> None:
        made = folder / f"{number}"
        if is_own:
            made = workspace_of(clip, made).folder
            run_command(own_command(clip, order, made), folder=made)
        else:
            run_command(bare_command(clip, order.ladder, made))

    def work() -> None:
        with ThreadPoolExecutor(at_a_time) as pool:
            # Asks for the results, so that a failure is one here.
            list(pool.map(make, range(clips)))

    return cost_of(work)


def own_command(clip: Path, order: TranscodeOrder, folder: Path) -> list[str]:
    """
    Return the command of a job's only part, and make the folders that it writes to.
    """
    streams = notes.read(order.source.notes)
    if streams is None:
        raise SystemExit("The source was not examined.")
    for rung in order.ladder.rungs:
        (folder / "video" / rung.key).mkdir(parents=True)
    for name in (*(one.name for one in order.ladder.audio), *pictures.FOLDERS):
        (folder / name).mkdir(parents=True)
    engine = FfmpegEngine(
        ffmpeg=Path(FFMPEG[0]),
        ffprobe=Path("ffprobe"),
        origin="",
        priming_samples={AudioCodec.AAC: 1024},
    )
    encode = Encode(
        engine=engine,
        source=clip,
        streams=streams,
        part=Part(index=0, order=order),
        audio=order.ladder.audio,
    )
    return encode_command(encode, pass_number=0)


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
        f"{name:<28} {a_minute:7.1f} jobs/min  {cost.wall_s / clips:6.2f} s and "
        f"{cost.cpu_s / clips:6.2f} s of the processor a clip"
    )
    return a_minute


def compare(ours: float, clip: Path, clips: int, folder: Path, *, is_own: bool) -> None:
    """
    Run the loops of one command; print how our jobs a minute compare with them.
    """
    name = "own command" if is_own else "simple command"
    best = 0.0
    for number in AT_A_TIME:
        place = folder / f"{name}-{number}"
        cost = bare(clip, clips, place, at_a_time=number, is_own=is_own)
        best = max(best, report(f"{name}, {number} at a time", cost, clips))
    print(f"{ours / best:.2f} of the faster loop")


def main() -> None:
    """
    Run what the words of the command line ask for.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five clips")
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2, help="that encode")
    wanted = parser.parse_args()
    clips = 5 if wanted.quick else wanted.clips
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as name:
        folder = Path(name)
        clip = folder / "clip.mp4"
        make_clip(clip)
        with service_with(folder / "service", workers=wanted.workers) as service:
            jobs(service, clip, 1)
            first_s, cost = jobs(service, clip, clips)
        # As encode workers: what else goes on here slows both alike.
        os.nice(ENCODE_NICENESS)
        ours = report("hv up", cost, clips)
        print(f"first ready after {first_s:.2f} s")
        for is_own in (False, True):
            compare(ours, clip, clips, folder, is_own=is_own)


if __name__ == "__main__":
    main()
