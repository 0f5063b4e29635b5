"""
Every value of every request table is read or refused by the class of that table.

That a route reads the class, tests/interface tries with one value of each field.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from hvcore.errors import HvError
from hvcore.wire.analytics.query import (
    DailyParameters,
    ResolutionParameters,
    UsageParameters,
    VideoParameters,
)
from hvcore.wire.converter import read_document, read_query
from hvcore.wire.links.links import ShareRequest
from hvcore.wire.query import ListParameters, SignedUrlParameters
from hvcore.wire.request_schemas import body_schema
from hvcore.wire.requests import (
    GENERATE_CAPTIONS,
    DeleteRequest,
    ProcessRequest,
    UploadUrlRequest,
    VideoUploadRequest,
)
from hvcore.wire.uploads.fetching import DownloadRequest, FetchVideoRequest
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_api.routes import ROUTES
from tests.interface import field_tables
from tests.interface.field_tables import (
    JUDGED_BY_SERVICES,
    UNREADABLE,
    WRONG_TYPES,
    Field,
)
from tests.wire.hostile_values import HOSTILE_VALUES

BODIES: Final[Mapping[type[object], tuple[Field, ...]]] = {
    UploadUrlRequest: field_tables.UPLOAD_URL_A,
    VideoUploadRequest: field_tables.UPLOAD_URL_B,
    FetchVideoRequest: field_tables.UPLOAD,
    DownloadRequest: field_tables.DOWNLOAD,
    ProcessRequest: field_tables.PROCESS,
    DeleteRequest: field_tables.DELETE,
    VideoChangeRequest: field_tables.CHANGE,
    ShareRequest: field_tables.SHARE,
}
QUERIES: Final[Mapping[type[object], tuple[Field, ...]]] = {
    ListParameters: field_tables.LIST_QUERY,
    SignedUrlParameters: field_tables.SIGNED_URL_QUERY,
    UsageParameters: field_tables.USAGE_QUERY,
    DailyParameters: field_tables.DAYS_QUERY,
    ResolutionParameters: field_tables.DAYS_QUERY,
    VideoParameters: field_tables.DAYS_QUERY,
}
GIVEN: Final[Mapping[str, object]] = {
    "filename": "a.mp4",
    "fileName": "a.mp4",
    "fileSize": 5,
    "videoURL": "https://93.184.215.14/a.mp4",
    "sourceUrl": "https://93.184.215.14/a.mp4",
    "gcsPath": "uploads/a/b/c",
    "videoQuality": "high",
    "allowPublicAccess": True,
}
"""What a body needs, by the names of its fields."""
SENT: Final = sorted({r.body for r in ROUTES if r.body}, key=lambda cls: cls.__name__)


def fields(tables: Mapping[type[object], tuple[Field, ...]]) -> Any:  # noqa: ANN401 - pytest's mark
    """
    Parametrize over classes and fields.
    """
    found = [
        pytest.param(cls, field, id=f"{cls.__name__}-{field.name}")
        for cls, table in tables.items()
        for field in table
    ]
    return pytest.mark.parametrize(("cls", "field"), found)


def given(cls: type[object]) -> dict[str, object]:
    return {f.name: GIVEN[f.name] for f in BODIES[cls] if f.is_required}


def refused(cls: type[object], document: Mapping[str, object]) -> HvError:
    with pytest.raises(HvError) as raised:
        read_document(cls, document)
    return raised.value


def refused_query(cls: type[object], name: str, text: str | list[str]) -> HvError:
    with pytest.raises(HvError) as raised:
        read_query(cls, {name: text})
    return raised.value


def refusal(error: HvError) -> tuple[int, str, list[str]]:
    return error.http_status, error.code, [item.location for item in error.errors]


@fields(BODIES)
def test_documented_values_are_read(cls: type[object], field: Field) -> None:
    for value in field.allowed:
        read_document(cls, {**given(cls), field.name: value})


@fields(BODIES)
def test_a_member_that_may_be_missing_may_be_null_and_no_other(
    cls: type[object], field: Field
) -> None:
    properties: Any = body_schema(cls)["properties"]

    allows_null = Draft202012Validator(properties[field.name]).is_valid(None)

    assert allows_null is not field.is_required


@fields(BODIES)
def test_other_values_are_refused_with_the_fields_code(
    cls: type[object], field: Field
) -> None:
    if field.name in JUDGED_BY_SERVICES:
        return
    for value in field.refused:
        error = refused(cls, {**given(cls), field.name: value})

        assert refusal(error) == (400, field.code, [f"body.{field.name}"]), value


@fields(BODIES)
def test_values_of_another_type_cannot_be_read(cls: type[object], field: Field) -> None:
    for value in WRONG_TYPES[field.type]:
        error = refused(cls, {**given(cls), field.name: value})

        assert refusal(error) == (422, field.code, [f"body.{field.name}"]), value


@fields({cls: tuple(f for f in t if f.is_required) for cls, t in BODIES.items()})
def test_a_required_field_must_be_there(cls: type[object], field: Field) -> None:
    rest = {name: value for name, value in given(cls).items() if name != field.name}

    for document in (rest, {**rest, field.name: None}):
        error = refused(cls, document)

        assert refusal(error) == (400, field.code, [f"body.{field.name}"])


@fields({cls: tuple(f for f in t if not f.is_required) for cls, t in BODIES.items()})
def test_a_field_that_is_not_required_may_be_null(
    cls: type[object], field: Field
) -> None:
    read_document(cls, {**given(cls), field.name: None})


@pytest.mark.parametrize("cls", BODIES)
def test_all_problems_are_told_in_the_tables_order(cls: type[object]) -> None:
    table = BODIES[cls]

    error = refused(cls, {field.name: [] for field in reversed(table)})

    locations = [f"body.{field.name}" for field in table]
    assert refusal(error) == (422, table[0].code, locations)


@fields(QUERIES)
def test_documented_parameters_are_read(cls: type[object], field: Field) -> None:
    for value in field.allowed:
        read_query(cls, {field.name: str(value)})


@fields(QUERIES)
def test_other_parameters_are_refused_with_their_code(
    cls: type[object], field: Field
) -> None:
    for value in field.refused:
        error = refused_query(cls, field.name, str(value))

        assert refusal(error) == (400, field.code, [f"query.{field.name}"]), value


@fields(QUERIES)
def test_unreadable_parameters_are_422(cls: type[object], field: Field) -> None:
    for text in set(UNREADABLE.get(field.type, ())) - set(field.allowed):
        error = refused_query(cls, field.name, text)

        assert refusal(error) == (422, field.code, [f"query.{field.name}"]), text


@fields(QUERIES)
def test_a_parameter_given_twice_is_refused(cls: type[object], field: Field) -> None:
    text = str(field.allowed[0])

    error = refused_query(cls, field.name, [text, text])

    assert refusal(error) == (400, field.code, [f"query.{field.name}"])


def hostile(cls: type[object]) -> Iterator[tuple[str, object]]:
    """
    Yield values that a field's schema does not take.
    """
    members = body_schema(cls)["properties"]
    assert isinstance(members, dict)
    for name, schema in members.items():
        if name in JUDGED_BY_SERVICES:
            continue
        validator = Draft202012Validator(schema)
        for value in HOSTILE_VALUES:
            # True and false are read, too, and not said: see CaptionsWanted.
            is_switch = name == GENERATE_CAPTIONS and isinstance(value, bool)
            if not validator.is_valid(value) and not is_switch:
                yield name, value


@pytest.mark.parametrize("cls", SENT, ids=lambda cls: cls.__name__)
def test_no_field_takes_what_its_schema_does_not(cls: type[object]) -> None:
    for name, value in hostile(cls):
        error = refused(cls, {name: value})

        assert f"body.{name}" in [item.location for item in error.errors], value
        assert error.http_status in {400, 422}
