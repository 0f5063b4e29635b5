"""
What a whole job costs, against what it must cost and what others cost.

For a minute of real 1080p30 material with the preset ``high``, in turn, so
that a machine that gets slower slows all:

- the limit: processor time of one decode and of bare x264 for each rung from
  raw pictures, divided by two cores;
- the best simple command: one bare ffmpeg process that makes the same rungs;
- our job from the ``process`` request to ``ready``, through a real ``hv up``.

Then a long video, with one worker and with two, and the quality of all.

Run: ``python -m tests.benchmarks.encoding [--quick] [--source FILE]``; an
idle machine with two cores and 10 GB of free memory takes about an hour.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Ladder, Part, Transcoder
from tests.benchmarks.encoding import quality, yardsticks
from tests.benchmarks.encoding.clips import cut_clip, own_material, public_material
from tests.benchmarks.encoding.costs import Cost, adopt_orphans, cost_of
from tests.benchmarks.encoding.jobs import Job, run_job, save_rungs, service_with
from tests.benchmarks.encoding.parts import (
    MOST_WORKERS,
    joints_s,
    measure_parts,
    order_of,
    run_parts,
    simulate,
    transcoder_in,
    workspace_of,
)
from tests.support.live import LiveService

JOB_TO_LIMIT: Final = 1.15
JOB_TO_BARE: Final = 1.05
TWO_WORKERS_CPU: Final = 1.05
PARTS_BYTES: Final = 1.005
AGAIN_AFTER_S: Final = 23
"""In the long clip the public material, 24 s, begins anew so soon: see cut_clip."""
SMALLER: Final = 0.96
"""The bare command runs once more with so much of its bitrate: quality is
compared at equal size, on the line through both."""


@attrs.frozen(kw_only=True)
class Bench:
    """
    The paths and options that every measurement needs.
    """

    folder: Path
    transcoder: Transcoder
    wanted: argparse.Namespace

    def ladder(self, clip: Path) -> Ladder:
        """
        Return the rungs that a service makes of a clip.
        """
        workspace = workspace_of(clip, self.new_folder())
        return order_of(self.transcoder.probe(workspace), workers=1).ladder

    def new_folder(self) -> Path:
        """
        Return a path where nothing is yet.
        """
        return Path(tempfile.mkdtemp(dir=self.folder)) / "new"


def compare_jobs(bench: Bench, clip: Path) -> None:
    """
    Measure the limit, the yardsticks and our job in turn.
    """
    wanted, ladder = bench.wanted, bench.ladder(clip)
    ratios: dict[str, list[tuple[float, float]]] = {}
    with service_with(bench.new_folder(), workers=1) as service:
        # The first job of a process loads modules.
        run_job(service, cut_clip(wanted.material, seconds=1), seconds=1)
        for number in range(wanted.repeat):
            print(f"\nRound {number + 1} of {wanted.repeat}", flush=True)
            limit = yardsticks.measure_limit(clip, ladder, seconds=wanted.seconds)
            shares = ", ".join(f"{k} {v:.1f}" for k, v in limit.cpu_s.items())
            print(f"  {'limit':22}{limit.wall_s:8.1f} s wall   (CPU s: {shares})")
            costs = _one_round(bench, service, clip, number)
            bare_s = costs["bare command"].wall_s
            for name, cost in costs.items():
                pair = (cost.wall_s / limit.wall_s, cost.wall_s / bare_s)
                ratios.setdefault(name, []).append(pair)
                print(_cost_line(name, cost, pair), flush=True)
    print("\nMedians")
    for name, pairs in ratios.items():
        to_limit = statistics.median(pair[0] for pair in pairs)
        to_bare = statistics.median(pair[1] for pair in pairs)
        goals = (
            f"   goals {JOB_TO_LIMIT} and {JOB_TO_BARE}" if name == "our job" else ""
        )
        print(f"  {name:22}{to_limit:6.3f} x limit{to_bare:7.3f} x bare{goals}")


def _one_round(
    bench: Bench, service: LiveService, clip: Path, number: int
) -> dict[str, Cost]:
    ladder, seconds = bench.ladder(clip), bench.wanted.seconds
    works: dict[str, Callable[[], Cost]] = {
        "bare command": lambda: yardsticks.run_bare(clip, ladder, bench.new_folder()),
        "our job": lambda: run_job(service, clip, seconds=seconds).cost,
    }
    if number % 2:
        works = dict(reversed(works.items()))
    costs = {name: work() for name, work in works.items()}
    if bench.wanted.yardsticks and number == 0:
        for name, run in yardsticks.OTHERS.items():
            costs[name] = run(clip, ladder, bench.new_folder())
    return costs


def _cost_line(name: str, cost: Cost, pair: tuple[float, float]) -> str:
    return (
        f"  {name:22}{cost.wall_s:8.1f} s wall{cost.cpu_s:8.1f} s CPU"
        f"{pair[0]:8.3f} x limit{pair[1]:7.3f} x bare"
    )


def compare_workers(bench: Bench, clip: Path) -> None:
    """
    Make a long video with one worker and with two.
    """
    ladder = bench.ladder(clip)
    jobs: dict[str, Job] = {}
    made: dict[str, dict[str, Path]] = {}
    print("\nLong video through the service")
    for workers in (1, 2):
        name = f"{workers} worker" + ("s" if workers > 1 else "")
        with service_with(bench.new_folder(), workers=workers) as service:
            run_job(service, cut_clip(bench.wanted.material, seconds=1), seconds=1)
            job = run_job(service, clip, seconds=bench.wanted.long_seconds)
            jobs[name] = job
            made[name] = save_rungs(service, job, ladder, bench.new_folder())
        wall_s, cpu_s = job.cost.wall_s, job.cost.cpu_s
        print(f"  {name:22}{wall_s:8.1f} s wall{cpu_s:8.1f} s CPU", flush=True)
    one, two = (
        (job.cost.cpu_s, sum(file.stat().st_size for file in made[name].values()))
        for name, job in jobs.items()
    )
    print(
        f"  CPU of 2 workers / of 1:   {two[0] / one[0]:.3f} (goal {TWO_WORKERS_CPU})"
    )
    print(f"  bytes of 2 workers / of 1: {two[1] / one[1]:.4f} (goal {PARTS_BYTES})")


def simulate_workers(bench: Bench, clip: Path) -> None:
    """
    Measure every part alone; print how the wall falls with more workers.
    """
    source = bench.transcoder.probe(workspace_of(clip, bench.new_folder()))
    plans = {
        f"{workers} workers": bench.transcoder.plan(order_of(source, workers=workers))
        for workers in (1, 2, MOST_WORKERS)
    }
    whole = (Part(index=0, order=order_of(source, workers=1)),)
    around_s = _around_s(bench)
    folder = bench.new_folder()
    times = measure_parts(bench.transcoder, [whole, *plans.values()], clip, folder)
    cpu_s, size_bytes = times.cpu_s(whole), times.picture_bytes(whole)
    print("\nParts one after the other, against one process for all")
    for name, plan in {"one process": whole, **plans}.items():
        walls = ", ".join(f"{times.wall_s(part):.1f}" for part in plan)
        print(
            f"  {name:12}{len(plan):3} parts{times.cpu_s(plan) / cpu_s:7.3f} x CPU "
            f"(goal {TWO_WORKERS_CPU}){times.picture_bytes(plan) / size_bytes:8.4f} "
            f"x bytes (goal {PARTS_BYTES})   walls {walls} s"
        )
    print("Simulated from these times, a machine like this one for each worker:")
    walls_s = simulate(bench.transcoder, source, times, around_s=around_s)
    for workers, wall_s in walls_s.items():
        speed = walls_s[1] / wall_s
        print(f"  {workers} workers{wall_s:8.1f} s wall{speed:7.2f} x as fast")


def _around_s(bench: Bench) -> float:
    """
    Measure a tiny job, less its encoding: what every job takes besides.
    """
    tiny = cut_clip(bench.wanted.material, seconds=1)
    source = bench.transcoder.probe(workspace_of(tiny, bench.new_folder()))
    (part,) = bench.transcoder.plan(order_of(source, workers=1))
    encodes = [
        cost_of(partial(bench.transcoder.run, part, workspace)).wall_s
        for workspace in (workspace_of(tiny, bench.new_folder()) for _ in range(3))
    ]
    with service_with(bench.new_folder(), workers=1) as service:
        run_job(service, tiny, seconds=1)
        jobs = [run_job(service, tiny, seconds=1).cost.wall_s for _ in range(3)]
    around_s = max(0.0, statistics.median(jobs) - statistics.median(encodes))
    print(f"\nA job takes {around_s:.2f} s besides its encoding.", flush=True)
    return around_s


def compare_quality(bench: Bench, clip: Path, *, name: str, workers: int) -> None:
    """
    Compare what the parts of a plan make with the bare command's, at equal size.
    """
    ladder = bench.ladder(clip)
    full, less = bench.new_folder(), bench.new_folder()
    yardsticks.run_bare(clip, ladder, full)
    yardsticks.run_bare(clip, ladder, less, share=SMALLER)
    source = bench.transcoder.probe(workspace_of(clip, bench.new_folder()))
    plan = bench.transcoder.plan(order_of(source, workers=workers))
    ours = run_parts(bench.transcoder, plan, clip, bench.new_folder())
    bare, smaller, made = (
        quality.joined_rungs(each, ladder) for each in (full, less, ours)
    )
    joints = joints_s(plan)
    print(f"\nQuality of {name}, every rung on a full screen")
    print(f"joints at {joints} s: 15 frames on both sides", flush=True)
    for rung in reversed(ladder.rungs):
        of_bare, of_smaller, of_ours = (
            quality.compare(files[rung.key], clip) for files in (bare, smaller, made)
        )
        gains = quality.at_equal_size(of_ours, of_bare, of_smaller, joints)
        print(f"  {rung.key:6} bare {quality.line(of_bare, joints)}")
        print(f"         ours {quality.line(of_ours, joints)}")
        print(f"         ours, were both of one size: {gains}", flush=True)


def run(wanted: argparse.Namespace, folder: Path) -> None:
    """
    Measure and print.
    """
    with transcoder_in(folder) as transcoder:
        bench = Bench(folder=folder, transcoder=transcoder, wanted=wanted)
        print(f"{os.cpu_count()} cores; {transcoder.capabilities().name}")
        print(f"Material: {wanted.material.about}", flush=True)
        clip = cut_clip(wanted.material, seconds=wanted.seconds)
        print(f"Clip: {wanted.seconds} s, {clip.stat().st_size / 1e6:.1f} MB")
        if "jobs" in wanted.only:
            compare_jobs(bench, clip)
        if "quality" in wanted.only:
            compare_quality(bench, clip, name="a video in one piece", workers=1)
        if wanted.only == ["jobs"]:
            return
        again_after_s = None if wanted.source else AGAIN_AFTER_S
        clip = cut_clip(
            wanted.material, seconds=wanted.long_seconds, again_after_s=again_after_s
        )
        print(f"\nLong clip: {wanted.long_seconds} s", flush=True)
        if "workers" in wanted.only:
            compare_workers(bench, clip)
            simulate_workers(bench, clip)
        if "quality" in wanted.only:
            compare_quality(bench, clip, name="a video in parts", workers=2)


def main() -> None:
    """
    Read the words of the command line.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny clips, one round")
    parser.add_argument("--source", type=Path, help="material of your own")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--long-seconds", type=int, default=240)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--yardsticks", action="store_true", help="others' option sets, too"
    )
    parts = ("jobs", "workers", "quality")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.seconds, wanted.long_seconds, wanted.repeat = 6, 24, 1
    adopt_orphans()
    wanted.material = (
        own_material(wanted.source) if wanted.source else public_material()
    )
    with tempfile.TemporaryDirectory(prefix="hv-bench-") as folder:
        run(wanted, Path(folder))


if __name__ == "__main__":
    main()
