"""
Find out whether a refused call was done by an earlier try whose answer was lost.

When the answer to a deletion is lost, the client sends it again, and the service
answers that there is nothing to delete: the call has succeeded. This is checked only
after the client's own repetition.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import attrs

from hvcore_client.errors import ApiError
from hvcore_client.generated import models
from hvcore_client.generated import operations as op
from hvcore_client.operation import Operation

Arguments = Mapping[str, object]


@attrs.frozen(kw_only=True)
class Question:
    """
    An operation that tells whether a refused call was done before, and a reader of its answer.

    Attributes:
        code: The error code with which the call was refused.
        operation: The operation to call; None if the refusal itself proves that the
            call was done.
        found: Returns the result that the refused call would have had; None if the call
            was not done.
    """

    code: str
    operation: Operation[Any] | None
    found: Callable[[Any, Arguments], object]


def question_after(operation: Operation[Any], error: ApiError) -> Question | None:
    """Return the question that tells whether a refused deletion was done before; None if the refusal holds."""
    if not error.follows_lost_answer or operation.method != "DELETE":
        return None
    question = _QUESTIONS.get(operation.path)
    return question if question and question.code == error.code else None


def _deletion(error: ApiError, _arguments: Arguments) -> models.Deletion:
    at = error.answered_at or datetime.now(UTC)
    return models.Deletion(status="deleted", deleted_at=at, message=error.detail)


def _rest(listed: object, _arguments: Arguments) -> object:
    return listed


def _edge_key(key: models.EdgeKey, _arguments: Arguments) -> models.EdgeKey | None:
    return None if key.revoked_at is None else key


def _share_link(
    listed: models.ShareLinkList, arguments: Arguments
) -> models.ShareLink | None:
    revoked = (share for share in listed.shares if share.revoked_at is not None)
    return next((s for s in revoked if s.share_id == arguments["share_id"]), None)


_DELETED: Final = Question(code="already_deleted", operation=None, found=_deletion)
_ASKED: Final[
    Sequence[tuple[Operation[Any], Operation[Any], Callable[[Any, Arguments], object]]]
] = (
    (op.REMOVE_CAPTIONS, op.LIST_CAPTIONS, _rest),
    (op.REMOVE_CAPTIONS_IN_ORGANIZATION, op.LIST_CAPTIONS_IN_ORGANIZATION, _rest),
    (op.REMOVE_CHAPTERS, op.LIST_CHAPTERS, _rest),
    (op.REMOVE_CHAPTERS_IN_ORGANIZATION, op.LIST_CHAPTERS_IN_ORGANIZATION, _rest),
    (op.REVOKE_SHARE_LINK, op.LIST_SHARE_LINKS, _share_link),
    (
        op.REVOKE_SHARE_LINK_IN_ORGANIZATION,
        op.LIST_SHARE_LINKS_IN_ORGANIZATION,
        _share_link,
    ),
    (op.REVOKE_EDGE_KEY, op.GET_EDGE_KEY, _edge_key),
    (op.REVOKE_EDGE_KEY_IN_ORGANIZATION, op.GET_EDGE_KEY_IN_ORGANIZATION, _edge_key),
    (op.REVOKE_VIDEO_EDGE_KEY, op.GET_EDGE_KEY, _edge_key),
    (
        op.REVOKE_VIDEO_EDGE_KEY_IN_ORGANIZATION,
        op.GET_EDGE_KEY_IN_ORGANIZATION,
        _edge_key,
    ),
)
_QUESTIONS: Final[Mapping[str, Question]] = {
    op.DELETE_VIDEO.path: _DELETED,
    op.DELETE_VIDEO_IN_ORGANIZATION.path: _DELETED,
    **{
        call.path: Question(code="not_found", operation=asked, found=found)
        for call, asked, found in _ASKED
    },
}
