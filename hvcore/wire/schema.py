"""
Short functions that make JSON Schemas (2020-12), as OpenAPI 3.1 uses them.

Schemas of requests follow from their fields (``FieldKind.schema``); schemas of answers are
written with these functions, and tests compare every answer with its schema.

What is written here is what generators of clients read. So every object and every
set of words has a name (``named``), null stands in ``type`` where it can, and a
number says that it is one beside its bounds.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

Schema = Mapping[str, object]

STRING: Final[Schema] = {"type": "string"}
# Without a format, some generators keep an integer in 32 bits: too few for bytes.
INTEGER: Final[Schema] = {"type": "integer", "format": "int64"}
COUNT: Final[Schema] = {**INTEGER, "minimum": 0}
NUMBER: Final[Schema] = {"type": "number"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
# Named: the document refers to it some twenty times.
TIMESTAMP: Final[Schema] = {
    "title": "Timestamp",
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$",
}
DAY: Final[Schema] = {"type": "string", "format": "date"}
ADDRESS: Final[Schema] = {"type": "string", "format": "uri"}


def record(
    name: str,
    required: Mapping[str, Schema],
    optional: Mapping[str, Schema] | None = None,
) -> Schema:
    """
    Return the JSON Schema of an object with some members.

    The object stays open, so that present clients can read future members; tests close
    it (``tests/support/http/documented.py``).

    Args:
        name: The schema's name in the API's description; see named.
    """
    schema: dict[str, object] = {
        "type": "object",
        "properties": {**required, **(optional or {})},
    }
    # An empty list is no list of names to some generators.
    return named(name, schema | {"required": list(required)} if required else schema)


def named(name: str, schema: Schema) -> Schema:
    """
    Return a schema with the name under which the OpenAPI document lists it once.

    Args:
        name: In words that begin with capitals, such as ``VideoDetails``; generators
            make a class of it.
    """
    return {"title": name, **schema}


def array(items: Schema) -> Schema:
    """Return the JSON Schema of a list."""
    return {"type": "array", "items": items}


def one_of(name: str, *words: str) -> Schema:
    """
    Return the JSON Schema of a string that is one of some words.

    Args:
        name: The schema's name in the API's description; see named.
    """
    return named(name, {"type": "string", "enum": list(words)})


def words_of(enum: type[Enum]) -> Schema:
    """Return the JSON Schema of a string that is a value of an Enum, named after the Enum."""
    return one_of(enum.__name__, *(str(member.value) for member in enum))


def nullable(schema: Schema) -> Schema:
    """Return a JSON Schema that also allows null."""
    if "title" in schema or not isinstance(schema.get("type"), str):
        return {"anyOf": [schema, {"type": "null"}]}
    # What lists its values must list null, too.
    words = schema.get("enum")
    choices = {"enum": [*words, None]} if isinstance(words, list) else {}
    return {**schema, **choices, "type": [schema["type"], "null"]}


def identifier(prefix: str) -> Schema:
    """Return the JSON Schema of an identifier of the service, such as ``vid_…``."""
    return {"type": "string", "pattern": f"^{prefix}[0-9A-Za-z]{{22}}$"}
