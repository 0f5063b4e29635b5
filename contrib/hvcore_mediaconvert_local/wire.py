"""Read and join JSON objects of MediaConvert's API."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object of a request or an answer, with the API's names (``outputGroups``)."""


def object_at(found: Mapping[str, Any], *path: str) -> JsonObject:
    """Return the object at a path of names; an empty object if there is none."""
    for name in path:
        found = found.get(name) or {}
    return dict(found)


def objects_at(found: Mapping[str, Any], name: str) -> tuple[JsonObject, ...]:
    """Return the objects in a member that is a list; none if the member is missing."""
    return tuple(found.get(name) or ())


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> JsonObject:
    """
    Return an object with the members of both objects; the second one wins.

    Objects within the objects are joined member by member, and lists item by item, such
    as the outputs of a job with those of its template.
    """
    made = dict(under)
    for name, value in over.items():
        made[name] = _joined(made.get(name), value)
    return made


def without_nulls(found: object) -> object:
    """Return JSON without members that are null, which count as absent."""
    if isinstance(found, Mapping):
        kept = {name: value for name, value in found.items() if value is not None}
        return {name: without_nulls(value) for name, value in kept.items()}
    if isinstance(found, list):
        return [without_nulls(value) for value in found]
    return found


def leaves(found: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the path and the value of each JSON value that is no object and no list."""
    if isinstance(found, Mapping):
        for name, value in found.items():
            yield from leaves(value, f"{path}/{name}")
    elif isinstance(found, list):
        for number, value in enumerate(found):
            yield from leaves(value, f"{path}/{number}")
    else:
        yield path, found


def _joined(under: object, over: object) -> object:
    if isinstance(under, Mapping) and isinstance(over, Mapping):
        return laid_over(under, over)
    if isinstance(under, list) and isinstance(over, list):
        return _joined_lists(under, over)
    return over


def _joined_lists(under: Sequence[object], over: Sequence[object]) -> list[object]:
    both = [_joined(a, b) for a, b in zip(under, over, strict=False)]
    return [*both, *under[len(both) :], *over[len(both) :]]
