"""
The bin: restored with everything, or deleted whole; never something in between.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta

import attrs
import pytest

from hvcore import failpoints
from hvcore.domain.access.principals import Person
from hvcore.domain.labels import LabelChanges
from hvcore.domain.tasks.kinds import (
    THUMBNAIL_MAKE,
    THUMBNAIL_TIDY,
    TRANSCODE_PART,
    TRANSCODE_REPAIR,
    TRANSCODE_TIDY,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import ENDED, Lane, NewTask, TaskState
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoChanges
from hvcore.domain.webhooks.events import EventQuery, StoredEvent
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    VideoNotFoundError,
)
from hvcore.failpoints import FailpointError
from hvcore.persistence.inspection import SqlInspection
from hvcore.persistence.videos.recount import recount
from hvcore.services.access.audit import acting_as_person
from hvcore.services.repair.damages import Scope
from tests.services.conftest import World
from tests.services.videos.binned import (
    bin_it,
    delete_now,
    is_playing,
    kept_files,
    pass_hours,
    restore,
    stored_bytes,
    used,
)

ANN = Person(subject="ann", name="Ann", backend="links")


@pytest.fixture
def failed(world: World) -> str:
    video_id = world.processed(b"unusable")
    world.run_tasks()
    assert world.video(video_id).state is VideoState.FAILED
    return video_id


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    yield
    failpoints.arm("")


def test_a_binned_video_is_missing_everywhere(world: World, ready: str) -> None:
    services, caller = world.services, world.caller
    assert is_playing(world, ready)

    bin_it(world, ready)

    assert not is_playing(world, ready)
    with pytest.raises(VideoNotFoundError):
        services.catalog.details(caller, "org_a", ready)
    with pytest.raises(VideoNotFoundError):
        services.playback.sign(caller, "org_a", ready, expires_in_s=60)
    with pytest.raises(VideoNotFoundError):
        services.processing.retry(caller, "org_a", ready)
    query = VideoQuery(page=1, page_size=10)
    assert services.catalog.page(world.env, query).total == 0


@pytest.mark.parametrize("kind", ["ready", "failed"])
def test_a_restored_video_has_everything_that_it_had(
    world: World, kind: str, request: pytest.FixtureRequest
) -> None:
    video_id: str = request.getfixturevalue(kind)
    before, files = world.video(video_id), kept_files(world, video_id)

    bin_it(world, video_id)
    pass_hours(world, 19)
    restore(world, video_id)
    pass_hours(world, 30)

    after = world.video(video_id)
    counted = attrs.evolve(
        after, version=before.version, event_count=before.event_count
    )
    assert counted == before
    assert kept_files(world, video_id) == files
    assert is_playing(world, video_id) is (kind == "ready")
    assert not SqlInspection(world.services.engine).wrong_totals(org_id=None)


def test_a_video_that_is_not_restored_is_gone_within_24_hours(
    world: World, ready: str
) -> None:
    bin_it(world, ready, keep_hours=23)

    pass_hours(world, 22.9)
    assert kept_files(world, ready)
    pass_hours(world, 0.2)

    assert world.files() == []
    assert world.video(ready).name == ""
    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    with pytest.raises(AlreadyDeletedError):
        delete_now(world, ready)


def test_a_video_is_not_restored_when_its_stay_has_ended_though_its_files_are_there(
    world: World, ready: str
) -> None:
    bin_it(world, ready)
    world.clock.move(hours=20)

    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    with pytest.raises(AlreadyDeletedError):
        delete_now(world, ready)


def test_a_deletion_of_a_binned_video_ends_its_stay(world: World, ready: str) -> None:
    bin_it(world, ready)

    delete_now(world, ready, DeletionReason.COPYRIGHT_CLAIM)
    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    pass_hours(world, 0.3)

    assert world.files() == []
    assert world.video(ready).deletion_reason is DeletionReason.COPYRIGHT_CLAIM


def test_a_second_stay_only_ends_sooner(world: World, ready: str) -> None:
    bin_it(world, ready, keep_hours=10)
    stay = world.video(ready).bin_stay

    bin_it(world, ready, keep_hours=20)
    assert world.video(ready).bin_stay == stay
    bin_it(world, ready, keep_hours=1)
    pass_hours(world, 1.3)

    assert world.files() == []


def test_a_reason_that_allows_no_stay_ends_one(world: World, ready: str) -> None:
    bin_it(world, ready)

    world.services.deletion.delete(
        world.caller, "org_a", ready, DeletionReason.POLICY_VIOLATION, keep_hours=20
    )

    assert world.video(ready).bin_stay is None


def test_a_restored_video_is_restored_once(world: World, ready: str) -> None:
    bin_it(world, ready)

    with acting_as_person(ANN):
        restore(world, ready)
        restore(world, ready)

    assert [one.event.kind.value for one in events(world)][-2:] == [
        "video.deleted",
        "video.restored",
    ]
    audited = world.services.audit.latest("org_a", limit=100)
    assert [entry.action for entry in audited].count("video.restore") == 1


def test_a_restore_has_the_next_sequence_and_the_video_s_state(
    world: World, failed: str
) -> None:
    bin_it(world, failed)
    restore(world, failed)

    last = events(world)[-1].event
    assert last.status == "failed"
    assert last.error == world.video(failed).failure_reason
    assert last.sequence == world.video(failed).event_count


def events(world: World) -> Sequence[StoredEvent]:
    with world.services.uow.read() as work:
        return work.events.page(world.env, EventQuery(after=0, limit=100)).events


def test_an_external_id_stays_reserved_until_the_stay_ends(
    world: World, ready: str
) -> None:
    services, caller = world.services, world.caller
    named = VideoChanges(labels=LabelChanges(external_id="film"))
    services.editing.change(caller, "org_a", ready, named)
    other = world.processed()
    bin_it(world, ready)

    with pytest.raises(VideoNotFoundError):
        services.catalog.external(caller, world.env, "film")
    recount(services.engine)
    with pytest.raises(ConflictError, match="externalID belongs to another video"):
        services.editing.change(caller, "org_a", other, named)
    restore(world, ready)
    assert services.catalog.external(caller, world.env, "film").id == ready

    bin_it(world, ready)
    delete_now(world, ready)
    services.editing.change(caller, "org_a", other, named)


def test_the_bytes_of_a_binned_video_count(world: World, ready: str) -> None:
    before = stored_bytes(world)
    assert before > 0

    bin_it(world, ready)
    assert stored_bytes(world) == before
    recount(world.services.engine)
    assert stored_bytes(world) == before
    assert not SqlInspection(world.services.engine).wrong_totals(org_id=None)

    pass_hours(world, 21)
    assert stored_bytes(world) == 0
    assert not SqlInspection(world.services.engine).wrong_totals(org_id=None)


def test_a_restore_counts_no_encoded_minutes(world: World, ready: str) -> None:
    before = used(world).encoded_ms

    bin_it(world, ready)
    restore(world, ready)

    assert used(world).encoded_ms == before > 0


@pytest.mark.parametrize("kind", [THUMBNAIL_MAKE, TRANSCODE_REPAIR, TRANSCODE_PART])
def test_other_work_on_a_binned_video_rests(
    world: World, ready: str, kind: str
) -> None:
    task = NewTask(kind=kind, lane=Lane.LIGHT, org_id=world.env.org_id, subject=ready)
    with world.services.uow.write() as work:
        work.tasks.add([task])
        leased = work.tasks.lease(task.id, worker="test:1")
        work.commit()
    assert leased is not None

    bin_it(world, ready)
    with world.services.uow.write() as work:
        assert not work.tasks.finish(leased)
        assert work.tasks.lease(task.id, worker="test:1") is None
    restore(world, ready)

    with world.services.uow.write() as work:
        assert work.tasks.lease(task.id, worker="test:1") is not None


@pytest.mark.parametrize("kind", [THUMBNAIL_TIDY, TRANSCODE_TIDY])
def test_files_that_a_restored_video_does_not_need_are_removed_after_the_restore(
    world: World, ready: str, kind: str
) -> None:
    task = NewTask(kind=kind, lane=Lane.LIGHT, org_id=world.env.org_id, subject=ready)
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()

    bin_it(world, ready)
    pass_hours(world, 1)
    restore(world, ready)

    with world.services.uow.write() as work:
        assert work.tasks.lease(task.id, worker="test:1") is None
    world.clock.move(seconds=16 * 60)
    with world.services.uow.write() as work:
        assert work.tasks.lease(task.id, worker="test:1") is not None


def test_a_repair_of_a_binned_video_ends_with_its_stay(
    world: World, ready: str
) -> None:
    task = NewTask(
        kind=TRANSCODE_REPAIR, lane=Lane.LIGHT, org_id=world.env.org_id, subject=ready
    )
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()

    bin_it(world, ready)
    delete_now(world, ready)

    with world.services.uow.read() as work:
        found = work.tasks.find(task.id)
    assert found is not None
    assert found.state is TaskState.CANCELLED


def test_a_purge_that_comes_too_early_waits(world: World, ready: str) -> None:
    bin_it(world, ready)
    with world.services.uow.write() as work:
        work.tasks.hurry(work.tasks.unended(world.video(ready).id, kind=VIDEO_PURGE))
        work.commit()

    world.run_tasks()

    restore(world, ready)
    assert is_playing(world, ready)


def test_a_restored_video_has_no_purge(world: World, ready: str) -> None:
    bin_it(world, ready)
    restore(world, ready)

    with world.services.uow.read() as work:
        purges = work.tasks.of_subject(ready, kind=VIDEO_PURGE)
    assert purges
    assert all(task.state in ENDED for task in purges)


def test_an_erasure_ends_the_stay(world: World, ready: str) -> None:
    bin_it(world, ready)

    world.services.erasure.erase(world.video(ready), actor="service")

    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    pass_hours(world, 0.3)
    assert world.files() == []


def test_the_upload_of_a_binned_video_stays_until_the_stay_ends(
    world: World, ready: str
) -> None:
    def state() -> GrantState:
        with world.services.uow.read() as work:
            grant = work.grants.find_path(
                "/".join(world.video(ready).source_path.split("/")[:4])
            )
        assert grant is not None
        return grant.state

    bin_it(world, ready)
    assert state() is GrantState.USED

    delete_now(world, ready)
    assert state() is GrantState.ENDED


@pytest.mark.parametrize(
    "point", ["video.deleted", "video.restored", "bin.ended", "purge.rows"]
)
def test_a_failure_at_any_point_leaves_the_video_whole_or_deleted(
    world: World, ready: str, point: str
) -> None:
    files = kept_files(world, ready)
    failpoints.arm(f"{point}=raise*1")

    try:
        bin_it(world, ready)
    except FailpointError:
        assert point == "video.deleted"
    try:
        restore(world, ready)
    except FailpointError:
        assert point == "video.restored"
    assert is_playing(world, ready)
    assert kept_files(world, ready) == files

    bin_it(world, ready)
    pass_hours(world, 21)
    world.run_everything()
    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    assert world.files() == []


def test_the_bin_lists_what_can_be_restored_the_last_deleted_first(
    world: World, ready: str, failed: str
) -> None:
    bin_it(world, ready, keep_hours=1)
    world.clock.move(seconds=1)
    bin_it(world, failed, keep_hours=2)
    gone = world.processed()
    delete_now(world, gone)

    page = world.services.bin.page(world.env, page=1, page_size=1)
    rest = world.services.bin.page(world.env, page=2, page_size=1)

    assert [one.id for one in (*page.videos, *rest.videos)] == [failed, ready]
    assert page.total == rest.total == 2
    assert page.videos[0].state is VideoState.FAILED
    stay = world.video(ready).bin_stay
    assert stay is not None
    assert rest.videos[0].restorable_until == stay.ends_at
    world.clock.move(hours=1)
    left = world.services.bin.page(world.env, page=1, page_size=10)
    assert [one.id for one in left.videos] == [failed]


def test_no_certificate_exists_while_a_video_can_be_restored(
    world: World, ready: str
) -> None:
    bin_it(world, ready)
    with pytest.raises(ConflictError, match="not all of it is gone"):
        world.services.deletion_certificates.make("org_a", ready)
    restore(world, ready)
    delete_now(world, ready, DeletionReason.USER_REQUEST)
    pass_hours(world, 0.3)

    signed = world.services.deletion_certificates.make("org_a", ready)

    made = json.loads(json.dumps(signed))["document"]
    assert made["deleted"]["reason"] == "user_request"
    assert made["deleted"]["publishedBytes"] > 0
    assert [one["kind"] for one in made["removed"]].count("files") == 2


def test_no_file_of_a_binned_video_is_a_leftover(world: World, ready: str) -> None:
    files = kept_files(world, ready)
    bin_it(world, ready)
    world.clock.move(hours=5)

    damages = list(world.services.fsck.damages(Scope(grace=timedelta())))

    assert [one.kind.value for one in damages] == []
    assert kept_files(world, ready) == files


def test_the_sweep_ends_a_stay_that_workers_of_an_older_version_have_left_open(
    world: World, ready: str
) -> None:
    bin_it(world, ready)
    with world.services.uow.write() as work:
        # Those know no stays: files and names go, and the purges with them.
        work.tasks.cancel(ready, kinds=(VIDEO_PURGE,))
        found = work.videos.find(world.video(ready).id, for_update=True)
        assert found is not None
        work.personal_data.erase(found, spares_untold=False)
        work.commit()
    assert stored_bytes(world)

    pass_hours(world, 44)
    world.services.erasure.sweep()
    assert stored_bytes(world)
    pass_hours(world, 2)
    world.services.erasure.sweep()
    pass_hours(world, 1)

    assert stored_bytes(world) == 0
    assert world.video(ready).bin_stay is None
    assert kept_files(world, ready) == []
