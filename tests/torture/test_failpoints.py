"""
At each named point a process is killed, stopped, or told that it has failed.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil
import pytest

from hvcore import failpoints
from hvcore.domain.tasks.kinds import TRANSCODE_PART
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.failpoints import POINTS, FailpointError
from hvcore.services.processing import part_results
from hvcore.services.processing.part_results import PartResults
from tests.services.conftest import World, make_world
from tests.support.hv_processes import HV
from tests.support.live import LiveService, until
from tests.torture.campaign import campaign, keep_up
from tests.torture.customers import Clips
from tests.torture.killer import FROZEN_FOR_S, family

IN_ONE_PROCESS: Final = [
    *("task.leased", "task.ended", "tasks.rung", "attempt.workspace"),
    *("part.encoded", "part.stored", "assemble.written", "assemble.published"),
    *("upload.stored", "upload.taken", "video.deleted"),
    *("purge.rows", "purge.media"),
]
OF_AN_OBJECT_STORE: Final = frozenset({"direct_upload.joined", "direct_upload.copied"})
"""Files on disk are never sent straight there; see tests/services/uploads."""
ELSEWHERE: Final = frozenset({"part.submitted", "part.remembered", "cancel.confirmed"})
"""Of parts that ffmpeg has nothing to do with; see test_remote_kills."""
OF_BACKUPS: Final = frozenset({"backup.written", "restore.marked"})
"""Nobody makes or restores backups here; see test_backups."""
OF_COPIES: Final = frozenset(
    f"copy.{step}"
    for step in ("begun", "checked", "claimed", "finished", "page", "prepared")
)
"""Nobody moves to another database here; see tests/cli/commands/data/test_migrate_to.py."""
OF_THE_BIN: Final = frozenset({"bin.ended", "video.restored"})
"""A stay in the bin lasts an hour at least; see tests/services/videos/test_bin.py."""
OF_REPAIRS: Final = frozenset({"repair.stored"})
"""Nothing is gone here; see tests/services/repair."""
OF_ROTATIONS: Final = frozenset({"rotation.prepared"})
"""Nobody rotates keys here; see tests/cli/commands/access/test_service_keys.py."""
AT_THE_START: Final = frozenset({"answer.sent"})
"""Reached while the service starts, which then waits for its one delivery process if that
hangs; see tests/server/file_loop/test_counted_together.py."""
OF_BULK_CHANGES: Final = frozenset({"bulk.changed", "bulk.deleted"})
"""Nobody changes several videos here; see tests/dashboard/pages/bulk/test_runs.py."""
OF_CAPTIONS: Final = frozenset(
    {"captions.heard", "captions.stored", "captions.published"}
)
"""No machine hears the videos here; see tests/services/captions/test_making.py."""
OF_PLUGINS: Final = frozenset({"subscriber.told"})
"""Nobody subscribes here; see tests/services/webhooks/test_subscriptions.py."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path, {}) as made:
        yield made
    failpoints.arm("")


@pytest.mark.parametrize("point", IN_ONE_PROCESS)
def test_a_failure_at_any_point_is_repaired(world: World, point: str) -> None:
    failpoints.arm(f"{point}=raise*1")
    try:
        path = world.uploaded().path
    except FailpointError:
        path = world.uploaded().path
    video_id = world.services.processing.process(world.env, path, world.wanted())

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    attempts = {name.split("/")[3] for name in world.files("media/") if ".m4s" in name}
    assert len(attempts) == 1
    with suppress(FailpointError):
        world.services.deletion.delete(world.caller, "org_a", video_id, None)
    world.run_everything()
    assert world.files(f"media/{video_id}") == []
    assert world.files(path) == []


