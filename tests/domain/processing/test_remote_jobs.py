"""
Parts that are made elsewhere: when they are asked for, and what is to be cancelled.
"""

from datetime import UTC, datetime, timedelta

import attrs
import pytest

from hvcore.domain.ids import OrgId, new_task_id
from hvcore.domain.processing.remote_jobs import (
    LATE_REMOTE_JOBS_AFTER,
    RemoteJob,
    cancel_of_second,
    cancel_tasks,
    poll_pause_s,
    remote_job_of,
)
from hvcore.domain.processing.transcoding import PartPending, StoredObject
from hvcore.domain.tasks.kinds import TRANSCODE_REMOTE
from hvcore.domain.tasks.task import Lane, Task, TaskState

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def part_task(remote_job: RemoteJob | None) -> Task:
    payload: dict[str, object] = {"job": "job_1", "part": 2}
    return Task(
        id=new_task_id(),
        kind=TRANSCODE_REMOTE,
        lane=Lane.OUTBOUND,
        org_id=OrgId("org_a"),
        subject="vid_1",
        payload=payload if remote_job is None else remote_job.in_payload(payload),
        state=TaskState.CANCELLED,
        not_before=NOW,
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.mark.parametrize(
    ("elapsed_s", "pause_s"), [(0, 2), (10, 2), (50, 5), (600, 60), (36_000, 60)]
)
def test_pauses_grow_with_the_time_up_to_a_minute(
    elapsed_s: float, pause_s: float
) -> None:
    assert poll_pause_s(PartPending(handle="1"), elapsed_s=elapsed_s) == pause_s


@pytest.mark.parametrize(("asked_s", "pause_s"), [(0.0, 2), (90.0, 90), (1e6, 600)])
def test_a_pause_that_is_asked_for_has_limits(asked_s: float, pause_s: float) -> None:
    pending = PartPending(handle="1", retry_after_s=asked_s)

    assert poll_pause_s(pending, elapsed_s=10) == pause_s


def test_the_last_question_comes_at_the_deadline() -> None:
    pending = PartPending(handle="1", deadline_s=3600)

    assert poll_pause_s(pending, elapsed_s=3570) == 30
    assert poll_pause_s(pending, elapsed_s=3599.9) == 2


def test_a_task_keeps_its_remote_job() -> None:
    begun = RemoteJob(transcoder="far", number=3, begun_at=NOW)
    kept = begun.with_handle("job-7", NOW + timedelta(minutes=1))

    task = part_task(kept)

    assert remote_job_of(task) == kept
    assert remote_job_of(part_task(None)) is None


def test_the_key_is_another_after_a_failure() -> None:
    task = part_task(None)
    first = RemoteJob(transcoder="far", begun_at=NOW, handle="job-7")

    second = first.after_failure()

    assert (second.begun_at, second.handle) == (None, None)
    assert second.key(task.id) != first.key(task.id)
    assert second.target_folder(0) != first.target_folder(0)
    assert len(first.key(task.id)) <= 64


def test_a_remote_job_of_a_cancelled_task_is_cancelled() -> None:
    task = part_task(RemoteJob(transcoder="far", begun_at=NOW, handle="job-7"))

    (cancel,) = cancel_tasks([task], now=NOW)

    assert cancel.lane is Lane.OUTBOUND
    assert cancel.payload == {
        "job": "job_1",
        "transcoder": "far",
        "key": f"{task.id}-1",
        "handle": "job-7",
        "target": "media/vid_1/job_1/p2s1",
    }


def test_an_unconfirmed_remote_job_is_cancelled_now_and_later() -> None:
    task = part_task(RemoteJob(transcoder="far", begun_at=NOW))

    now, later = cancel_tasks([task], now=NOW)

    assert now.not_before is None
    assert later.not_before == NOW + LATE_REMOTE_JOBS_AFTER
    assert now.id != later.id


def test_nothing_else_is_cancelled() -> None:
    begun = part_task(RemoteJob(transcoder="far", begun_at=NOW, handle="job-7"))
    other = attrs.evolve(begun, kind="transcode.plan")

    tasks = [part_task(None), part_task(RemoteJob(transcoder="far")), other]

    assert cancel_tasks(tasks, now=NOW) == []


@pytest.mark.parametrize("path", ["", "/a", "a//b", "../a", "a/../b", "a/", "."])
def test_a_stored_object_cannot_lie_elsewhere(path: str) -> None:
    with pytest.raises(ValueError, match="relative"):
        StoredObject(name="video/480p/0.m4s", made_as=path)
    with pytest.raises(ValueError, match="relative"):
        StoredObject(name=path, made_as="0.mp4")


def test_late_remote_jobs_are_later_than_any_lease() -> None:
    assert timedelta(minutes=1) < LATE_REMOTE_JOBS_AFTER


OWN = RemoteJob(transcoder="far", begun_at=NOW, handle="job-7")


def test_a_handle_that_the_task_does_not_keep_is_cancelled() -> None:
    own = part_task(OWN)
    current = part_task(attrs.evolve(OWN, handle="job-8"))

    (cancel,) = cancel_of_second(own, current, now=NOW)

    assert cancel.not_before is None
    assert cancel.payload["handle"] == "job-7"
    # Where it writes, the other one does, too.
    assert cancel.payload["target"] is None


def test_while_no_handle_is_kept_the_other_worker_may_still_find_it() -> None:
    own, current = part_task(OWN), part_task(attrs.evolve(OWN, handle=None))

    (cancel,) = cancel_of_second(own, current, now=NOW)

    assert cancel.not_before == NOW + LATE_REMOTE_JOBS_AFTER
    assert cancel.payload["unless_kept_by"] == own.id


def test_a_failed_remote_job_is_cancelled_with_its_target() -> None:
    own, current = part_task(OWN), part_task(OWN.after_failure())

    (cancel,) = cancel_of_second(own, current, now=NOW)

    assert cancel.not_before is None
    assert cancel.payload["target"] == "media/vid_1/job_1/p2s1"


@pytest.mark.parametrize("own", [OWN, attrs.evolve(OWN, handle=None), None])
def test_the_remote_job_that_its_task_keeps_goes_on(own: RemoteJob | None) -> None:
    assert cancel_of_second(part_task(own), part_task(OWN), now=NOW) == []
