"""
Collect the components of the OpenAPI document that operations share, such as schemas and examples.

Generators of clients make one class of each named schema, and the document stays
small, because most of it is shared.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final, cast

from hvcore.wire.schema import Schema
from hvcore_api.openapi.examples import EXAMPLES

Node = Mapping[str, object]
Document = dict[str, object]

_BESIDE: Final = ("description", "default")
"""The keywords that may stand beside a reference to a named schema."""
_NO_NAME: Final = re.compile("[^A-Za-z0-9]+")


def camel(text: str) -> str:
    """Return snake case words in camel case: ``video_not_found`` becomes ``VideoNotFound``."""
    return "".join(word[:1].upper() + word[1:] for word in _NO_NAME.split(text))


class Components:
    """The OpenAPI components (schemas, parameters, answers, examples), to which operations refer."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, Node]] = {}

    def document(self) -> Document:
        """Return the collected components by section and name, both sorted."""
        return {
            section: dict(sorted(parts.items()))
            for section, parts in sorted(self._parts.items())
        }

    def schema(self, schema: Schema) -> Schema:
        """Collect the named schemas within a schema, and return it with references in their place."""
        title = schema.get("title")
        if not isinstance(title, str):
            return {name: self._within(value) for name, value in schema.items()}
        beside = {name: schema[name] for name in _BESIDE if name in schema}
        named = {
            name: self._within(value)
            for name, value in schema.items()
            if name != "title" and name not in beside
        }
        return {**self.part("schemas", title, named), **beside}

    def example(self, name: str) -> Node | None:
        """Return a reference to the recorded example with a name; None if none was recorded."""
        if name not in EXAMPLES:
            return None
        return self.part("examples", name, {"value": EXAMPLES[name]})

    def part(self, section: str, name: str, node: Node) -> Document:
        """
        Keep a node as a component of a section under a name, and return a reference to it.

        If the name already has another node, as happens with plugins, the new one gets a
        number behind its name.
        """
        parts = self._parts.setdefault(section, {})
        for number in count(1):
            key = name if number == 1 else f"{name}{number}"
            if parts.setdefault(key, node) == node:
                return {"$ref": f"#/components/{section}/{key}"}
        raise AssertionError

    def _within(self, value: object) -> object:
        if isinstance(value, Mapping):
            return self.schema(cast("Schema", value))
        if isinstance(value, list):
            return [self._within(item) for item in value]
        return value


def resolved(document: Mapping[str, object]) -> dict[str, Any]:
    """
    Return an OpenAPI document in which each reference is replaced by the node that it names.

    Raises:
        KeyError: A reference names no node of the document.
    """
    return cast("dict[str, Any]", _resolve(document, document))


def _resolve(document: Mapping[str, object], node: object) -> object:
    if isinstance(node, Sequence) and not isinstance(node, str):
        return [_resolve(document, item) for item in node]
    if not isinstance(node, Mapping):
        return node
    node = {name: _resolve(document, value) for name, value in node.items()}
    reference = node.pop("$ref", None)
    if not isinstance(reference, str):
        return node
    found: object = document
    for name in reference.removeprefix("#/").split("/"):
        found = cast("Node", found)[name]
    return {**cast("Document", _resolve(document, found)), **node}
