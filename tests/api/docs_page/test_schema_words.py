"""
The words of the documentation page for what a JSON Schema asks.
"""

import pytest

from hvcore_api.docs_page.schema_words import Schema, members_of, rules_of, type_of

NULL = {"type": "null"}
TEXT = {"type": "string", "maxLength": 5}
LIST = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({}, "any"),
        (TEXT, "string"),
        ({"type": ["string", "null"]}, "string"),
        ({"type": ["null", "integer"]}, "integer"),
        ({"anyOf": [TEXT, NULL]}, "string"),
        # A single choice that is no alternative to null is not taken for the schema.
        ({"anyOf": [TEXT]}, "any"),
        ({"anyOf": [TEXT, {"type": "integer"}, NULL]}, "any"),
        (LIST, "array of string"),
        ({"type": "array", "items": LIST}, "array of array of string"),
        ({"type": "array", "items": {"type": "object"}}, "array"),
        ({"type": "array", "items": {}}, "array"),
    ],
)
def test_a_type_is_named_without_the_null_that_may_stand_for_it(
    schema: Schema, kind: str
) -> None:
    assert type_of(schema) == kind


@pytest.mark.parametrize(
    ("schema", "rules"),
    [
        ({}, []),
        ({"enum": ["a", "b"]}, ['`"a"`, `"b"`']),
        ({"type": ["string", "null"], "enum": ["a", None]}, ['`"a"`']),
        ({"const": 0}, ["`0`"]),
        ({"minimum": 0}, ["at least 0"]),
        ({"minimum": 1, "maximum": 5}, ["from 1 to 5"]),
        ({"maximum": 5}, []),
        (
            {"anyOf": [{"const": 0}, {"minimum": 2, "maximum": 9}, NULL]},
            ["`0` or from 2 to 9"],
        ),
        ({"minLength": 0}, []),
        (
            {"minLength": 1, "maxLength": 5, "format": "uri", "default": None},
            ["not empty", "at most 5 characters", "uri", "default `null`"],
        ),
        (
            {"anyOf": [TEXT, NULL], "default": "a"},
            ["at most 5 characters", 'default `"a"`'],
        ),
    ],
)
def test_rules_are_told_in_words(schema: Schema, rules: list[str]) -> None:
    assert list(rules_of(schema)) == rules


def test_members_are_named_by_their_paths() -> None:
    inner = {"properties": {"id": TEXT, "tags": LIST}, "required": ["id"]}
    rows = {"type": "array", "items": inner}
    document = {"properties": {"one": {"anyOf": [inner, NULL]}, "rows": rows}}

    found = {one.name: one.is_required for one in members_of(document, "body.")}

    assert found == {
        "body.one": False,
        "body.one.id": True,
        "body.one.tags": False,
        "body.rows": False,
        "body.rows[].id": True,
        "body.rows[].tags": False,
    }
