"""
Files that were sent straight to a store which then gives them to nobody.

Azure does so with what is archived, or encrypted with a key of the sender.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidGcsPathError
from hvcore.ports.storage import ObjectInfo, UnreadableObjectError
from tests.services.conftest import World
from tests.services.uploads.direct import (
    direct_world,
    granted,
    granted_video,
    new_bucket_of,
    objects,
    put,
    take_in,
)


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


def refuse(*_: object, **__: object) -> ObjectInfo:
    raise UnreadableObjectError("Nobody can read the object.")


@pytest.mark.parametrize("question", ["stat", "copy"])
def test_an_object_that_cannot_be_read_fails_the_video(
    world: World,
    swift: str,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
) -> None:
    monkeypatch.setattr(type(world.services.storage), question, refuse)
    answer = granted_video(world)
    put(answer)

    take_in(world)

    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "archived, or encrypted with a key" in (video.failure_reason or "")
    assert objects(swift, bucket, answer.grant.path) == []


def test_an_object_that_cannot_be_read_is_refused_when_it_is_to_be_processed(
    world: World, swift: str, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(world.services.storage), "stat", refuse)
    answer = granted(world)
    put(answer)

    with pytest.raises(InvalidGcsPathError, match="archived, or encrypted with a key"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())

    assert objects(swift, bucket, answer.grant.path) == []
