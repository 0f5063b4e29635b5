"""
The API as the writers of clients need it: its operations and schemas.

``reading.read_api`` makes it of the document of ``hv openapi``, in the document's
order. What a client has no use for is gone: pages for people, the envelopes of
answers, and references. A writer looks at nothing else::

    api = read_api(json.loads(text))
    for operation in api.operations:
        operation.name                  # "createUploadUrl", also the method's name
        operation.arguments             # of path, query and headers
        operation.body                  # None, or JSON members and content types
        operation.answer                # None (204), or what is returned
        operation.paging                # None, or how the list goes on
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import attrs

ABOUT_ETAG: Final = (
    "The answer's `ETag`: a change that is sent with it is refused if somebody else "
    "has changed the same thing since."
)
"""Of the member that clients call ``etag``."""


class Kind(StrEnum):
    """The kinds of a value in the API's document."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    MAP = "map"
    """An object whose keys are free, and whose values are ``Type.item``."""
    MODEL = "model"
    """An object that is described by the model ``Type.name``."""
    CHOICE = "choice"
    """One of the values of the choice ``Type.name``; a later service has more."""
    ANY = "any"


@attrs.frozen(kw_only=True)
class Type:
    """
    The type of a value.

    Attributes:
        name: Of the model or choice.
        item: What an array or a map has.
        format: As the document says, such as ``date-time``; mostly empty.
    """

    kind: Kind
    name: str = ""
    item: "Type | None" = None
    is_nullable: bool = False
    format: str = ""


@attrs.frozen(kw_only=True)
class Member:
    """
    A member of a model or of a request's body.

    Attributes:
        name: As it is sent, such as ``videoID``.
        about: What the document says of it; mostly empty.
        default: What the service takes if it is left out; None if nothing is said.
    """

    name: str
    type: Type
    is_required: bool
    about: str = ""
    default: object = None


@attrs.frozen(kw_only=True)
class Model:
    """
    An object with a name. All are open: a later service has further members.

    Attributes:
        further: The type of members that are not listed, if the document says it.
        has_etag: Whether answers have the ``ETag`` of such an object beside it.
    """

    name: str
    members: Sequence[Member]
    about: str = ""
    further: Type | None = None
    has_etag: bool = False


@attrs.frozen(kw_only=True)
class Choice:
    """Values with a name; all are texts, or all are integers."""

    name: str
    values: Sequence[str] | Sequence[int]
    about: str = ""


@attrs.frozen(kw_only=True)
class Argument:
    """
    An argument that is sent in the path, the query or a header.

    Attributes:
        name: Of the argument, in the document's writing. Each path that names a video
            has ``videoID``, whatever the path calls it.
        sent_as: The name in the path, query or header, such as ``assetId``.
        place: ``path``, ``query`` or ``header``.
        fixed: The only value there is: it is sent, and is no argument.
    """

    name: str
    sent_as: str
    place: str
    type: Type
    is_required: bool
    about: str = ""
    default: object = None
    fixed: str | None = None


@attrs.frozen(kw_only=True)
class Body:
    """
    The body of a request.

    Attributes:
        model: Of its JSON; None if it takes no JSON.
        content_types: Of other content, such as ``image/png``; may be empty. Such
            content is text or bytes and is sent as it is.
        is_required: Whether it may not be left out.
    """

    model: Model | None
    content_types: Sequence[str]
    is_required: bool


@attrs.frozen(kw_only=True)
class Answer:
    """
    The answer of an operation: its type and its forms.

    Attributes:
        type: Of the JSON; inside ``body``, if it is enveloped.
        is_enveloped: Whether the value is the member ``body`` of what is sent.
        text_types: Content types of the same as text, if the argument ``format`` asks
            for it, such as ``text/csv``.
        has_etag: Whether its ``ETag`` says when the value has changed; the value is a
            model then.
    """

    type: Type
    is_enveloped: bool
    text_types: Sequence[str]
    has_etag: bool = False


@attrs.frozen(kw_only=True)
class Paging:
    """
    The way in which an operation gives the next page of a list.

    Attributes:
        by_cursor: Whether the argument ``after`` takes the answer's ``cursor`` while
            it has ``hasMore``; else the argument ``page`` is counted up while
            ``pagination.hasNext`` is true.
        items: The member of the answer that has the items, such as ``videos``.
        item_type: A model.
    """

    by_cursor: bool
    items: str
    item_type: Type


@attrs.frozen(kw_only=True)
class Operation:
    """
    One request that the service takes.

    Attributes:
        name: The operationId, such as ``createUploadUrl``.
        method: Such as ``POST``.
        path: Such as ``/v1/videos/{assetId}``, with the arguments' ``sent_as``.
        summary: One sentence.
        about: Which permission it needs, and which limit it counts under.
        tag: Its group, such as ``Uploads``.
        arguments: Without ``Idempotency-Key``; fixed ones among them.
        needs_key: Whether an API key is sent.
        takes_idempotency_key: Whether the same key gives the first answer again.
    """

    name: str
    method: str
    path: str
    summary: str
    about: str
    tag: str
    arguments: Sequence[Argument]
    body: Body | None
    answer: Answer | None
    paging: Paging | None
    needs_key: bool
    takes_idempotency_key: bool


@attrs.frozen(kw_only=True)
class Api:
    """
    The operations, models and choices that a client offers.

    Attributes:
        models: By their names' order; every one that an operation takes or answers,
            ``WebhookEvent`` and ``Problem``.
        choices: By their names' order.
    """

    operations: Sequence[Operation]
    models: Sequence[Model]
    choices: Sequence[Choice]
