"""
The two shapes of every answer.
"""

import json

import pytest

from hvcore import errors
from hvcore.errors import MAX_ECHOED_CHARS, FieldError, HvError, InvalidFileSizeError
from hvcore.wire.envelope import encode, problem, success


def error_classes() -> list[type[HvError]]:
    return [
        member
        for member in vars(errors).values()
        if isinstance(member, type) and issubclass(member, HvError)
    ]


def echoed(value: object) -> object:
    error = InvalidFileSizeError(
        errors=[FieldError(message="m", location="body.x", value=value)]
    )
    document = json.loads(encode(problem(error, "r")))
    return document["errors"][0]["value"]


def test_a_value_is_echoed_up_to_a_limit_and_as_what_it_is() -> None:
    longest = ["a" * (MAX_ECHOED_CHARS - 4)]

    assert echoed(longest) == longest
    cut = echoed(["a" * (MAX_ECHOED_CHARS - 3)])
    assert isinstance(cut, str)
    assert len(cut) == MAX_ECHOED_CHARS
    assert echoed("a" * (MAX_ECHOED_CHARS + 1)) == "a" * MAX_ECHOED_CHARS
    for value in (None, True, False, 0, 1.5, -(2**63), 2**63 - 1):
        assert echoed(value) is value or echoed(value) == value
        assert type(echoed(value)) is type(value)
    for value in (2**63, -(2**63) - 1, float("inf")):
        assert echoed(value) == str(value)
    assert echoed({1: (None, float("nan"))}) == {"1": [None, "nan"]}


def test_a_success_has_its_payload_under_body() -> None:
    assert success({"a": 1}) == {"body": {"a": 1}}


def test_a_problem_has_the_documented_members_and_the_code() -> None:
    field = FieldError(message="fileSize is wrong.", location="body.fileSize", value=0)

    document = problem(InvalidFileSizeError("Too small.", errors=[field]), "r1")

    assert document == {
        "title": "Bad Request",
        "status": 400,
        "code": "invalid_file_size",
        "detail": "Too small.",
        "errors": [
            {"message": "fileSize is wrong.", "location": "body.fileSize", "value": 0}
        ],
    }


@pytest.mark.parametrize("error", error_classes())
def test_every_error_has_an_envelope(error: type[HvError]) -> None:
    document = problem(error(), "r1")

    assert document["status"] == error.status
    assert document["code"] == error.code
    assert document["title"]
    assert document["detail"]


def test_only_an_internal_error_names_the_request_in_its_detail() -> None:
    assert "r-17" in str(problem(errors.InternalError(), "r-17")["detail"])
    assert "r-17" not in str(problem(errors.NotFoundError(), "r-17")["detail"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (17, 17),
        (-(2**63), -(2**63)),
        (1.5, 1.5),
        ("text", "text"),
        ("é" * 257, "é" * 256),
        ("\ud800", "?"),
        (2**63, str(2**63)),
        (10**255, "1" + "0" * 255),
        (float("inf"), "inf"),
        ([1, "a", None], [1, "a", None]),
        ({"a": {"b": 2}}, {"a": {"b": 2}}),
        (b"bytes", "b'bytes'"),
    ],
)
def test_an_offending_value_is_shown_as_json_has_it(
    value: object, shown: object
) -> None:
    assert echoed(value) == shown


def test_a_large_structure_is_shown_as_the_beginning_of_its_text() -> None:
    shown = echoed(["x" * 100] * 10)

    assert isinstance(shown, str)
    assert len(shown) == 256
    assert shown.startswith('["xxx')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("\ud800é", b'"?\xc3\xa9"'),
        (2**70, b"1180591620717411303424"),
        (600.0, b"600.0"),
        ('"\n', b'"\\"\\n"'),
    ],
)
def test_every_value_is_written_as_json_in_utf_8(value: object, text: bytes) -> None:
    assert encode({"a": value}) == b'{"a":' + text + b"}"
