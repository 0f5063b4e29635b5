"""Write the table of operations in Python, and a method for each operation and client."""

from collections.abc import Iterator, Sequence

import attrs

from hvcore_client_generator.document import (
    Answer,
    Argument,
    Kind,
    Member,
    Operation,
)
from hvcore_client_generator.names import snake
from hvcore_client_generator.python_types import (
    annotation,
    constant_name,
    described,
    docstring,
    optional,
    paragraphs,
    python_name,
    sent_annotation,
)

_TABLE_HEAD = '''"""
The operations of the API: what each call sends, and what is made of its answer.

{written}
"""

from typing import Any, Final

from hvcore_client.generated import models
from hvcore_client.operation import Operation, Paging

'''
_CALLS_HEAD = '''"""
Calls of the API: {tag}.

{written}
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, overload

from hvcore_client.{caller_module} import {caller}
from hvcore_client.generated import choices, models, operations
from hvcore_client.operation import NOT_SENT, NotSent


class {name}({caller}):
    """
    {tag}.
    """

'''
_FORMAT = "format"
_ABOUT_FORMAT = (
    "The records alone, as a text: a table with a header row, or one JSON document a "
    "line."
)
_TEXT_FORMATS = {
    "text/csv": "csv",
    "application/x-ndjson": "ndjson",
    "text/plain": "text",
    "text/vtt": "vtt",
    "application/x-subrip": "srt",
}
"""The values of the argument ``format`` by the content types of answers as text."""


@attrs.frozen(kw_only=True)
class Style:
    """Hold the names and keywords that differ between the blocking and the asynchronous client."""

    folder: str
    prefix: str
    define: str
    wait: str
    iterator: str

    @property
    def caller(self) -> str:
        return f"{self.prefix}Caller"


BLOCKING = Style(folder="calls", prefix="", define="def", wait="", iterator="Iterator")
ASYNCHRONOUS = Style(
    folder="async_calls",
    prefix="Async",
    define="async def",
    wait="await ",
    iterator="AsyncIterator",
)


@attrs.frozen(kw_only=True)
class Parameter:
    """
    Describe a parameter of a generated method.

    Attributes:
        default: The Python expression of the default; None if there is no default.
        about: The description in the method's docstring.
    """

    name: str
    annotation: str
    default: str | None = None
    is_positional: bool = False
    about: str = ""

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.annotation}{default}"


def operations_module(operations: Sequence[Operation], written: str) -> str:
    """
    Return the text of the Python module with the table of operations.

    Args:
        written: The sentence in its docstring that it is generated.
    """
    return _TABLE_HEAD.format(written=written) + "\n".join(map(_row, operations))


def class_name(tag: str, style: Style) -> str:
    """Return the name of the class with the methods for the operations of a tag."""
    words = "".join(word.capitalize() for word in tag.split())
    return f"{style.prefix}{words}Calls"


def calls_module(
    tag: str, operations: Sequence[Operation], style: Style, written: str
) -> str:
    """
    Return the text of the Python module with the methods for the operations of a tag.

    Args:
        tag: The group of the operations, such as ``Uploads``.
        written: The sentence in its docstring that it is generated.
    """
    head = _CALLS_HEAD.format(
        tag=tag,
        written=written,
        name=class_name(tag, style),
        caller=style.caller,
        caller_module=snake(style.caller),
    )
    methods = [text for found in operations for text in _methods(found, style)]
    return head + "\n".join(methods)


def _row(operation: Operation) -> str:
    path = operation.path
    for found in operation.arguments:
        path = path.replace(f"{{{found.sent_as}}}", f"{{{python_name(found.name)}}}")
    answer, kind = _answer_class(operation.answer)
    fields: dict[str, object] = {"method": repr(operation.method), "path": repr(path)}
    fields["answer"] = answer
    for place in ("query", "header"):
        names = {
            python_name(found.name): found.sent_as
            for found in operation.arguments
            if found.place == place and found.fixed is None
        }
        if names:
            fields["headers" if place == "header" else place] = repr(names)
    fixed = {f.sent_as: f.fixed for f in operation.arguments if f.fixed is not None}
    if fixed:
        fields["fixed_headers"] = repr(fixed)
    fields |= _row_of_body(operation)
    if operation.answer is not None and not operation.answer.is_enveloped:
        fields["is_enveloped"] = False
    if not operation.needs_key:
        fields["needs_key"] = False
    if operation.takes_idempotency_key:
        fields["takes_idempotency_key"] = True
    if operation.paging is not None:
        items = repr(python_name(operation.paging.items))
        fields["paging"] = (
            f"Paging(by_cursor={operation.paging.by_cursor}, items={items})"
        )
    values = ", ".join(f"{name}={value}" for name, value in fields.items())
    name = constant_name(operation.name)
    return f"{name}: Final[Operation[{kind}]] = Operation({values})"


def _row_of_body(operation: Operation) -> dict[str, object]:
    body = operation.body
    if body is None:
        return {}
    fields: dict[str, object] = {}
    if body.model is not None:
        fields["body"] = repr({python_name(m.name): m.name for m in body.model.members})
        if body.is_required:
            fields["needs_body"] = True
        if _sends_null(operation):
            fields["sends_null"] = True
    if body.content_types:
        fields["content_types"] = repr(tuple(body.content_types))
    return fields


def _answer_class(answer: Answer | None) -> tuple[str, str]:
    """Return the class from which an answer is built, and the annotation of the answer."""
    if answer is None:
        return "None", "None"
    if answer.type.kind is Kind.MODEL:
        name = annotation(answer.type, models="models.")
        return name, name
    return "dict", "dict[str, Any]"


