"""
Write values of the domain as JSON text, for the columns that hold whole structures.

A field that is added later needs a default, so that older rows still load.
"""

import json
from collections.abc import Mapping
from typing import TypeVar

from hvcore.wire.stored import from_stored, to_stored

ValueT = TypeVar("ValueT")


def dump(value: object) -> str:
    """Write a value of the domain as JSON text."""
    return dump_plain(to_stored(value))


def load(text: str, kind: type[ValueT]) -> ValueT:
    """Read a value of the domain, of the given class, from JSON text."""
    return from_stored(json.loads(text), kind)


def dump_plain(data: object) -> str:
    """Write plain JSON data, such as a task's payload, as text."""
    # ASCII: PostgreSQL's text holds no NUL character.
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def load_mapping(text: str) -> Mapping[str, object]:
    """Read plain JSON data that is an object from text."""
    data = json.loads(text)
    if not isinstance(data, dict):
        raise TypeError("expected a JSON object")
    return data
