"""Signatures and docstrings, as the source has them: equal under every Python."""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

LINE = 88
LONGEST = 120
"""Assignments of more characters are cut."""
_SHOWN = {"property", "classmethod", "staticmethod"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen(kw_only=True)
class Member:
    """
    A public method or property of a class.

    Attributes:
        is_required: A backend must write it.
        doc: Its docstring; "" without one.
    """

    name: str
    signature: str
    doc: str
    is_required: bool


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text("utf-8"))


def class_node(cls: type) -> ast.ClassDef:
    """Return the syntax of a class."""
    node = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(node, ast.ClassDef)
    return node


def members_of(cls: type, *, is_protocol: bool = False) -> Iterator[Member]:
    """Give the public methods and properties that a class itself declares."""
    for node in class_node(cls).body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            marks = [_text(one) for one in node.decorator_list]
            yield Member(
                name=node.name,
                signature=signature_of(node),
                doc=ast.get_docstring(node) or "",
                is_required=is_protocol or "abstractmethod" in marks,
            )


def fields_of(cls: type) -> Iterator[str]:
    """Give the public fields of an attrs class, or the members of an enum, as written."""
    for node in class_node(cls).body:
        if isinstance(node, ast.AnnAssign):
            name = _text(node.target)
            if not name.startswith("_"):
                default = _default(node.value)
                yield f"{name}: {_text(node.annotation)}{default}"
        elif isinstance(node, ast.Assign) and not _text(node).startswith("_"):
            yield _text(node)


def signature_of(node: Function) -> str:
    """Return the head of a function, with a line for each parameter if it is long."""
    marks = [_text(one) for one in node.decorator_list]
    above = "".join(f"@{one}\n" for one in marks if one in _SHOWN)
    result = f" -> {_text(node.returns)}" if node.returns else ""
    head = f"def {node.name}("
    parameters = list(_parameters(node.args))
    line = f"{head}{', '.join(parameters)}){result}"
    if len(line) > LINE:
        lines = "".join(f"    {one},\n" for one in parameters)
        line = f"{head}\n{lines}){result}"
    return above + line


def function_signature(function: Any) -> str:  # noqa: ANN401 - a function
    """Return the head of a function that is at hand."""
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, Function)
    return signature_of(node)


def constant_of(name: str, promised: ModuleType) -> tuple[str, str]:
    """
    Return the assignment of a constant, and the docstring below it.

    Args:
        promised: The module from which others import it.
    """
    module, original = _home(name, promised)
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.Assign | ast.AnnAssign) and _target(node) == original:
            said = after.value if isinstance(after, ast.Expr) else None
            doc = said.value if isinstance(said, ast.Constant) else ""
            text = _text(node).replace(original, name, 1)
            return text if len(text) <= LONGEST else f"{name} = …", str(doc)
    raise LookupError(name)


def _home(name: str, promised: ModuleType) -> tuple[str, str]:
    for node in ast.parse(inspect.getsource(promised)).body:
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if name == (one.asname or one.name):
                    return node.module or "", one.name
    return promised.__name__, name


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    return _text(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def _text(node: ast.AST) -> str:
    """Return the code of a node, with the quotes that this project has."""
    text = ast.unparse(node)
    return text if '"' in text else text.replace("'", '"')


def _default(value: ast.expr | None) -> str:
    if value is None:
        return ""
    if isinstance(value, ast.Call) and _text(value.func) == "attrs.field":
        words = {word.arg: _text(word.value) for word in value.keywords}
        if "default" not in words:
            return " = …" if "factory" in words else ""
        return f" = {words['default']}"
    return f" = {_text(value)}"


def _parameters(found: ast.arguments) -> Iterator[str]:
    """Give parameters, as the formatter of this project has them."""
    plain = [*found.posonlyargs, *found.args]
    defaults = [None] * (len(plain) - len(found.defaults)) + found.defaults
    for number, (one, default) in enumerate(zip(plain, defaults, strict=True), 1):
        yield _parameter(one, default)
        if number == len(found.posonlyargs):
            yield "/"
    if found.vararg:
        yield f"*{_text(found.vararg)}"
    elif found.kwonlyargs:
        yield "*"
    for one, default in zip(found.kwonlyargs, found.kw_defaults, strict=True):
        yield _parameter(one, default)
    if found.kwarg:
        yield f"**{_text(found.kwarg)}"


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    equals = " = " if one.annotation else "="
    return _text(one) + (f"{equals}{_text(default)}" if default else "")