def test_a_commit_whose_answer_is_lost_keeps_the_parts_files(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As when a database server dies right after it has made a commit durable.
    video_id = world.processed()
    finish_part = PartResults._finish
    lost: list[bool] = []

    def lose_the_answer(self: object, *args: object) -> None:
        finish_part(self, *args)  # type: ignore[arg-type]  # passed on
        if not lost:
            lost.append(True)
            raise UnavailableError("The connection was lost.")

    monkeypatch.setattr(PartResults, "_finish", lose_the_answer)
    world.run_everything()

    assert lost
    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media is not None
    for track in video.media.tracks:
        for piece in track.pieces:
            folder = f"{video.media_root}/{piece.folder}/{track.track.name}"
            assert f"{folder}/0.m4s" in world.files()


def test_a_part_that_ends_while_the_database_is_away_is_not_encoded_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As during a fail-over, which is over before the lease.
    video_id = world.processed()
    finish_part = PartResults._finish
    refused: list[bool] = []

    def refuse_twice(self: object, *args: object) -> None:
        if len(refused) < 2:
            refused.append(True)
            raise UnavailableError("The database does not answer.")
        finish_part(self, *args)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(part_results, "FINISHES_AGAIN_AFTER_S", 0)
    monkeypatch.setattr(PartResults, "_finish", refuse_twice)
    world.run_everything()

    assert len(refused) == 2
    assert world.video(video_id).state is VideoState.READY
    with world.services.uow.read() as work:
        parts = work.tasks.search(kind=TRANSCODE_PART)
    assert {(part.fence, part.error) for part in parts} == {(1, "")}


def test_an_unknown_point_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match=r"part\.stored"):
        failpoints.arm("part.storde=kill")


def test_nothing_fails_without_being_asked_to() -> None:
    for point in POINTS:
        failpoints.failpoint(point)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("action", ["kill", "raise", "hang"])
def test_no_point_is_a_bad_one_to_fail_at(
    tmp_path: Path, clips: Clips, action: str
) -> None:
    never = OF_AN_OBJECT_STORE | ELSEWHERE | OF_BACKUPS | OF_COPIES | OF_REPAIRS
    never |= OF_THE_BIN | OF_ROTATIONS | OF_BULK_CHANGES | OF_CAPTIONS | OF_PLUGINS
    if action == "hang":
        never |= AT_THE_START
    points = [point for point in POINTS if point not in never]
    assert gone_through(tmp_path, clips, points, action) == []


def gone_through(
    folder: Path, clips: Clips, points: list[str], action: str
) -> list[str]:
    reached = folder / "reached"
    reached.mkdir()
    orders = ";".join(f"{point}={action}*1" for point in points)
    settings = {"HV_FAILPOINTS": orders, "HV_FAILPOINTS_DIR": str(reached)}
    with campaign(folder, clips, seed=1, **settings) as made:
        wakes = _Wakes(made.service)

        def tend() -> None:
            keep_up(made.service)
            wakes.look_after()

        def is_through() -> bool:
            tend()
            return len(list(reached.iterdir())) == len(points)

        with _others(made.service, wanted=action == "hang"):
            made.begin()
            with suppress(TimeoutError):
                until(is_through, within_s=600)
        missed = set(points) - {
            file.name.rpartition(".")[0] for file in reached.iterdir()
        }
        faults = made.end(tend)
        print(made.summary({action: len(points)}))  # noqa: T201 - of a long run
        return [*faults, *(f"{point} was not reached" for point in missed)]


class _Wakes:
    """
    Lets stopped processes go on once others have taken their tasks.
    """

    def __init__(self, service: LiveService) -> None:
        self._service = service
        self._since: dict[psutil.Process, float] = {}

    def look_after(self) -> None:
        now = time.monotonic()
        for process in family(self._service.supervisor):
            with suppress(psutil.Error):
                if process.status() != psutil.STATUS_STOPPED:
                    self._since.pop(process, None)
                elif now - self._since.setdefault(process, now) > FROZEN_FOR_S:
                    process.resume()


@contextmanager
def _others(service: LiveService, *, wanted: bool) -> Iterator[None]:
    """
    Run a worker in which nothing fails, for the tasks of those that hang.
    """
    if not wanted:
        yield
        return
    environ = {k: v for k, v in service.environ.items() if "FAILPOINTS" not in k}
    socket = next(iter(service.data.glob("run/queue.sock")), None)
    if socket is not None:
        environ["HV_QUEUE__OPTIONS__URL"] = f"unix://{socket}"
    # As ``hv up`` gives them to its own workers: the addresses stand in webhooks.
    environ |= {
        "HV_PUBLIC__API_URL": service.api,
        "HV_PUBLIC__WORKER_URL": service.worker,
        "HV_PUBLIC__PLAYER_URL": service.worker,
    }
    worker = subprocess.Popen([*HV, "worker"], env=environ, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        worker.terminate()
        try:
            worker.wait(timeout=20)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
