"""
Check requests against the shapes of botocore's model of the service, enums included.

botocore itself checks only types, required members and lower bounds.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "double": (int, float),
    "float": (int, float),
    "boolean": (bool,),
    "timestamp": (int, float, str),
    "list": (list,),
    "map": (dict,),
    "structure": (dict,),
}


def problems(value: object, shape: Shape, path: str = "") -> Iterator[str]:
    """
    Yield a message for each fault of a value, with its path.

    Args:
        value: The JSON value of a request, with the API's member names.
        shape: botocore's description of the value.
        path: The path of the value in the request.
    """
    if not _has_type(value, shape):
        yield f"{path or '/'}: Should be of type {shape.type_name}"
    elif isinstance(shape, StructureShape) and isinstance(value, dict):
        yield from _of_structure(value, shape, path)
    elif isinstance(shape, ListShape) and isinstance(value, list):
        for number, item in enumerate(value):
            yield from problems(item, shape.member, f"{path}/{number}")
    elif isinstance(shape, MapShape) and isinstance(value, dict):
        for name, item in value.items():
            yield from problems(item, shape.value, f"{path}/{name}")
    elif isinstance(shape, StringShape) and isinstance(value, str):
        yield from _of_string(value, shape, path)
    elif isinstance(value, int | float):
        yield from _of_number(value, shape.metadata, path)


def wire_names(shape: StructureShape) -> dict[str, Shape]:
    """Return the members of a structure by their names in the API's JSON."""
    return {
        member.serialization.get("name", name): member
        for name, member in shape.members.items()
    }


def _has_type(value: object, shape: Shape) -> bool:
    # JSON's true is no number, though Python takes it for one.
    if isinstance(value, bool) and shape.type_name != "boolean":
        return False
    return isinstance(value, _TYPES[shape.type_name])


def _of_structure(
    value: Mapping[str, Any], shape: StructureShape, path: str
) -> Iterator[str]:
    members = wire_names(shape)
    required = {
        shape.members[name].serialization.get("name", name)
        for name in shape.required_members
    }
    for name in sorted(required):
        if value.get(name) is None:
            yield f"{path or '/'}: {name} is a required property"
    for name, item in value.items():
        if name not in members:
            yield f"{path}/{name}: Is not a known property"
        elif item is not None:
            yield from problems(item, members[name], f"{path}/{name}")


def _of_string(value: str, shape: StringShape, path: str) -> Iterator[str]:
    facts = shape.metadata
    if shape.enum and value not in shape.enum:
        yield f"{path}: Should be one of {', '.join(shape.enum)}"
    if len(value) < facts.get("min", 0):
        yield f"{path}: Should have at least {facts['min']} characters"
    if len(value) > facts.get("max", len(value)):
        yield f"{path}: Should have at most {facts['max']} characters"
    if "pattern" in facts and not re.search(facts["pattern"], value):
        yield f"{path}: Should match the pattern {facts['pattern']}"


def _of_number(value: float, facts: Mapping[str, Any], path: str) -> Iterator[str]:
    if value < facts.get("min", value):
        yield f"{path}: Should be at least {facts['min']}"
    if value > facts.get("max", value):
        yield f"{path}: Should be at most {facts['max']}"
