"""The page of what embedding programs import."""

import enum
import inspect
from collections.abc import Iterator
from typing import Any

import attrs

from hvcore import embedding
from tests.support.plugin_reference.markdown import code, from_docstring
from tests.support.plugin_reference.source import (
    constant_of,
    fields_of,
    function_signature,
    members_of,
)

INTRODUCTION = (
    "This page has each name of `hvcore.embedding`, as its code declares it. [The service "
    "within your own program](../how-to/embedding.md) shows them at work; [The plugin "
    "API](plugin-api.md) says what is promised of them."
)


def page(note: str) -> Iterator[str]:
    """Give the parts of the page."""
    yield "# hvcore.embedding"
    yield note
    yield INTRODUCTION
    for name in embedding.__all__:
        yield f"## {name}"
        yield from _entry(name, getattr(embedding, name))


def _entry(name: str, found: Any) -> Iterator[str]:  # noqa: ANN401 - anything public
    if inspect.isfunction(found):
        yield code(function_signature(found))
        yield from_docstring(found.__doc__ or "")
        return
    if not isinstance(found, type):
        assigned, doc = constant_of(name, embedding)
        yield code(assigned)
        yield from_docstring(doc)
        return
    has_fields = attrs.has(found) or issubclass(found, enum.Enum)
    if fields := [f"    {one}" for one in fields_of(found) if has_fields]:
        yield code("\n".join([f"class {name}:", *fields]))
    yield from_docstring(found.__doc__ or "")
    for member in members_of(found):
        yield f"### {name}.{member.name}"
        yield code(member.signature)
        yield from_docstring(member.doc)
