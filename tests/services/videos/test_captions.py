"""
Captions of a video whose commit or whose database answers nothing.
"""

from contextlib import AbstractContextManager

import pytest

from hvcore.errors import UnavailableError
from hvcore.persistence.unit_of_work import SqlUnitOfWork, SqlWork
from hvcore.ports.unit_of_work import Work
from hvcore.services.videos.captions import NewCaptions
from tests.services.conftest import World

VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"


def put(world: World, video_id: str) -> None:
    new = NewCaptions(language="en", label=None, data=VTT, expected=None)
    world.services.captions.put(world.caller, world.env.org_id, video_id, new)


@pytest.mark.parametrize("is_silent_next", [False, True])
def test_captions_of_a_commit_whose_answer_was_lost_stay(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_silent_next: bool
) -> None:
    # As when a database server dies right after it has made a commit durable.
    video_id = world.processed()
    uow = world.services.uow
    with uow.write() as work:
        kind = type(work)
    commit = kind.commit

    def refuse(_: SqlUnitOfWork) -> AbstractContextManager[SqlWork]:
        raise UnavailableError("The database does not answer.")

    with monkeypatch.context() as patch:

        def lose_the_answer(work: Work) -> None:
            commit(work)
            if is_silent_next:
                patch.setattr(type(uow), "write", refuse)
            raise UnavailableError("The connection was lost.")

        patch.setattr(kind, "commit", lose_the_answer)
        with pytest.raises(UnavailableError, match="connection was lost"):
            put(world, video_id)

    with uow.read() as work:
        (shown,) = work.captions.of_video(video_id)
    assert world.files(f"media/{video_id}/captions") == [shown.path]


def test_captions_of_a_commit_that_failed_are_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = world.processed()
    with world.services.uow.write() as work:
        kind = type(work)

    def fail(_: Work) -> None:
        raise UnavailableError("The database does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(kind, "commit", fail)
        with pytest.raises(UnavailableError, match="does not answer"):
            put(world, video_id)

    assert world.files(f"media/{video_id}/captions") == []
