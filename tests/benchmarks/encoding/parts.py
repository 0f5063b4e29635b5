"""
Parts of a long video: what each takes, and how many workers share them.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import attrs

from hvcore.clock import SystemClock
from hvcore.domain.processing.storyboard import still_interval_s
from hvcore.plugin_api import (
    SEGMENT_S,
    BuildContext,
    EncodingSettings,
    Part,
    SourceInfo,
    TranscodeOrder,
    Transcoder,
    Workspace,
    build_ladder,
)
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.benchmarks.encoding.costs import Cost, cost_of
from tests.benchmarks.encoding.jobs import PRESET

MOST_WORKERS: Final = 8


class _Nothing:
    """
    What a transcoder has no use for.
    """

    def find(self, sha256: str) -> NoReturn:
        raise AssertionError(sha256)

    def note_use(self, key: object, at: object) -> NoReturn:
        raise AssertionError(key, at)

    def ask(self, statement: object, values: object) -> NoReturn:
        raise AssertionError(statement, values)

    def ask_for_many(self, statement: object, values: object) -> NoReturn:
        raise AssertionError(statement, values)

    def reading(self) -> NoReturn:
        raise AssertionError

    def writing(self, *, timeout_ms: int | None = None) -> NoReturn:
        raise AssertionError(timeout_ms)


@contextmanager
def transcoder_in(folder: Path) -> Iterator[Transcoder]:
    """
    Build the transcoder that services use, with its default options.
    """
    context = BuildContext(
        clock=SystemClock(),
        state_dir=folder / "state",
        work_dir=folder / "work",
        keys=_Nothing(),
        database=_Nothing(),
    )
    transcoder = build(FfmpegOptions(), context)
    try:
        yield transcoder
    finally:
        transcoder.close()


def workspace_of(clip: Path, folder: Path) -> Workspace:
    """
    Make a workspace that nobody stops.
    """
    folder.mkdir(parents=True)
    return Workspace(
        source=clip, folder=folder, report=lambda _: None, check=lambda: None
    )


def order_of(source: SourceInfo, *, workers: int) -> TranscodeOrder:
    """
    Make the order that a service with so many workers makes.
    """
    settings = EncodingSettings(preset=PRESET)
    return TranscodeOrder(
        source=source,
        settings=settings,
        ladder=build_ladder(source, settings),
        segment_s=SEGMENT_S,
        workers=workers,
        still_interval_s=still_interval_s(source.duration_s),
    )


@attrs.frozen(kw_only=True)
class Made:
    """
    What a part took, and how large its pictures are.
    """

    cost: Cost
    picture_bytes: int


@attrs.frozen(kw_only=True)
class PartTimes:
    """
    What the parts of some plans take on a machine of their own, as measured here.
    """

    made: Mapping[Part, Made]

    def cpu_s(self, plan: Sequence[Part]) -> float:
        """
        Return the processor time of all parts of a plan that was measured.
        """
        return sum(self._measured(part).cost.cpu_s for part in plan)

    def picture_bytes(self, plan: Sequence[Part]) -> int:
        """
        Return the size of all rungs of a plan that was measured.
        """
        return sum(self._measured(part).picture_bytes for part in plan)

    def wall_s(self, part: Part) -> float:
        """
        Return what a part takes; by its length if no measured plan has it.
        """
        if any(_key(measured) == _key(part) for measured in self.made):
            return self._measured(part).cost.wall_s
        alike = [
            (_length_s(measured), made.cost.wall_s)
            for measured, made in self.made.items()
            if measured.has_pictures == part.has_pictures
        ]
        rate = sum(wall_s for _, wall_s in alike) / sum(length for length, _ in alike)
        return rate * _length_s(part)

    def _measured(self, part: Part) -> Made:
        return next(
            made for measured, made in self.made.items() if _key(measured) == _key(part)
        )


def _key(part: Part) -> tuple[float, float | None, bool, bool]:
    return part.start_s, part.end_s, part.has_pictures, part.has_sound


def _length_s(part: Part) -> float:
    return (part.end_s or part.order.source.duration_s) - part.start_s


def measure_parts(
    transcoder: Transcoder, plans: Sequence[Sequence[Part]], clip: Path, folder: Path
) -> PartTimes:
    """
    Run every part of some plans alone, one after the other.

    What plans have in common runs once.
    """
    parts = {_key(part): part for plan in plans for part in plan}

    made = {}
    for number, part in enumerate(parts.values()):
        run = _Run(
            transcoder=transcoder,
            part=part,
            workspace=workspace_of(clip, folder / f"part-{number}"),
        )
        cost = cost_of(run)
        files = run.workspace.folder.glob("video/*/*.m4s")
        made[part] = Made(
            cost=cost, picture_bytes=sum(file.stat().st_size for file in files)
        )
    return PartTimes(made=made)


def run_parts(
    transcoder: Transcoder, plan: Sequence[Part], clip: Path, folder: Path
) -> Path:
    """
    Run a plan's parts; return the folder with the segments of all of them.

    It holds ``<rung>/init.m4s`` and ``<rung>/<number>.m4s``.
    """
    joined = folder / "joined"
    for part in plan:
        if not part.has_pictures:
            continue
        workspace = workspace_of(clip, folder / f"part-{part.index}")
        transcoder.run(part, workspace)
        for rung in part.order.ladder.rungs:
            (joined / rung.key).mkdir(parents=True, exist_ok=True)
            for file in (workspace.folder / "video" / rung.key).glob("*.m4s"):
                file.replace(joined / rung.key / file.name)
    return joined


@attrs.frozen(kw_only=True)
class _Run:
    transcoder: Transcoder
    part: Part
    workspace: Workspace

    def __call__(self) -> None:
        self.transcoder.run(self.part, self.workspace)


def scheduled_wall_s(times: Sequence[float], workers: int) -> float:
    """
    Return when the last task ends if each goes to the worker that is free first.
    """
    free_at = [0.0] * workers
    for time_s in times:
        heapq.heappush(free_at, heapq.heappop(free_at) + time_s)
    return max(free_at)


def simulate(
    transcoder: Transcoder, source: SourceInfo, times: PartTimes, *, around_s: float
) -> dict[int, float]:
    """
    Return the wall time of the job by the number of workers.

    Simulated: each worker has a machine like this one for itself, and takes
    the parts in the plan's order.

    Args:
        around_s: Wall time of a job outside its parts: asking, probing,
            assembling, publishing.
    """
    walls = {}
    for workers in range(1, MOST_WORKERS + 1):
        plan = transcoder.plan(order_of(source, workers=workers))
        part_walls = [times.wall_s(part) for part in plan]
        walls[workers] = around_s + scheduled_wall_s(part_walls, workers)
    return walls


def joints_s(parts: Sequence[Part]) -> list[float]:
    """
    Return where the pictures of one part end and those of the next begin.
    """
    return [part.start_s for part in parts if part.has_pictures and part.start_s]
