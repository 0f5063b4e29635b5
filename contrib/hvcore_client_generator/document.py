"""
Describe the operations and schemas of the API, as the writers of clients need them.

``reading.read_api`` reads them from the document of ``hv openapi``, in the document's
order. It leaves out everything that a client does not need: pages for people, the envelopes
of answers, and references. A writer needs nothing but the result::

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
"""The description of the member ``etag`` of models in clients."""


class Kind(StrEnum):
    """Name the kinds of values in the API's document."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    MAP = "map"
    """An object with any keys, whose values have the type ``Type.item``."""
    MODEL = "model"
    """An object that is described by the model ``Type.name``."""
    CHOICE = "choice"
    """One of the values of the choice ``Type.name``; a later service may send others."""
    ANY = "any"


@attrs.frozen(kw_only=True)
class Type:
    """
    Describe the type of a JSON value in the OpenAPI document.

    Attributes:
        name: The name of the model or choice; "" for other kinds.
        item: The type of the items of an array, or of the values of a map.
        format: The document's ``format``, such as ``date-time``; mostly "".
    """

    kind: Kind
    name: str = ""
    item: "Type | None" = None
    is_nullable: bool = False
    format: str = ""


@attrs.frozen(kw_only=True)
class Member:
    """
    Describe a member of a model or of a request's body.

    Attributes:
        name: The member's name in JSON, such as ``videoID``.
        about: The description in the document; mostly "".
        default: The value that the service uses if the member is left out; None if the
            document tells none.
    """

    name: str
    type: Type
    is_required: bool
    about: str = ""
    default: object = None


@attrs.frozen(kw_only=True)
class Model:
    """
    Describe an object with a name; a later service may send further members.

    Attributes:
        further: The type of members that are not listed; None if the document tells none.
        has_etag: Whether answers with such an object have the header ``ETag``.
    """

    name: str
    members: Sequence[Member]
    about: str = ""
    further: Type | None = None
    has_etag: bool = False


@attrs.frozen(kw_only=True)
class Choice:
    """Describe a named set of values: all are texts, or all are integers."""

    name: str
    values: Sequence[str] | Sequence[int]
    about: str = ""


@attrs.frozen(kw_only=True)
class Argument:
    """
    Describe an argument that is sent in the path, the query or a header.

    Attributes:
        name: The name of the argument, spelled as in the document. The id of a video is
            always ``videoID``, whatever a path calls it.
        sent_as: The name in the path, query or header, such as ``assetId``.
        place: ``path``, ``query`` or ``header``.
        fixed: The only allowed value, which clients send without an argument; None if
            there are several.
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
    Describe the body of an operation's request.

    Attributes:
        model: The model of the JSON; None if the body cannot be JSON.
        content_types: The types of other content, such as ``image/png``; may be empty.
            Such content is text or bytes, and is sent unchanged.
        is_required: Whether the body must be sent.
    """

    model: Model | None
    content_types: Sequence[str]
    is_required: bool


@attrs.frozen(kw_only=True)
class Answer:
    """
    Describe the answer of an operation: its type and its forms.

    Attributes:
        type: The type of the answer's value.
        is_enveloped: Whether the value is the member ``body`` of the JSON that is sent.
        text_types: The content types of the answer as text, such as ``text/csv``, which
            the argument ``format`` asks for; may be empty.
        has_etag: Whether the answer has the header ``ETag``; then the value is a model.
    """

    type: Type
    is_enveloped: bool
    text_types: Sequence[str]
    has_etag: bool = False


@attrs.frozen(kw_only=True)
class Paging:
    """
    Describe the request for the next page of a list.

    Attributes:
        by_cursor: If true, the argument ``after`` takes the answer's ``cursor`` as long as
            ``hasMore`` is true; else the argument ``page`` is counted up as long as
            ``pagination.hasNext`` is true.
        items: The member of the answer that has the items, such as ``videos``.
        item_type: The type of an item, a model.
    """

    by_cursor: bool
    items: str
    item_type: Type


@attrs.frozen(kw_only=True)
class Operation:
    """
    Describe an operation of the API: one kind of request.

    Attributes:
        name: The operationId, such as ``createUploadUrl``.
        method: The HTTP method, such as ``POST``.
        path: The path, such as ``/v1/videos/{assetId}``, with the arguments' ``sent_as``.
        summary: One sentence about the operation.
        about: The permission that the operation needs, and the rate limit that counts it.
        tag: The group of the operation, such as ``Uploads``.
        arguments: The arguments, with fixed ones and without ``Idempotency-Key``.
        needs_key: Whether clients send an API key.
        takes_idempotency_key: Whether the header ``Idempotency-Key`` is accepted: the same
            key gets the first answer again.
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
    Hold the operations, models and choices that a client offers.

    Attributes:
        models: The models that operations take or answer, ``WebhookEvent`` and
            ``Problem``, sorted by name.
        choices: The choices that these models and operations use, sorted by name.
    """

    operations: Sequence[Operation]
    models: Sequence[Model]
    choices: Sequence[Choice]
