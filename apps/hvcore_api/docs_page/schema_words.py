"""Describe JSON Schemas in words, for the documentation page."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

Schema = Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Member:
    """
    A member of a JSON object in a schema, at any depth, as the documentation page lists it.

    Attributes:
        name: The path of the member in the document, such as ``body.videos[].id``.
    """

    name: str
    schema: Schema
    is_required: bool


def members_of(schema: Schema, path: str = "") -> Iterator[Member]:
    """
    Yield the members of a JSON object's schema, and those of the objects within it.

    Args:
        path: The text that stands before each member's name, such as ``body.``.
    """
    schema = _plain(schema)
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        member = f"{path}{name}"
        yield Member(name=member, schema=_plain(inner), is_required=name in required)
        yield from members_of(_plain(inner), f"{member}.")
    if schema.get("type") == "array":
        yield from members_of(schema["items"], f"{path.removesuffix('.')}[].")


def type_of(schema: Schema) -> str:
    """Return the type of a schema in words, such as ``array of string``."""
    plain = _plain(schema)
    kind = str(plain.get("type", "any"))
    if kind == "array" and plain["items"].get("type", "object") != "object":
        return f"array of {type_of(plain['items'])}"
    return kind


def rules_of(schema: Schema) -> Iterator[str]:
    """Yield the rules for a schema's values, such as ``at most 5 characters``, and its default."""
    plain = _plain(schema)
    choices = [*_choices(plain), *(w for p in plain.get("anyOf", ()) for w in _ends(p))]
    if choices:
        yield " or ".join(choices)
    yield from _ends(plain)
    if plain.get("minLength"):
        yield "not empty"
    if "maxLength" in plain:
        yield f"at most {plain['maxLength']} characters"
    if "format" in plain:
        yield str(plain["format"])
    if "default" in schema:
        yield f"default `{json.dumps(schema['default'])}`"


def _choices(schema: Schema) -> Iterator[str]:
    words = [f"`{json.dumps(value)}`" for value in schema.get("enum", ())]
    if words:
        yield ", ".join(words)


def _ends(schema: Schema) -> Iterator[str]:
    if "const" in schema:
        yield f"`{json.dumps(schema['const'])}`"
    elif "minimum" in schema and "maximum" in schema:
        yield f"from {schema['minimum']} to {schema['maximum']}"
    elif "minimum" in schema:
        yield f"at least {schema['minimum']}"


def _plain(schema: Schema) -> Schema:
    """Return a schema without the null that may stand for it."""
    if isinstance(schema.get("type"), list):
        words = [word for word in schema.get("enum", ()) if word is not None]
        kind = next(word for word in schema["type"] if word != "null")
        return {**schema, "type": kind, **({"enum": words} if words else {})}
    choices = [p for p in schema.get("anyOf", ()) if p != {"type": "null"}]
    if len(choices) == 1 and len(schema["anyOf"]) > 1:
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        return {**choices[0], **rest}
    return schema
