"""
How the problems of one request are gathered and which one leads.
"""

from collections.abc import Iterable, Mapping

import attrs
import pytest

from hvcore.errors import (
    FieldError,
    HvError,
    InvalidFileSizeError,
    InvalidGcsPathError,
    InvalidPageSizeError,
    InvalidParametersError,
)
from hvcore.wire.converter import (
    LateFieldError,
    group,
    optional,
    read_document,
    read_query,
    required,
)
from hvcore.wire.kinds import Flag, Integer, Text


@attrs.frozen(kw_only=True)
class Inner:
    depth: int = optional("depth", Integer(minimum=0, maximum=9), 3)
    path: str = optional("path", Text(max_chars=9), "p", error=InvalidGcsPathError)


@attrs.frozen(kw_only=True)
class Request:
    name: str = required("theName", Text(max_chars=9))
    size: int = required(
        "size", Integer(minimum=1, maximum=9), error=InvalidFileSizeError
    )
    inner: Inner = group(Inner)
    flag: bool = optional("flag", Flag(), default=False)


@attrs.frozen(kw_only=True)
class Parameters:
    page: int = optional("page", Integer(minimum=1, maximum=9), 1)
    size: int = optional(
        "size", Integer(minimum=1, maximum=9), 2, error=InvalidPageSizeError
    )


GOOD = {"theName": "n", "size": 1}


@pytest.mark.parametrize("sent", ["thename", "TheName"])
def test_a_name_that_was_spelled_otherwise_is_told(sent: str) -> None:
    error = refusal({sent: "n", "size": 1})

    assert error.detail == (
        f"theName is required: it is spelled theName here, and {sent} was sent."
    )


def refusal(document: object) -> HvError:
    with pytest.raises(HvError) as raised:
        read_document(Request, document)
    return raised.value


def test_missing_optional_fields_have_their_defaults() -> None:
    assert read_document(Request, GOOD) == Request(
        name="n", size=1, inner=Inner(depth=3, path="p"), flag=False
    )


def test_given_fields_are_read_those_of_a_group_too() -> None:
    document = GOOD | {"depth": 7, "path": "q", "flag": True}

    assert read_document(Request, document) == Request(
        name="n", size=1, inner=Inner(depth=7, path="q"), flag=True
    )


def test_null_equals_absent() -> None:
    assert read_document(Request, GOOD | {"depth": None}).inner.depth == 3
    assert refusal(GOOD | {"size": None}).code == "invalid_file_size"


def test_unknown_members_are_ignored() -> None:
    document = GOOD | {"other": 10**200, "__class__": 1, "inner": 5, "Size": "x"}

    assert read_document(Request, document) == read_document(Request, GOOD)


def test_all_problems_are_reported_in_the_order_of_the_table() -> None:
    error = refusal({"flag": 1, "path": "", "depth": 10, "size": "x"})

    assert error.errors == (
        FieldError(message="theName is required.", location="body.theName"),
        FieldError(message="size must be an integer.", location="body.size", value="x"),
        FieldError(
            message="depth must be from 0 to 9.", location="body.depth", value=10
        ),
        FieldError(message="path must not be empty.", location="body.path", value=""),
        FieldError(
            message="flag must be true or false.", location="body.flag", value=1
        ),
    )


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"theName": None, "size": "x"}, 400, "invalid_parameters"),
        ({"size": "x", "path": ""}, 422, "invalid_file_size"),
        ({"size": 10, "flag": "x"}, 400, "invalid_file_size"),
        ({"path": "", "flag": "x"}, 400, "invalid_gcs_path"),
        ({"path": 5}, 422, "invalid_gcs_path"),
        ({"flag": "x"}, 422, "invalid_parameters"),
    ],
)
def test_the_first_field_with_a_problem_sets_status_and_code(
    changes: dict[str, object], status: int, code: str
) -> None:
    error = refusal(GOOD | changes)

    assert (error.http_status, error.code) == (status, code)
    assert error.detail == error.errors[0].message


@pytest.mark.parametrize("document", [[], "text", 1, True, 1.5, [GOOD]])
def test_a_body_that_is_no_object_is_not_readable(document: object) -> None:
    error = refusal(document)

    assert (error.http_status, error.code) == (422, "invalid_parameters")
    assert error.errors[0].location == "body"


def test_no_body_is_missing() -> None:
    assert refusal(None).http_status == 400


def test_a_check_sees_what_was_given_and_its_refusals_find_their_place() -> None:
    seen: dict[str, object] = {}

    def check(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        seen.update(given)
        return [LateFieldError(name="path", rule="is not possible", status=422)]

    with pytest.raises(InvalidGcsPathError) as raised:
        read_document(Request, GOOD | {"flag": "x", "path": "q"}, check)

    assert seen == {"theName": "n", "size": 1, "path": "q"}
    assert raised.value.http_status == 422
    assert [item.location for item in raised.value.errors] == ["body.path", "body.flag"]


def test_a_query_is_read() -> None:
    assert read_query(Parameters, {"size": "7", "other": "x"}) == Parameters(size=7)


def test_a_repeated_parameter_is_refused_with_its_code() -> None:
    with pytest.raises(InvalidPageSizeError) as raised:
        read_query(Parameters, {"size": ["1", "2"]})

    assert raised.value.http_status == 400
    assert raised.value.errors[0].location == "query.size"
    assert raised.value.errors[0].value == ["1", "2"]


def test_a_repeated_unknown_parameter_is_ignored() -> None:
    assert read_query(Parameters, {"other": ["1", "2"]}) == Parameters()


def test_an_empty_parameter_is_no_number() -> None:
    with pytest.raises(InvalidParametersError) as raised:
        read_query(Parameters, {"page": ""})

    assert raised.value.http_status == 422
