"""
Write the client for JavaScript: one module, and its types for TypeScript.

Both files consist of handwritten parts (``hvcore_client_js/source``) and of generated ones:
a table of operations in the module, and all types in the TypeScript file.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from hvcore_client_generator.document import Answer, Api, Argument, Body, Operation
from hvcore_client_generator.typescript import argument_name, declarations_of

PARTS: Final = (
    *("head", "errors", "", "client", "requests", "tries", "lost", "lists"),
    *("uploads", "webhooks", "tokens", "bytes"),
)
"""The parts of the module in order: names of handwritten files without ``.js``; "" is the
table of operations."""
OWN_METHODS: Final = frozenset({"constructor", "request", "upload", "waitUntilReady"})
_LINE: Final = 100
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")


def write_javascript(api: Api, folder: Path) -> None:
    """Write the JavaScript client and its types into its folder, which has the handwritten parts."""
    for name, text in javascript_files(api, folder / "source").items():
        (folder / name).write_text(text, "utf-8")


def javascript_files(api: Api, source: Path) -> Mapping[str, str]:
    """
    Return the texts of the client's files by their names.

    Args:
        source: The folder of the handwritten parts.

    Raises:
        ValueError: The client would have two methods or arguments of one name.
    """
    for operation in api.operations:
        _check_names(operation)
    parts = (
        (source / f"{name}.js").read_text("utf-8") if name else _table(api)
        for name in PARTS
    )
    types = (source / "types.d.ts").read_text("utf-8")
    return {
        "client.js": "\n".join(parts),
        "client.d.ts": "\n".join((types, *declarations_of(api))),
    }


def _check_names(operation: Operation) -> None:
    names = [argument_name(found) for found in operation.arguments]
    if operation.body is not None:
        if operation.body.model is not None:
            names += [member.name for member in operation.body.model.members]
        if operation.body.content_types:
            names += ["body", "contentType"]
    if len(set(names)) < len(names) or operation.name in OWN_METHODS:
        raise ValueError(f"{operation.name} or one of its arguments is there twice.")


def _table(api: Api) -> str:
    lines = ["/** What the service can be asked for, by the names of the methods. */"]
    lines.append("const OPERATIONS = {")
    for operation in api.operations:
        lines += _written(operation.name, dict(_entry(operation)))
    return "\n".join((*lines, "};", ""))


def _entry(operation: Operation) -> Iterator[tuple[str, object]]:
    """Yield the entries of an operation in the module's table; defaults are left out."""
    yield "method", operation.method
    yield "path", _path(operation)
    yield from _sent(operation)
    yield from _body(operation.body)
    yield from _answered(operation.answer)
    if operation.paging is not None:
        by = "cursor" if operation.paging.by_cursor else "page"
        yield "paging", {"items": operation.paging.items, "by": by}
    if not operation.needs_key:
        yield "isOpen", True
    if operation.takes_idempotency_key:
        yield "isIdempotent", True


def _sent(operation: Operation) -> Iterator[tuple[str, object]]:
    if query := [found.name for found in _in(operation.arguments, "query")]:
        yield "query", query
    headers = list(_in(operation.arguments, "header"))
    free = [found for found in headers if found.fixed is None]
    for name, is_required in (("headers", True), ("optionalHeaders", False)):
        if named := _named(x for x in free if x.is_required is is_required):
            yield name, named
    if fixed := {x.sent_as: x.fixed for x in headers if x.fixed is not None}:
        yield "fixed", fixed


def _named(headers: Iterable[Argument]) -> Mapping[str, str]:
    return {argument_name(found): found.sent_as for found in headers}


def _body(body: Body | None) -> Iterator[tuple[str, object]]:
    if body is None:
        return
    if body.model is not None:
        yield "json", "required" if body.is_required else "optional"
        yield "members", [member.name for member in body.model.members]
    if body.content_types:
        yield "content", list(body.content_types)


def _answered(answer: Answer | None) -> Iterator[tuple[str, object]]:
    if answer is None:
        yield "hasNoAnswer", True
        return
    if not answer.is_enveloped:
        yield "bare", True
    if answer.has_etag:
        yield "hasETag", True
    if answer.text_types:
        yield "texts", list(answer.text_types)


def _path(operation: Operation) -> str:
    """Return an operation's path with the client's names of the arguments."""
    path = operation.path
    for found in _in(operation.arguments, "path"):
        path = path.replace(f"{{{found.sent_as}}}", f"{{{found.name}}}")
    return path


def _in(arguments: Iterable[Argument], place: str) -> Iterator[Argument]:
    return (found for found in arguments if found.place == place)


def _written(name: str, entry: Mapping[str, object]) -> Sequence[str]:
    line = f"  {name}: {_literal(entry)},"
    if len(line) <= _LINE:
        return [line]
    members = [f"    {_key(key)}: {_literal(value)}," for key, value in entry.items()]
    return [f"  {name}: {{", *members, "  },"]


def _literal(value: object) -> str:
    if isinstance(value, Mapping):
        members = (f"{_key(key)}: {_literal(found)}" for key, found in value.items())
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name)
