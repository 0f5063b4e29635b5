"""
Large files that are sent straight to the object store in parts.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import pytest
import sqlalchemy as sa
import urllib3

from hvcore import failpoints
from hvcore.domain.access.quotas import QuotaUse, month_number
from hvcore.domain.labels import Labels
from hvcore.domain.tasks.kinds import UPLOAD_PURGE
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.uploads.direct import (
    PART_BYTES,
    PARTS_FROM_BYTES,
    DirectUploadMode,
    part_sizes,
)
from hvcore.domain.uploads.grants import (
    GrantState,
    UploadGrant,
    UploadGranted,
    direct_upload_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidGcsPathError, UnavailableError
from hvcore.persistence.tables import grants
from hvcore.ports.direct_uploads import PartedWrite, SupportsPartedWrite
from hvcore.services.uploads.direct_addresses import DirectAddresses
from hvcore.services.uploads.ended_grants import take_back
from tests.services.conftest import World, make_world
from tests.services.uploads.direct import (
    content,
    direct_world,
    file_of,
    new_bucket_of,
    objects,
    take_in,
)
from tests.support.stores.faulty_store import FAULTS, Fault, faulty_store

MIB: Final = 1024**2
LARGE: Final = bytes(range(256)) * (11 * MIB // 256)


@pytest.fixture(autouse=True)
def _smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    # The least that stores take, so that a test sends 11 MiB.
    monkeypatch.setattr("hvcore.domain.uploads.direct.PARTS_FROM_BYTES", 6 * MIB)
    monkeypatch.setattr("hvcore.domain.uploads.direct.PART_BYTES", 5 * MIB)


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


def granted(world: World, data: bytes = LARGE) -> UploadGranted:
    file = attrs.evolve(file_of(data), wants_parts=True)
    return world.services.uploads.grant_video(world.env, file, world.wanted())


def send(answer: UploadGranted, numbers: Sequence[int]) -> list[int]:
    statuses = []
    with urllib3.PoolManager(retries=False) as pool:
        for part in answer.parts:
            if part.number in numbers:
                at = 5 * MIB * (part.number - 1)
                body = LARGE[at : at + part.size_bytes]
                statuses.append(pool.request("PUT", part.signed_url, body=body).status)
    return statuses


def begun(world: World, answer: UploadGranted) -> list[PartedWrite]:
    return begun_at(world, direct_upload_path(answer.grant))


def begun_at(world: World, path: str) -> list[PartedWrite]:
    storage = world.services.storage
    assert isinstance(storage, SupportsPartedWrite)
    return list(storage.parted_writes(path))


def complete(world: World, answer: UploadGranted) -> None:
    world.services.direct_uploads.complete(
        world.caller, world.env.org_id, answer.grant.video_id or ""
    )


def test_a_file_has_parts_of_one_size_and_a_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()

    assert list(part_sizes(None)) == []
    assert list(part_sizes(PARTS_FROM_BYTES)) == []
    assert list(part_sizes(2 * PART_BYTES)) == [PART_BYTES] * 2
    assert list(part_sizes(2 * PART_BYTES + 1)) == [PART_BYTES, PART_BYTES, 1]
    assert len(part_sizes(5 * 1024 * MIB)) == 80


def test_parts_become_one_file(world: World, swift: str, bucket: str) -> None:
    answer = granted(world)
    assert [part.size_bytes for part in answer.parts] == [5 * MIB, 5 * MIB, MIB]
    assert "Signature" not in repr(answer)

    assert send(answer, [3, 1]) == [200, 200]
    with pytest.raises(InvalidGcsPathError, match="No bytes"):
        complete(world, answer)
    assert send(answer, [2]) == [200]
    complete(world, answer)
    take_in(world)

    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert objects(swift, bucket, answer.grant.path) == [video.source_path]
    assert content(swift, bucket, video.source_path) == LARGE
    assert begun(world, answer) == []


def test_parts_are_noticed_though_nobody_says_so(world: World) -> None:
    answer = granted(world)
    send(answer, [1, 2, 3])

    take_in(world)

    assert world.video(answer.grant.video_id or "").state is VideoState.TRANSCODING


def test_family_a_joins_parts_when_it_processes(world: World) -> None:
    file = attrs.evolve(file_of(LARGE), wants_parts=True)
    answer = world.services.uploads.grant(world.env, file)
    send(answer, [1, 2])
    with pytest.raises(InvalidGcsPathError, match="No bytes"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())

    send(answer, [3])
    video_id = world.services.processing.process(
        world.env, answer.grant.path, world.wanted()
    )
    take_in(world)

    assert world.video(video_id).state is VideoState.TRANSCODING


def test_a_part_of_another_size_is_refused(world: World) -> None:
    answer = granted(world)
    first = answer.parts[0]

    with urllib3.PoolManager(retries=False) as pool:
        status = pool.request("PUT", first.signed_url, body=LARGE[: 5 * MIB - 1]).status

    assert status == 403


def test_abandoned_parts_are_ended(world: World) -> None:
    kept, cancelled = granted(world), granted(world)
    file = attrs.evolve(file_of(LARGE), wants_parts=True)
    unprocessed = world.services.uploads.grant(world.env, file)
    for answer in (kept, cancelled, unprocessed):
        send(answer, [1])
        assert len(begun(world, answer)) == 1
    world.services.deletion.delete(
        world.caller, world.env.org_id, cancelled.grant.video_id or "", None
    )

    world.clock.move(hours=26)
    take_in(world)
    world.services.uploads.expire()
    take_in(world)

    for answer in (kept, cancelled, unprocessed):
        assert begun(world, answer) == []


def test_small_files_and_other_storages_have_no_parts(
    world: World, tmp_path: Path
) -> None:
    assert granted(world, LARGE[: 6 * MIB]).parts == ()
    with make_world(tmp_path / "files", {"HV_UPLOADS__DIRECT": "auto"}) as files:
        assert granted(files).parts == ()


@pytest.mark.parametrize("point", ["direct_upload.joined", "direct_upload.copied"])
def test_a_failure_on_the_way_is_repaired(
    world: World, swift: str, bucket: str, point: str
) -> None:
    answer = granted(world)
    send(answer, [1, 2, 3])

    failpoints.arm(f"{point}=raise*1")
    try:
        take_in(world)
    finally:
        failpoints.arm("")

    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert objects(swift, bucket, answer.grant.path) == [video.source_path]
    assert content(swift, bucket, video.source_path) == LARGE


@pytest.mark.cases(3)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_while_parts_are_joined_costs_time_and_nothing_else(
    tmp_path: Path, swift: str, bucket: str, fault: Fault
) -> None:
    with (
        faulty_store(swift) as store,
        direct_world(tmp_path, store.url, bucket) as world,
    ):
        answer = granted(world)
        send(answer, [1, 2, 3])
        store.strike_once(fault, "POST", "/arrival")

        take_in(world)

        assert store.struck == 1
        video = world.video(answer.grant.video_id or "")
        assert video.state is VideoState.TRANSCODING
        assert content(swift, bucket, video.source_path) == LARGE


def test_parts_end_though_nobody_is_sent_to_the_store_any_more(world: World) -> None:
    answer = granted(world)
    send(answer, [1])

    off = DirectAddresses(storage=world.services.storage, mode=DirectUploadMode.OFF)
    off.end_parts(direct_upload_path(answer.grant))

    assert begun(world, answer) == []


def test_a_key_that_may_not_list_parts_gets_none_and_needs_none(
    tmp_path: Path, swift: str, bucket: str, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        faulty_store(swift) as store,
        direct_world(tmp_path, store.url, bucket) as world,
    ):
        store.denies_lists_of_parts = True
        answer, abandoned = granted(world), granted(world)
        assert answer.parts == ()

        with urllib3.PoolManager(retries=False) as pool:
            sent = pool.request(
                "PUT",
                answer.signed_url,
                body=LARGE,
                headers={"Content-Type": "video/mp4"},
            )
        assert sent.status == 200
        with pytest.raises(InvalidGcsPathError, match="No bytes"):
            complete(world, abandoned)
        complete(world, answer)
        take_in(world)

        video = world.video(answer.grant.video_id or "")
        assert video.state is VideoState.TRANSCODING
        world.clock.move(hours=26)
        for _ in range(2):
            take_in(world)
            world.services.uploads.expire()
        with world.services.uow.read() as work:
            tasks = work.tasks.search(kind=UPLOAD_PURGE)
        assert {task.state for task in tasks} == {TaskState.DONE}
        warnings = [one for one in caplog.records if "may not list" in one.message]
        assert len(warnings) == 1


def use_of(world: World) -> QuotaUse:
    with world.services.uow.read() as work:
        return work.quotas.use(world.env.org_id, month_number(work.now()))


def grants_of(world: World) -> list[UploadGrant]:
    with world.services.engine.connect() as connection:
        ids = connection.execute(sa.select(grants.c.id)).scalars().all()
    with world.services.uow.read() as work:
        return [grant for one in ids if (grant := work.grants.find(one)) is not None]


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("POST", Fault.ERROR_503),
        ("POST", Fault.ANSWER_LOST),
        # The store has begun the parts, and does not list them.
        ("GET", Fault.ERROR_503),
    ],
)
def test_a_store_that_refuses_parts_leaves_nothing_that_counts(
    tmp_path: Path, swift: str, bucket: str, method: str, fault: Fault
) -> None:
    with (
        faulty_store(swift) as store,
        direct_world(tmp_path, store.url, bucket) as world,
    ):
        uploads = world.services.uploads
        file = attrs.evolve(file_of(LARGE), wants_parts=True)
        wanted = attrs.evolve(world.wanted(), labels=Labels(external_id="mine"))
        store.strikes = lambda found, *_: fault if found == method else None

        for _ in range(2):
            with pytest.raises(UnavailableError, match="storage fails"):
                uploads.grant(world.env, file)
            with pytest.raises(UnavailableError, match="storage fails"):
                uploads.grant_video(world.env, file, wanted)

        assert store.struck
        assert use_of(world) == QuotaUse()
        refused = grants_of(world)
        assert {grant.state for grant in refused} == {GrantState.ENDED}
        videos = [world.video(one.video_id) for one in refused if one.video_id]
        assert {video.state for video in videos} == {VideoState.DELETED}
        store.strikes = lambda *_: None
        # What the store had begun is ended; and the name is free again.
        take_in(world)
        assert all(
            begun_at(world, direct_upload_path(grant)) == [] for grant in refused
        )
        answer = uploads.grant_video(world.env, file, wanted)
        assert len(begun(world, answer)) == 1


def test_a_grant_that_cannot_be_taken_back_ends_by_itself(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answer = granted(world)
    with world.services.uow.write() as work:
        kind = type(work)

    def refuse(_: object) -> None:
        raise UnavailableError("The database does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr(kind, "commit", refuse)
        take_back(world.services.uow, answer.grant, world.clock.now())

    (record,) = [one for one in caplog.records if "taken back" in one.message]
    assert vars(record)["hv_upload"] == answer.grant.id
    world.clock.move(hours=26)
    take_in(world)
    world.services.uploads.expire()
    assert {grant.state for grant in grants_of(world)} == {GrantState.ENDED}
