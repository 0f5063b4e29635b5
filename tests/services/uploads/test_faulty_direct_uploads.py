"""
Files that are sent straight to a store which fails now and then.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import attrs
import pytest
import urllib3

from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import Task, TaskState
from hvcore.domain.uploads.grants import FileWanted, UploadGranted, direct_upload_path
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import World
from tests.services.uploads.direct import (
    DATA,
    content,
    direct_world,
    granted_video,
    new_bucket_of,
    objects,
    put,
    take_in,
)
from tests.support.live import until
from tests.support.stores.faulty_store import FAULTS, Fault, FaultyStore, faulty_store
from tests.support.stores.object_store import swift_client


@attrs.frozen(kw_only=True)
class Site:
    """
    A service and its store, with a proxy between them and before the senders.
    """

    world: World
    store: FaultyStore
    behind: str
    bucket: str

    def has_one_right_file(self, granted: UploadGranted) -> bool:
        video = self.world.video(granted.grant.video_id or "")
        (path,) = objects(self.behind, self.bucket, granted.grant.path)
        return (
            path == video.source_path
            and content(self.behind, self.bucket, path) == DATA
        )


def take_tasks(world: World, granted: UploadGranted) -> Sequence[Task]:
    with world.services.uow.read() as work:
        return work.tasks.of_subject(granted.grant.id, kind=UPLOAD_TAKE)


def run_task(world: World, task: Task) -> None:
    world.services.task_runs.run(task.id, worker="test:1", stopping=lambda: False)


def is_copy_of(granted: UploadGranted, path: str) -> bool:
    return re.search(f"{granted.grant.path}/[0-9a-f]{{16}}$", path) is not None


def begun_in_parts(site: Site, granted: UploadGranted) -> Sequence[str]:
    found = swift_client(site.behind).list_multipart_uploads(Bucket=site.bucket)
    return [
        upload["Key"]
        for upload in found.get("Uploads", ())
        if granted.grant.path in upload["Key"]
    ]


@pytest.fixture
def site(tmp_path: Path, swift: str) -> Iterator[Site]:
    bucket = new_bucket_of(swift)
    with (
        faulty_store(swift) as store,
        direct_world(tmp_path, store.url, bucket) as world,
    ):
        yield Site(world=world, store=store, behind=swift, bucket=bucket)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("method", "path", "copies", "fault"),
    [
        pytest.param(
            *request,
            fault,
            id=f"{step}-{fault.name}",
            # In short: every fault where something is written, elsewhere one.
            marks=() if step == "copying" or fault is usual else pytest.mark.long,
        )
        for step, usual, *request in (
            ("looking", Fault.ERROR_500, "HEAD", "/arrival", False),
            ("copying", None, "PUT", "/uploads/", True),
            ("removing", Fault.RESET, "POST", "", False),
            ("listing", Fault.HALF_ANSWER, "GET", "", False),
        )
        for fault in FAULTS
    ],
)
def test_a_fault_of_the_store_costs_time_and_nothing_else(
    site: Site, fault: Fault, method: str, path: str, *, copies: bool
) -> None:
    answer = granted_video(site.world)
    assert put(answer) == 200

    struck = site.store.struck
    site.store.strike_once(fault, method, path, copies=copies)
    take_in(site.world)

    assert site.store.struck == struck + 1
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING, video.failure_reason
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


@pytest.mark.cases(3)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_while_a_file_is_sent_publishes_nothing_wrong(
    site: Site, fault: Fault
) -> None:
    answer = granted_video(site.world)
    video_id = answer.grant.video_id or ""
    site.store.strike_once(fault, "PUT", "/arrival")

    try:
        status = put(answer)
    except urllib3.exceptions.HTTPError:
        status = None
    take_in(site.world)

    has_come = fault in {Fault.ANSWER_LOST, Fault.HALF_ANSWER}
    assert (status == 200) <= has_come
    expected = VideoState.TRANSCODING if has_come else VideoState.AWAITING_UPLOAD
    assert site.world.video(video_id).state is expected
    if not has_come:
        assert objects(site.behind, site.bucket, answer.grant.path) == []
        assert put(answer) == 200
        take_in(site.world)
    assert site.world.video(video_id).state is VideoState.TRANSCODING
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


def test_a_file_that_changes_while_it_is_taken_in_is_taken_whole(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer, DATA[::-1])
    others = iter([DATA])

    def replace(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del path
        if method == "PUT" and is_copy:
            for data in others:
                put(answer, data)

    site.store.strikes = replace
    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert content(site.behind, site.bucket, video.source_path) == DATA


def test_a_file_that_is_sent_again_while_it_is_refused_is_taken_in(
    tmp_path: Path, swift: str
) -> None:
    with (
        faulty_store(swift) as store,
        direct_world(tmp_path, store.url, new_bucket_of(swift), mode="on") as world,
    ):
        answer = world.services.uploads.grant_video(
            world.env, FileWanted(file_name="a"), world.wanted()
        )
        assert put(answer, content_type="text/html") == 200
        looks = itertools.count(1)

        def replace(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
            del is_copy
            # Seen before: when it was looked for, and when it was to be copied.
            if method == "HEAD" and path.endswith("/arrival") and next(looks) == 3:
                put(answer)

        store.strikes = replace
        take_in(world)

        video = world.video(answer.grant.video_id or "")
        assert video.state is VideoState.TRANSCODING, video.failure_reason
        assert next(looks) > 3
        with world.services.storage.open(video.source_path) as file:
            assert file.read() == DATA


def test_of_two_workers_that_take_a_file_in_one_leaves_nothing(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)
    site.world.services.direct_uploads.complete(
        site.world.caller, site.world.env.org_id, answer.grant.video_id or ""
    )
    first, second = take_tasks(site.world, answer)
    site.world.clock.move(seconds=10)

    def overtake(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del is_copy
        if method == "HEAD" and is_copy_of(answer, path):
            site.store.strikes = lambda *_: None
            run_task(site.world, second)

    site.store.strikes = overtake
    run_task(site.world, first)

    assert site.has_one_right_file(answer)
    assert [task.state for task in take_tasks(site.world, answer)] == [
        TaskState.DONE,
        TaskState.DONE,
    ]


def test_a_file_that_vanishes_while_it_is_copied_leaves_no_copy(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)

    def remove(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del is_copy
        if method == "HEAD" and is_copy_of(answer, path):
            site.store.strikes = lambda *_: None
            site.world.services.storage.delete_tree(direct_upload_path(answer.grant))

    site.store.strikes = remove
    take_in(site.world)

    assert objects(site.behind, site.bucket, answer.grant.path) == []
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "upload the file again" in (video.failure_reason or "")


def test_an_upload_being_taken_in_is_not_removed_however_long_it_takes(
    site: Site,
) -> None:
    answer = granted_video(site.world)
    put(answer)
    site.store.strikes = lambda _method, _path, is_copy: (
        Fault.ERROR_503 if is_copy else None
    )
    take_in(site.world)

    site.world.clock.move(hours=12)
    take_in(site.world)
    site.store.strikes = lambda *_: None
    take_in(site.world)
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING, video.failure_reason
    put(answer, DATA[::-1])
    site.world.clock.move(hours=1)
    take_in(site.world)
    assert site.has_one_right_file(answer)


def test_an_upload_that_the_store_never_gives_fails_after_a_day_and_goes(
    site: Site,
) -> None:
    answer = granted_video(site.world)
    put(answer)
    site.store.strikes = lambda _method, _path, is_copy: (
        Fault.ERROR_503 if is_copy else None
    )
    take_in(site.world)
    site.world.clock.move(hours=26)

    take_in(site.world)
    site.store.strikes = lambda *_: None

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "for a day" in (video.failure_reason or "")
    site.world.clock.move(minutes=10)
    take_in(site.world)
    assert objects(site.behind, site.bucket, answer.grant.path) == []


def test_a_grant_at_which_the_store_never_lets_look_ends_after_a_day(
    site: Site,
) -> None:
    answer = granted_video(site.world)
    put(answer)
    site.store.strikes = lambda method, path, _is_copy: (
        Fault.ERROR_403 if method == "HEAD" and path.endswith("/arrival") else None
    )
    take_in(site.world)
    site.world.services.uploads.expire()
    video_id = answer.grant.video_id or ""
    assert site.world.video(video_id).state is VideoState.AWAITING_UPLOAD

    site.world.clock.move(hours=26)
    take_in(site.world)
    site.world.services.uploads.expire()
    take_in(site.world)
    site.store.strikes = lambda *_: None

    assert site.world.video(video_id).state is VideoState.DELETED
    assert objects(site.behind, site.bucket, answer.grant.path) == []


def test_a_retry_has_a_day_of_its_own(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)
    site.store.strikes = lambda _method, _path, is_copy: (
        Fault.ERROR_503 if is_copy else None
    )
    take_in(site.world)
    site.world.clock.move(hours=26)
    # What is there is kept: it is due only later.
    for task in take_tasks(site.world, answer):
        run_task(site.world, task)
    video_id = answer.grant.video_id or ""
    assert site.world.video(video_id).state is VideoState.FAILED
    site.world.services.processing.retry(
        site.world.caller, site.world.env.org_id, video_id
    )
    for task in take_tasks(site.world, answer):
        run_task(site.world, task)

    assert site.world.video(video_id).state is VideoState.TRANSCODING
    site.store.strikes = lambda *_: None


def test_a_copy_is_not_waited_for_when_the_work_is_to_stop(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)
    stop, go_on, went_on = Event(), Event(), list[bool]()

    def hang(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del method, path
        if is_copy:
            site.store.strikes = lambda *_: None
            stop.set()
            went_on.append(go_on.wait(20))

    site.store.strikes = hang
    site.world.clock.move(seconds=10)
    (task,) = take_tasks(site.world, answer)
    site.world.services.task_runs.run(task.id, worker="test:1", stopping=stop.is_set)
    go_on.set()

    assert until(lambda: went_on, within_s=30) == [True]
    # What came of it afterwards is removed.
    sent = direct_upload_path(answer.grant)
    until(
        lambda: objects(site.behind, site.bucket, answer.grant.path) == [sent],
        within_s=30,
    )


def test_a_copy_begun_in_parts_is_ended_after_the_store_went_away(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that a small file is copied in parts.
    monkeypatch.setattr("s3fs.core.MANAGED_COPY_THRESHOLD", 1)
    answer = granted_video(site.world)
    put(answer)

    def vanish(method: str, path: str, is_copy: bool) -> Fault | None:  # noqa: FBT001 - see FaultyStore.strikes
        del method, path
        if is_copy:
            site.store.strikes = lambda *_: Fault.ERROR_503
            return Fault.ERROR_503
        return None

    site.store.strikes = vanish
    take_in(site.world)
    assert begun_in_parts(site, answer)

    site.store.strikes = lambda *_: None
    site.world.services.deletion.delete(
        site.world.caller, site.world.env.org_id, answer.grant.video_id or "", None
    )
    site.world.clock.move(hours=12)
    take_in(site.world)

    assert not begun_in_parts(site, answer)


def test_while_the_store_is_away_files_wait(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)

    site.store.strikes = lambda *_: Fault.ERROR_503
    take_in(site.world)
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.AWAITING_UPLOAD

    site.store.strikes = lambda *_: None
    take_in(site.world)
    assert site.world.video(video.id).state is VideoState.TRANSCODING
