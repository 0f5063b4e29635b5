"""The page of the names that plugins import and that are neither ports nor hooks."""

import enum
import inspect
from collections.abc import Iterator
from typing import Any

import attrs

from hvcore import plugin_api
from tests.support.plugin_reference.markdown import code, from_docstring
from tests.support.plugin_reference.source import (
    constant_of,
    fields_of,
    function_signature,
    members_of,
)
from tests.support.plugin_reference.subjects import is_port

INTRODUCTION = (
    "This page has the names of `hvcore.plugin_api` that are neither [ports](ports/README.md) "
    "nor records of [hooks](hooks/README.md): what methods take and give, errors, and "
    "functions for plugins."
)

TITLES = (
    *("Errors", "Enumerations", "Values", "Other classes", "Functions"),
    "Constants and types",
)


def names() -> list[str]:
    """Return the names that stand on the page."""
    return [name for name in plugin_api.__all__ if not _is_elsewhere(name)]


def page(note: str) -> Iterator[str]:
    """Give the parts of the page."""
    yield "# Values of the plugin API"
    yield note
    yield INTRODUCTION
    for title in TITLES:
        yield f"## {title}"
        for name in names():
            found = getattr(plugin_api, name)
            if _title(found) == title:
                yield from _entry(name, found)


def _title(found: object) -> str:
    if isinstance(found, type):
        if issubclass(found, Exception):
            return "Errors"
        if issubclass(found, enum.Enum):
            return "Enumerations"
        return "Values" if attrs.has(found) else "Other classes"
    return "Functions" if inspect.isfunction(found) else "Constants and types"


def _is_elsewhere(name: str) -> bool:
    found = getattr(plugin_api, name)
    return is_port(found) or name.endswith("Backend")


def _entry(name: str, found: Any) -> Iterator[str]:  # noqa: ANN401 - anything public
    yield f"### {name}"
    if inspect.isfunction(found):
        yield code(function_signature(found))
        yield from_docstring(found.__doc__ or "")
    elif isinstance(found, type):
        bases = ", ".join(one.__name__ for one in found.__bases__ if one is not object)
        head = f"class {name}({bases}):" if bases else f"class {name}:"
        fields = [f"    {one}" for one in fields_of(found)]
        yield code("\n".join([head, *fields]) if fields else f"{head} ...")
        yield from_docstring(found.__doc__ or "")
        for member in members_of(found):
            yield f"#### {name}.{member.name}"
            yield code(member.signature)
            yield from_docstring(member.doc)
    else:
        assigned, doc = constant_of(name, plugin_api)
        yield code(assigned)
        yield from_docstring(doc)
