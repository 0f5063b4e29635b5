"""
A fetch ends when nobody wants it any more.
"""

import threading
from pathlib import Path

import pytest

from hvcore.domain.tasks.task import Lane, TaskState
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.persistence.unit_of_work import SqlWork
from tests.services.uploads.fetching.outside import Outside
from tests.support.network.outbound import MP4
from tests.support.servers import wait_until


def running(outside: Outside, stopped: threading.Event) -> threading.Thread:
    """
    Run what is in the queue beside the test, until the source stands still.
    """
    world = outside.world

    def run() -> None:
        world.queue.consume(
            lambda task_id: world.services.task_runs.run(
                task_id, worker="test:1", stopping=stopped.is_set
            ),
            lanes=[Lane.OUTBOUND],
            until=stopped.is_set,
        )

    assert world.services.task_runs is not None
    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: bool(outside.source.requests))
    return thread


def stalled(outside: Outside) -> None:
    outside.source.stalls(
        "/clip.mp4", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + MP4
    )


def test_a_delete_ends_the_fetch_within_two_seconds(outside: Outside) -> None:
    stalled(outside)
    video_id = outside.video()
    thread = running(outside, threading.Event())

    outside.world.services.deletion.delete(
        outside.world.caller, outside.world.env.org_id, video_id, None
    )
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(video_id)
    assert task.state is TaskState.CANCELLED
    assert list(outside.world.services.uploads.incoming_dir().iterdir()) == []


def test_a_delete_ends_the_fetch_that_began_before_there_was_a_video(
    outside: Outside,
) -> None:
    stalled(outside)
    grant = outside.download()
    thread = running(outside, threading.Event())
    video_id = outside.process(grant)

    outside.world.services.deletion.delete(
        outside.world.caller, outside.world.env.org_id, video_id, None
    )
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(grant.id)
    assert task.state is TaskState.CANCELLED
    ended = outside.grant_of(grant.id)
    assert (ended.state, ended.source_url) == (GrantState.ENDED, None)


def test_a_worker_that_is_told_to_stop_hands_the_fetch_back(outside: Outside) -> None:
    stalled(outside)
    video_id = outside.video()
    stopped = threading.Event()
    thread = running(outside, stopped)

    stopped.set()
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(video_id)
    assert task.state in {TaskState.DUE, TaskState.QUEUED}
    assert (task.attempts, task.losses) == (0, 0)
    outside.source.gives("/clip.mp4")
    outside.world.run_everything()
    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_file_fetched_after_a_delete_is_not_kept(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = outside.video()
    storage = outside.world.services.storage
    put_file = storage.put_file

    def delete_meanwhile(path: str, local: Path, *, content_type: str) -> object:
        outside.world.services.deletion.delete(
            outside.world.caller, outside.world.env.org_id, video_id, None
        )
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(storage, "put_file", delete_meanwhile)
    outside.world.run_tasks()

    assert outside.world.video(video_id).state is VideoState.DELETED
    assert outside.world.files("uploads/") == []


def test_a_fetched_file_stays_though_the_answer_that_it_was_taken_was_lost(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = outside.video()
    storage = outside.world.services.storage
    put_file, commit = storage.put_file, SqlWork.commit

    def lose_the_answer(work: SqlWork) -> None:
        monkeypatch.setattr(SqlWork, "commit", commit)
        commit(work)
        raise UnavailableError("The connection was lost.")

    def put_and_lose(path: str, local: Path, *, content_type: str) -> object:
        monkeypatch.setattr(SqlWork, "commit", lose_the_answer)
        monkeypatch.setattr(storage, "put_file", put_file)
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(storage, "put_file", put_and_lose)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_two_workers_bring_one_file(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first one sleeps through its lease; the second one does its work.
    video_id = outside.video()
    storage = outside.world.services.storage
    put_file = storage.put_file
    slept: list[str] = []

    def sleep(path: str, local: Path, *, content_type: str) -> object:
        if not slept and path.startswith("uploads/"):
            slept.append(path)
            outside.world.clock.move(seconds=60)
            outside.world.services.task_runs.sweep(holder="test")
            outside.world.run_tasks(worker="test:2")
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(storage, "put_file", sleep)
    outside.world.run_tasks(worker="test:1")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert outside.world.files("uploads/") == [
        outside.world.video(video_id).source_path
    ]
