"""
A stay in the bin that a person ends: nothing comes back, and nothing is left.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.principals import Person
from hvcore.domain.tasks.kinds import VIDEO_PURGE
from hvcore.errors import AlreadyDeletedError, ConflictError, VideoNotFoundError
from hvcore.services.access.audit import acting_as_person
from tests.services.conftest import World
from tests.services.videos.binned import bin_it, is_playing, pass_hours, restore

ANN = Person(subject="ann", name="Ann", backend="links")


def end_stay(world: World, video_id: str, org_id: str = "org_a") -> None:
    world.services.deletion.end_stay(world.caller, org_id, video_id)


def test_a_video_whose_stay_was_ended_is_not_restored_and_leaves_no_file(
    world: World, ready: str
) -> None:
    bin_it(world, ready)

    end_stay(world, ready)

    assert world.video(ready).bin_stay is None
    with pytest.raises(ConflictError, match="cannot be restored"):
        restore(world, ready)
    pass_hours(world, 0.3)
    assert world.files() == []
    assert not is_playing(world, ready)


def test_the_end_of_a_stay_is_in_the_audit_log_with_its_person(
    world: World, ready: str
) -> None:
    bin_it(world, ready)
    before = world.services.audit.latest("org_a", limit=100)

    with acting_as_person(ANN):
        end_stay(world, ready)

    entry, *others = world.services.audit.latest("org_a", limit=100)
    assert others == before
    assert (entry.action, entry.subject, entry.org_id) == (
        "video.delete",
        ready,
        "org_a",
    )
    assert "ann" in entry.actor
    details = dict(entry.details)
    assert not details.get("restorable_until")


def test_the_files_of_a_video_whose_stay_was_ended_are_removed_at_once(
    world: World, ready: str
) -> None:
    bin_it(world, ready)

    end_stay(world, ready)

    with world.services.uow.read() as work:
        found = work.videos.find(world.video(ready).id)
        assert found is not None
        purges = work.tasks.unended(found.id, kind=VIDEO_PURGE)
    assert purges
    due_at = world.clock.now() + timedelta(minutes=18)
    assert all(one.not_before <= due_at for one in purges)


def test_a_stay_that_is_over_or_never_was_is_not_ended(
    world: World, ready: str
) -> None:
    with pytest.raises(ConflictError, match="not in the bin any more"):
        end_stay(world, ready)
    assert is_playing(world, ready)
    bin_it(world, ready)
    end_stay(world, ready)

    with pytest.raises(AlreadyDeletedError):
        end_stay(world, ready)
    with pytest.raises(VideoNotFoundError):
        end_stay(world, ready, "org_b")
