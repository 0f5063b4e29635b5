"""
The condition of an edit is compared in the transaction that writes.

Both databases; every member is tried by two at once in tests.api.resources.
"""

import threading
from collections.abc import Callable
from typing import Final

import pytest

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import KeyId
from hvcore.domain.videos.preconditions import IfMatch, entity_tag
from hvcore.domain.videos.video import Video
from hvcore.errors import PreconditionFailedError
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.videos.editing import Editing
from hvcore.wire.converter import read_document
from hvcore.wire.videos.changes import VideoChangeRequest
from tests.persistence.samples import ENV, ORG

WRITER: Final = Principal(
    key_id=KeyId("key_x"),
    type=KeyType.ENVIRONMENT,
    org_id=ORG,
    env_id=ENV,
    permissions=ALL_PERMISSIONS,
)
Edit = Callable[[dict[str, object], IfMatch | None], Video]


@pytest.fixture
def edit(uow: SqlUnitOfWork, clip: Video) -> Edit:
    editing = Editing(uow=uow)

    def change(document: dict[str, object], if_match: IfMatch | None) -> Video:
        changes = read_document(VideoChangeRequest, document).changes()
        return editing.change(WRITER, ORG, clip.id, changes, if_match=if_match)

    return change


@pytest.fixture
def stored(uow: SqlUnitOfWork, clip: Video) -> Callable[[], Video]:
    def find() -> Video:
        with uow.read() as work:
            found = work.videos.find(clip.id)
        assert found is not None
        return found

    return find


def test_a_refused_edit_changes_nothing(
    clip: Video, edit: Edit, stored: Callable[[], Video]
) -> None:
    edit({"videoName": "Theirs"}, None)
    before = stored()

    with pytest.raises(PreconditionFailedError):
        edit({"allowPublicAccess": True}, IfMatch(tags=frozenset({entity_tag(clip)})))

    after = stored()
    assert (after, after.event_count) == (before, before.event_count)


def test_the_tag_is_compared_while_the_video_is_locked(
    uow: SqlUnitOfWork, clip: Video, edit: Edit, stored: Callable[[], Video]
) -> None:
    seen = IfMatch(tags=frozenset({entity_tag(clip)}))
    refused: list[BaseException] = []

    def try_late() -> None:
        try:
            edit({"videoName": "Mine"}, seen)
        except PreconditionFailedError as error:
            refused.append(error)

    late = threading.Thread(target=try_late)
    with uow.write() as work:
        locked = work.videos.find(clip.id, for_update=True)
        assert locked is not None
        late.start()
        locked.name = "Theirs"
        work.videos.save(locked)
        work.commit()
    late.join()

    assert refused
    assert stored().name == "Theirs"
