"""Write the TypeScript types of schemas, parameters and methods."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hvcore_client_generator.document import (
    ABOUT_ETAG,
    Api,
    Argument,
    Choice,
    Kind,
    Member,
    Model,
    Operation,
    Type,
)
from hvcore_client_generator.names import camel

UPLOAD_METADATA: Final = "Upload-Metadata"
"""The header of the tus protocol that the client builds from an object's fields."""
_PLAIN: Final[Mapping[Kind, str]] = {
    Kind.TEXT: "string",
    Kind.INTEGER: "number",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.ANY: "unknown",
}
_LINE: Final = 100


def argument_name(argument: Argument) -> str:
    """Return an argument's name in the client; headers get names in camel case."""
    return camel(argument.name) if argument.place == "header" else argument.name


def declarations_of(api: Api) -> Iterator[str]:
    """Yield the declarations of choices, models, parameters, and the methods' interface."""
    for choice in api.choices:
        yield _choice(choice)
    for model in api.models:
        yield _model(model)
    for operation in api.operations:
        if _has_params(operation):
            yield _params(operation)
    methods = (line for operation in api.operations for line in _method(operation))
    yield "\n".join(("export interface Operations {", *methods, "}", ""))


def _choice(choice: Choice) -> str:
    values = " | ".join(json.dumps(value) for value in choice.values)
    line = f"export type {choice.name} = {values};"
    if len(line) > _LINE:
        values = "".join(f"\n  | {json.dumps(value)}" for value in choice.values)
        line = f"export type {choice.name} ={values};"
    return "\n".join((*_about("", choice.about), line, ""))


def _model(model: Model) -> str:
    lines = [*_about("", model.about), f"export interface {model.name} {{"]
    lines += [line for member in model.members for line in _member(member)]
    if model.has_etag:
        lines += [*_about("  ", ABOUT_ETAG), "  etag: string;"]
    if model.further is not None:
        lines.append(f"  [member: string]: {_type(model.further)};")
    return "\n".join((*lines, "}", ""))


def _member(member: Member) -> Sequence[str]:
    about = _with_default(member.about, member.default)
    mark = "" if member.is_required else "?"
    return [*_about("  ", about), f"  {member.name}{mark}: {_type(member.type)};"]


def _params(operation: Operation) -> str:
    """Return the declaration of the object that a method takes."""
    lines = [line for found in _arguments(operation) for line in _argument(found)]
    own = "\n".join(("{", *lines, "}")) if lines else ""
    name = _params_name(operation)
    body = operation.body
    model = body.model.name if body and body.model else ""
    if body is None or not body.content_types:
        extends = f" extends {model}" if model else ""
        return f"export interface {name}{extends} {own or '{}'}\n"
    types = " | ".join(json.dumps(found) for found in body.content_types)
    content = f"ContentBody<{types}>"
    sent = f"({model} | {content})" if model else content
    return f"export type {name} = {f'{own} & ' if own else ''}{sent};\n"


def _argument(argument: Argument) -> Sequence[str]:
    about = _with_default(argument.about, argument.default)
    mark = "" if argument.is_required else "?"
    found = _type(argument.type)
    if argument.type.kind is Kind.ARRAY and argument.type.item is not None:
        found = f"{_type(argument.type.item)} | {found}"
    if argument.sent_as == UPLOAD_METADATA:
        found = "UploadFields"
    return [*_about("  ", about), f"  {argument_name(argument)}{mark}: {found};"]


def _method(operation: Operation) -> Iterator[str]:
    about = f"{operation.summary}\n\n{operation.about}".strip()
    yield from _about("  ", about)
    params = _params_name(operation)
    options = "options?: RequestOptions"
    if operation.answer is not None and operation.answer.text_types:
        (form,) = (one for one in operation.arguments if one.sent_as == "format")
        text = f'{params} & {{ format: Exclude<{form.type.name}, "json"> }}'
        yield f"  {operation.name}(params: {text}, {options}): Promise<string>;"
        params = f'{params} & {{ format?: "json" }}'
    if not _has_params(operation):
        given = "params?: {}"
    else:
        mark = "" if _needs_params(operation) else "?"
        given = f"params{mark}: {params}"
    yield f"  {operation.name}({given}, {options}): {_result(operation)};"


def _result(operation: Operation) -> str:
    if operation.answer is None:
        return "Promise<void>"
    answered = _type(operation.answer.type)
    if operation.paging is not None:
        return f"ListRequest<{answered}, {_type(operation.paging.item_type)}>"
    return f"Promise<{answered}>"


def _has_params(operation: Operation) -> bool:
    return bool(_arguments(operation) or operation.body)


def _needs_params(operation: Operation) -> bool:
    body = operation.body
    return any(found.is_required for found in _arguments(operation)) or (
        body is not None and body.is_required
    )


def _arguments(operation: Operation) -> Sequence[Argument]:
    return [found for found in operation.arguments if found.fixed is None]


def _params_name(operation: Operation) -> str:
    return f"{operation.name[0].upper()}{operation.name[1:]}Params"


def _type(found: Type) -> str:
    if found.kind in (Kind.MODEL, Kind.CHOICE):
        name = found.name
    elif found.item is not None:
        item = _type(found.item)
        is_array = found.kind is Kind.ARRAY
        item = f"({item})" if is_array and " " in item else item
        name = f"{item}[]" if is_array else f"Record<string, {item}>"
    else:
        name = _PLAIN[found.kind]
    return f"{name} | null" if found.is_nullable else name


def _with_default(about: str, default: object) -> str:
    if default is None:
        return about
    return f"{about} By default `{json.dumps(default)}`.".strip()


def _about(indent: str, text: str) -> Sequence[str]:
    """Return the lines of a JSDoc comment; no lines for an empty text."""
    lines = text.replace("*/", "* /").splitlines()
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [
        f"{indent}/**",
        *(f"{indent} * {line}".rstrip() for line in lines),
        f"{indent} */",
    ]
