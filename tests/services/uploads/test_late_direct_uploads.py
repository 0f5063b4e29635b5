"""
Files that are sent to an address of the store after its upload was taken in.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.conftest import World
from tests.services.uploads.direct import (
    DATA,
    content,
    direct_world,
    granted,
    granted_video,
    new_bucket_of,
    objects,
    put,
    take_in,
)

TRANSFER_HOURS = 6
"""The time that a sending may take which began in the last moment."""


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


@pytest.mark.parametrize("is_family_a", [False, True])
def test_bytes_sent_after_the_upload_was_taken_in_are_removed_once_the_address_ended(
    world: World, swift: str, bucket: str, *, is_family_a: bool
) -> None:
    answer = granted(world) if is_family_a else granted_video(world)
    ends_at = answer.grant.expires_at
    put(answer)
    if is_family_a:
        world.services.processing.process(world.env, answer.grant.path, world.wanted())
    world.run_everything()
    (taken,) = objects(swift, bucket, answer.grant.path)

    # Begun in the last moment of the address; the store takes it when it has all.
    world.clock.moment = ends_at
    world.clock.move(hours=TRANSFER_HOURS)
    take_in(world)
    assert put(answer, DATA[::-1]) == 200
    assert len(objects(swift, bucket, answer.grant.path)) == 2

    world.clock.move(hours=3)
    world.run_everything()

    assert objects(swift, bucket, answer.grant.path) == [taken]
    assert content(swift, bucket, taken) == DATA
