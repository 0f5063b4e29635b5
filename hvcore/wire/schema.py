"""
JSON Schema (2020-12), as OpenAPI 3.1 uses it, said briefly.

Requests derive theirs from their fields (``FieldKind.schema``); answers are
written down with these functions, and tests hold every answer against its own.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

Schema = Mapping[str, object]

STRING: Final[Schema] = {"type": "string"}
INTEGER: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
NUMBER: Final[Schema] = {"type": "number"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
TIMESTAMP: Final[Schema] = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$",
}
DAY: Final[Schema] = {"type": "string", "format": "date"}
ADDRESS: Final[Schema] = {"type": "string", "format": "uri"}


def record(
    required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None
) -> Schema:
    """
    Describe an object with these members and no others.
    """
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def array(items: Schema) -> Schema:
    """
    Describe a list.
    """
    return {"type": "array", "items": items}


def one_of(*words: str) -> Schema:
    """
    Describe a string that is one of some words.
    """
    return {"type": "string", "enum": list(words)}


def words_of(enum: type[Enum]) -> Schema:
    """
    Describe a string that is the value of a member.
    """
    return one_of(*(str(member.value) for member in enum))


def nullable(schema: Schema) -> Schema:
    """
    Describe a value that may be null.
    """
    return {"anyOf": [schema, {"type": "null"}]}


def identifier(prefix: str) -> Schema:
    """
    Describe an identifier of ours, such as ``vid_…``.
    """
    return {"type": "string", "pattern": f"^{prefix}[0-9A-Za-z]{{22}}$"}