def _methods(operation: Operation, style: Style) -> Iterator[str]:
    parameters = list(_parameters(operation))
    _, kind = _answer_class(operation.answer)
    if operation.answer is not None and operation.answer.text_types:
        yield from _overloads(operation, operation.answer, parameters, style)
    else:
        yield _method(operation, parameters, kind, style)
    if operation.paging is not None:
        yield _iteration(operation, parameters, style)


def _overloads(
    operation: Operation,
    answer: Answer,
    parameters: Sequence[Parameter],
    style: Style,
) -> Iterator[str]:
    """Yield the overloads of a method that answers a model, or a text for ``format``."""
    _, kind = _answer_class(answer)
    formats = ", ".join(f'"{_TEXT_FORMATS[one]}"' for one in answer.text_types)
    texts = f"Literal[{formats}]"
    for wanted, default, result in (
        ("None", "None", kind),
        (texts, None, "str"),
    ):
        own = [
            attrs.evolve(p, annotation=wanted, default=default)
            if p.name == _FORMAT
            else p
            for p in parameters
        ]
        yield f"    @overload\n{_signature(operation.name, own, result, style)} ...\n"
    own = [
        attrs.evolve(p, annotation=f"{texts} | None") if p.name == _FORMAT else p
        for p in parameters
    ]
    yield _method(operation, own, f"{kind} | str", style)


def _method(
    operation: Operation, parameters: Sequence[Parameter], kind: str, style: Style
) -> str:
    call = f"self._call({_passed(operation, parameters)})"
    return (
        f"{_signature(operation.name, parameters, kind, style)}\n"
        f"{_docstring(operation, operation.summary, parameters)}"
        f"        return {style.wait}{call}\n"
    )


def _iteration(
    operation: Operation, parameters: Sequence[Parameter], style: Style
) -> str:
    paging = operation.paging
    if paging is None:
        raise ValueError(f"{operation.name} is no list that goes on.")
    # A file has no pages.
    own = [found for found in parameters if found.name not in {"page", "format"}]
    name = operation.name.replace("list", "iterate", 1)
    kind = f"{style.iterator}[{annotation(paging.item_type, models='models.')}]"
    # What returns an iterator waits for nothing yet.
    plain = attrs.evolve(style, define="def")
    summary = f"Go through all {paging.items} of {snake(operation.name)}, page by page."
    return (
        f"{_signature(name, own, kind, plain)}\n"
        f"{_docstring(operation, summary, own)}"
        f"        return self._iterate({_passed(operation, own)})\n"
    )


def _signature(
    name: str, parameters: Sequence[Parameter], kind: str, style: Style
) -> str:
    positional = [str(found) for found in parameters if found.is_positional]
    others = [str(found) for found in parameters if not found.is_positional]
    inside = ["self", *positional, *(["*", *others] if others else [])]
    return f"    {style.define} {snake(name)}({', '.join(inside)}) -> {kind}:"


def _docstring(
    operation: Operation, summary: str, parameters: Sequence[Parameter]
) -> str:
    lines = [
        *paragraphs(summary, operation.about),
        *described("Args", ((found.name, found.about) for found in parameters)),
    ]
    return docstring(lines, "        ")


def _passed(operation: Operation, parameters: Sequence[Parameter]) -> str:
    pairs = ", ".join(f'"{found.name}": {found.name}' for found in parameters)
    return f"operations.{constant_name(operation.name)}, {{{pairs}}}"


def _parameters(operation: Operation) -> Iterator[Parameter]:
    for found in operation.arguments:
        if found.fixed is None:
            yield _of_argument(found)
    body = operation.body
    if body is not None and body.model is not None:
        for member in body.model.members:
            yield _of_member(operation, member)
    if body is not None and body.content_types:
        is_alone = body.model is None
        yield Parameter(
            name="content",
            annotation="str | bytes" if is_alone else "str | bytes | None",
            default=None if is_alone else "None",
            about="What is sent"
            + ("." if is_alone else ", instead of " + _names_of(operation) + "."),
        )
        yield Parameter(
            name="content_type",
            annotation="str | None",
            default="None",
            about="One of "
            + ", ".join(body.content_types)
            + "; by default by its first bytes.",
        )
    if operation.takes_idempotency_key:
        yield Parameter(
            name="idempotency_key",
            annotation="str | None",
            default="None",
            about="The same key gives the first answer again; by default a new one.",
        )


def _of_argument(found: Argument) -> Parameter:
    kind = sent_annotation(found)
    return Parameter(
        name=python_name(found.name),
        annotation=kind if found.is_required else optional(kind),
        default=None if found.is_required else "None",
        is_positional=found.place == "path",
        about=_about(found),
    )


def _of_member(operation: Operation, found: Member) -> Parameter:
    body, kind = operation.body, sent_annotation(found)
    is_required = found.is_required and not (body and body.content_types)
    if is_required:
        return Parameter(
            name=python_name(found.name), annotation=kind, about=_about(found)
        )
    if _sends_null(operation) and found.type.is_nullable:
        return Parameter(
            name=python_name(found.name),
            annotation=f"{kind.removesuffix(' | None')} | NotSent | None",
            default="NOT_SENT",
            about=_about(found),
        )
    return Parameter(
        name=python_name(found.name),
        annotation=optional(kind),
        default="None",
        about=_about(found),
    )


def _sends_null(operation: Operation) -> bool:
    """Return whether clients send null for None: in a PATCH, null removes a value."""
    return operation.method == "PATCH"


def _names_of(operation: Operation) -> str:
    body = operation.body
    members = body.model.members if body and body.model else ()
    return ", ".join(python_name(member.name) for member in members)


def _about(found: Member | Argument) -> str:
    if isinstance(found, Argument) and found.type.name == "ExportFormat":
        return _ABOUT_FORMAT
    if found.default is None:
        return found.about
    return f"{found.about} By default ``{found.default}``.".strip()
