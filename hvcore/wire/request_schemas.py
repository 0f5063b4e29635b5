"""
JSON Schemas and OpenAPI parameters of the classes that read requests.

Both come from the fields that the converter reads, so that what is documented
is what is read.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from hvcore.domain.processing.encoding import AUTO
from hvcore.wire.converter import FieldSpec, fields_of
from hvcore.wire.kinds import Cap, FieldKind, OneOf
from hvcore.wire.schema import Schema, named, nullable

_NO_DEFAULT: Final = object()


def body_schema(cls: type[object]) -> Schema:
    """
    Return the JSON Schema of a request class's JSON body, under the class's name.

    Members that are not listed are allowed, because they are ignored, and a
    member that may be missing may as well be null.
    """
    specs = list(fields_of(cls))
    schema: dict[str, object] = {
        "type": "object",
        "properties": {spec.name: _member(spec) for spec in specs},
    }
    names = [spec.name for spec in specs if spec.is_required]
    return named(cls.__name__, schema | {"required": names} if names else schema)


def query_parameters(cls: type[object]) -> Sequence[Schema]:
    """Return the OpenAPI parameters of a request class's query, in their order."""
    return [
        {
            "name": spec.name,
            "in": "query",
            "required": spec.is_required,
            "schema": {**spec.kind.schema(), **_default(spec)},
            **_about(spec),
        }
        for spec in fields_of(cls)
    ]


def _member(spec: FieldSpec) -> Schema:
    schema = spec.kind.schema()
    if not spec.is_required:
        schema = nullable(schema)
    return {**schema, **_default(spec), **_about(spec)}


def _about(spec: FieldSpec) -> Mapping[str, str]:
    return {"description": spec.about} if spec.about else {}


def _default(spec: FieldSpec) -> Mapping[str, object]:
    if spec.is_required:
        return {}
    value = _written(spec.kind, spec.default)
    return {} if value is _NO_DEFAULT else {"default": value}


def _written(kind: FieldKind[object], value: object) -> object:
    """Return a value as callers write it."""
    if isinstance(kind, OneOf):
        words = (word for word, meant in kind.choices.items() if meant == value)
        return next(words, _NO_DEFAULT)
    if isinstance(kind, Cap):
        return AUTO if value is None else value
    return value if isinstance(value, str | int | float) else _NO_DEFAULT
