"""
Certificates of deletions: what really happened, and never before it has.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, cast

import attrs
import pytest

from hvcore.domain.media_paths import media_prefix
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.errors import ConflictError, UnavailableError, VideoNotFoundError
from hvcore.signing.documents import check_signed
from tests.services.conftest import World


@pytest.fixture
def deleted(world: World) -> str:
    video_id = world.processed()
    world.run_tasks()
    world.services.deletion.delete(
        world.caller, "org_a", video_id, DeletionReason.COPYRIGHT_CLAIM
    )
    return video_id


def gone(world: World) -> None:
    """
    Let the purges come, the late one too.
    """
    world.run_tasks()
    world.clock.move(minutes=16)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


def certified(world: World, video_id: str) -> dict[str, Any]:
    """
    Return the document of a video's certificate, checked.
    """
    certificates = world.services.deletion_certificates
    signed = certificates.make("org_a", video_id)
    # As a file has it.
    read = json.loads(json.dumps(signed))
    return dict(check_signed(read, public_key=certificates.signer.public_key))


def test_a_certificate_tells_what_was_removed_from_where_when_and_by_whom(
    world: World, deleted: str
) -> None:
    files = len([path for path in world.storage_dir.rglob("*") if path.is_file()])
    gone(world)

    document = certified(world, deleted)

    assert document["deleted"]["by"] == f"key:{world.caller.key_id}"
    assert document["deleted"]["reason"] == "copyright_claim"
    assert document["deleted"]["publishedBytes"] > 0
    removed = [one for one in document["removed"] if one["kind"] == "files"]
    assert sum(one["pieces"] for one in removed) == files
    assert all(one["place"].startswith("file://") for one in removed)
    assert all(one["by"].startswith("task_") for one in removed)
    # The late purge came, too.
    assert all(one["firstAt"] < one["lastAt"] for one in removed)
    assert [one["objects"] for one in document["lookedAt"]] == [0, 0]
    stays = {one["table"]: one["rows"] for one in document["stays"]}
    assert stays["videos"] == 1


def test_a_video_gets_none_before_its_last_purge_and_is_told_when(
    world: World, deleted: str
) -> None:
    world.run_tasks()
    late = world.clock.now()

    with pytest.raises(ConflictError, match="not all of it is gone") as caught:
        certified(world, deleted)

    assert late.strftime("until %Y-%m-%dT") in str(caught.value.detail)


def test_objects_that_are_there_again_are_no_certificate(
    world: World, deleted: str
) -> None:
    gone(world)
    left = world.storage_dir / media_prefix(world.video(deleted).id) / "job" / "0.m4s"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"left")

    with pytest.raises(ConflictError, match="1 objects are below"):
        certified(world, deleted)


def test_a_store_that_does_not_answer_certifies_nothing(
    world: World, deleted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone(world)

    def silent(_: str) -> Iterator[object]:
        raise UnavailableError("no storage today")

    monkeypatch.setattr(world.services.storage, "walk", silent)
    with pytest.raises(UnavailableError, match="no storage today"):
        certified(world, deleted)


def test_a_video_that_is_not_deleted_gets_none(world: World) -> None:
    video_id = world.processed()
    world.run_tasks()

    with pytest.raises(ConflictError, match="hv videos delete"):
        certified(world, video_id)
    for org_id, unknown in (("org_b", video_id), ("org_a", "never")):
        with pytest.raises(VideoNotFoundError):
            world.services.deletion_certificates.make(org_id, unknown)


def test_a_purge_that_is_repeated_counts_what_it_removes_once(
    world: World, deleted: str
) -> None:
    with world.services.uow.read() as work:
        before = work.removals.of_video(world.video(deleted).id)
    gone(world)
    once = certified(world, deleted)["removed"]

    task = next(task for task in _purges(world, deleted) if task.subject == deleted)
    handler = world.services.deletion
    video = world.video(deleted)
    run = cast(Any, attrs.make_class("Run", ["task"])(task))
    handler._remove_tree(video, media_prefix(video.id), run)

    assert [one.kind.value for one in before] == ["order"]
    again = certified(world, deleted)["removed"]
    assert [one["pieces"] for one in again] == [one["pieces"] for one in once]


def test_an_older_versions_deletion_is_certified_by_the_look_alone(
    world: World, deleted: str
) -> None:
    gone(world)
    database = world.services.engine.url.database or ""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM removals")
        connection.commit()

    document = certified(world, deleted)

    assert (document["removed"], document["deleted"]["by"]) == ([], None)


def test_videos_deleted_since_a_moment_are_listed(world: World, deleted: str) -> None:
    certificates = world.services.deletion_certificates
    now = world.clock.now()
    world.clock.move(minutes=1)

    assert certificates.deleted_since(now, org_id=None) == [("org_a", deleted)]
    assert certificates.deleted_since(now, org_id="org_b") == []
    assert certificates.deleted_since(world.clock.now(), org_id=None) == []


def _purges(world: World, video_id: str) -> list[Any]:
    with world.services.uow.read() as work:
        return list(work.tasks.search(subject=video_id, kind="video.purge"))
