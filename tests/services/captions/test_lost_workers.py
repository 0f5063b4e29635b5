"""Captions of a long film outlive the workers that vanish while they are made."""

from hvcore.domain.tasks.task import MAX_LOSSES
from hvcore.domain.videos.caption_jobs import CaptionJobState
from tests.services.spoken_service import SpokenService

WINDOWS = 3


def test_workers_lost_in_one_window_do_not_count_for_the_next(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    services = spoken.world.services

    # The last attempt publishes.
    for _ in range(WINDOWS + 1):
        with services.uow.write() as work:
            (waiting,) = work.tasks.unended(video_id, kind="captions.make")
            for _ in range(MAX_LOSSES):
                assert work.tasks.lease(waiting.id, worker="killed:1") is not None
                assert work.tasks.free_worker("killed:1") == 1
            work.commit()
        task = services.task_runs.take(waiting.id, worker="test:1")
        assert task is not None
        services.task_runs.work(task, stopping=lambda: False)

    assert spoken.job(video_id).state is CaptionJobState.READY
