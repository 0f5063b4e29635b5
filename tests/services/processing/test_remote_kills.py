"""
A worker is killed while it deals with a part that is made elsewhere.
"""

import pytest

from hvcore.domain.tasks.kinds import TRANSCODE_CANCEL, TRANSCODE_REMOTE
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.states import VideoState
from tests.services.processing.remote_worker import killed_at
from tests.services.processing.remote_world import RemoteWorld


def _waiting(remote: RemoteWorld, video_id: str, kind: str) -> Task:
    with remote.world.services.uow.read() as work:
        return work.tasks.of_subject(video_id, kind=kind)[-1]


def _killed_at(point: str, remote: RemoteWorld, task: Task) -> None:
    killed_at(
        point,
        task.id,
        data_dir=remote.world.services.settings.data_dir,
        environ=remote.environ,
        moment=remote.world.clock.now(),
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "point", ["task.leased", "attempt.workspace", "part.submitted", "part.remembered"]
)
def test_a_kill_while_a_part_is_submitted_leaves_one_remote_job(
    remote: RemoteWorld, point: str
) -> None:
    video_id = remote.planned()
    _killed_at(point, remote, _waiting(remote, video_id, TRANSCODE_REMOTE))

    remote.move_on(seconds=90)
    remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY
    assert len(remote.service.jobs) == 1
    assert remote.service.cancels == []


@pytest.mark.cases(1)
@pytest.mark.parametrize("point", ["part.encoded", "part.stored"])
def test_a_kill_while_a_part_is_taken_over_leaves_one_remote_job(
    remote: RemoteWorld, point: str
) -> None:
    video_id = remote.submitted()
    remote.world.clock.move(seconds=remote.service.length_s)
    _killed_at(point, remote, _waiting(remote, video_id, TRANSCODE_REMOTE))

    remote.move_on(seconds=90)
    remote.move_on(minutes=16)

    video = remote.world.video(video_id)
    assert video.state is VideoState.READY
    assert len(remote.service.jobs) == 1
    storage = remote.world.services.storage
    walked = storage.walk(video.media_root or "")
    media = {i.path for i in walked if i.path.endswith(".m4s")}
    assert len({path.split("/")[3] for path in media}) == 1


def test_a_kill_while_a_part_is_cancelled_leaves_none_running(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()
    remote.delete(video_id)
    _killed_at("cancel.confirmed", remote, _waiting(remote, video_id, TRANSCODE_CANCEL))

    remote.move_on(seconds=90)

    assert remote.service.running() == []
    assert remote.waiting_cancels() == []


def test_a_deleted_video_whose_worker_was_killed_before_it_knew_the_handle(
    remote: RemoteWorld,
) -> None:
    video_id = remote.planned()
    task = _waiting(remote, video_id, TRANSCODE_REMOTE)
    _killed_at("part.submitted", remote, task)
    assert len(remote.service.running()) == 1

    remote.delete(video_id)
    remote.world.run_tasks()

    assert remote.service.running() == []
