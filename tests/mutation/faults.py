"""
Faults that people make, as replacements of a part of a file's text.

Each maker takes a node of the syntax tree and yields what it would become. Makers read
the standard library's tree, whose places are the file's: everything else stays as it is.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeAlias

import attrs

Becomes: TypeAlias = tuple[ast.AST, str]
"""A node, and the text that takes its place."""
Maker: TypeAlias = "Callable[[ast.AST, Surroundings], Iterator[Becomes]]"


@attrs.frozen(kw_only=True)
class Fault:
    """One fault at one place of a file."""

    file: str
    """Path below the root."""
    function: str
    """With the classes around it, such as ``Videos.delete``."""
    line: int
    lines: range
    """Lines one of which a test must run."""
    kind: str
    start: int
    """Byte of the file, as is ``end``."""
    end: int
    was: str
    becomes: str

    def plant(self, source: bytes) -> bytes:
        """Return the file's bytes with the fault."""
        return source[: self.start] + self.becomes.encode() + source[self.end :]

    @property
    def text(self) -> str:
        """What is told of it, in one line."""
        return f"{self.kind}: {_short(self.was)} becomes {_short(self.becomes)}"


@attrs.frozen
class Surroundings:
    """What a maker may know besides the node."""

    errors: tuple[str, ...]
    """Classes of errors that the module names, in order of appearance."""

    @classmethod
    def of_module(cls, tree: ast.Module) -> "Surroundings":
        """Look for names of error classes anywhere in the module."""
        names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
        errors = [name for name in names if name.endswith(("Error", "Exception"))]
        return cls(tuple(dict.fromkeys(errors)))

    def other_error(self, name: str) -> str:
        """Return another error of the module, or one that no caller waits for."""
        return next((one for one in self.errors if one != name), "ArithmeticError")


COMPARED: Final = {ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in"}
ENDS: Final = (ast.Raise, ast.Return, ast.Continue, ast.Break)
BOUNDS: Final = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
FORMS: Final = ("lower", "upper", "casefold", "strip", "rstrip", "lstrip")
UNITS: Final = {
    "seconds": "minutes",
    "minutes": "seconds",
    "hours": "minutes",
    "days": "hours",
    "milliseconds": "seconds",
    "microseconds": "milliseconds",
}
NEIGHBOURS: Final = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "sorted": "list",
    "urlsafe_b64encode": "b64encode",
    "removeprefix": "removesuffix",
}
FACTORS: Final = (60, 100, 1000, 1024, 3600, 86400, 1_000_000)


def comparison(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Turn a comparison round, mix up ``and`` and ``or``, or forget a ``not``."""
    match node:
        case ast.Compare(ops=[sign]) if type(sign) in COMPARED:
            yield node, _compared(node, COMPARED[type(sign)])
        case ast.BoolOp(op=word) if not _is_value(node):
            other = " or " if isinstance(word, ast.And) else " and "
            yield node, f"({other.join(f'({_of(one)})' for one in node.values)})"
        case ast.UnaryOp(op=ast.Not()):
            yield node, f"({_of(node.operand)})"


def bound(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Count the end in or out, or be off by one."""
    match node:
        case ast.Compare(ops=[sign]) if type(sign) in BOUNDS:
            yield node, _compared(node, BOUNDS[type(sign)])
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)):
            yield node, f"({_of(node.left)})"
        case ast.Slice():
            for end in (node.lower, node.upper):
                if end is not None:
                    yield end, f"({_of(end)}) + 1"


def dropped_check(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out an ``if`` that ends the function or the turn of a loop."""
    match node:
        case ast.If(orelse=[], body=[*_, last]) if isinstance(last, ENDS):
            yield node.test, "False"


def dropped_call(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out a call whose answer nobody takes, except of a line of the log."""
    match node:
        case ast.Expr(value=ast.Call(func=called)):
            name = _of(called).lower().lstrip("_")
            if not name.startswith(("log.", "logger.", "logging.")):
                yield node, "pass"


def dropped_lock(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out a lock, of the process or of rows."""
    match node:
        case ast.withitem(context_expr=held, optional_vars=None):
            if "lock" in _of(held).lower():
                yield held, "__import__('contextlib').nullcontext()"
        case ast.keyword(arg=str(name), value=ast.Constant(value=True)):
            if "lock" in name or "for_update" in name:
                yield node.value, "False"
        case ast.Call(func=ast.Attribute(attr="with_for_update", value=query)):
            yield node, _of(query)


def swapped_arguments(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Take two neighbouring arguments for each other, where their order matters."""
    if not isinstance(node, ast.Call) or _of(node.func) in {"max", "min"}:
        return
    given = [*node.args, *(word.value for word in node.keywords if word.arg)]
    for one, other in pairwise(given):
        if _is_plain(one) and _is_plain(other) and _of(one) != _of(other):
            swapped = ast.parse(_of(node), mode="eval").body
            assert isinstance(swapped, ast.Call)
            yield node, _of(_swap(swapped, _of(one), _of(other)))


def forgotten_none(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Take for granted that something is there."""
    match node:
        case ast.Compare(
            ops=[ast.Is() | ast.IsNot() as sign, *_],
            comparators=[ast.Constant(value=None), *_],
        ):
            yield node, str(isinstance(sign, ast.IsNot))
        case ast.BoolOp(op=ast.Or()) if _is_value(node):
            yield node, f"({_of(node.values[0])})"


def other_error(node: ast.AST, around: Surroundings) -> Iterator[Becomes]:
    """Raise another error, or catch another one."""
    match node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) as raised):
            # With the arguments of the first it might not even be made.
            other = around.other_error(name)
            yield raised, f"{other}.__new__({other})"
        case ast.ExceptHandler(type=ast.Tuple(elts=names) as caught):
            for one in names:
                left = [_of(name) for name in names if name is not one]
                yield caught, f"({', '.join(left)},)"
        case ast.ExceptHandler(type=ast.Name(id=name) as caught):
            yield caught, around.other_error(name)


def other_unit_or_form(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Mistake a unit, or forget the form of a text or a list."""
    match node:
        case ast.BinOp(
            op=ast.Mult() | ast.Div() | ast.FloorDiv(),
            right=ast.Constant(value=factor),
        ) if factor in FACTORS:
            yield node, f"({_of(node.left)})"
        case ast.Call(func=ast.Attribute(value=text, attr=form)) if form in FORMS:
            yield node, _of(text)
        case ast.Call(func=called):
            name = _of(called).rpartition(".")[2]
            if name in NEIGHBOURS:
                yield called, _of(called).removesuffix(name) + NEIGHBOURS[name]
            for word in node.keywords if name == "timedelta" else ():
                if word.arg in UNITS:
                    yield word, f"{UNITS[word.arg]}={_of(word.value)}"


KINDS: Final[dict[str, Maker]] = {
    "comparison": comparison,
    "bound": bound,
    "dropped check": dropped_check,
    "dropped call": dropped_call,
    "dropped lock": dropped_lock,
    "swapped arguments": swapped_arguments,
    "forgotten None": forgotten_none,
    "other error": other_error,
    "other unit or form": other_unit_or_form,
}


def _swap(call: ast.Call, one: str, other: str) -> ast.Call:
    """Put two arguments of a call into each other's places."""
    places = {one: other, other: one}

    def moved(value: ast.expr) -> ast.expr:
        text = places.get(_of(value))
        return ast.parse(text, mode="eval").body if text else value

    call.args = [moved(value) for value in call.args]
    for word in call.keywords:
        word.value = moved(word.value)
    return call


def _compared(node: ast.Compare, sign: str) -> str:
    return f"{_of(node.left)} {sign} {_of(node.comparators[0])}"


def _of(node: ast.AST) -> str:
    return ast.unparse(node)


def _is_value(node: ast.BoolOp) -> bool:
    """Whether ``a or b`` chooses a value: its last part compares and denies nothing."""
    return not isinstance(node.values[-1], ast.Compare | ast.UnaryOp | ast.BoolOp)


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line}`" if len(line) <= 90 else f"`{line[:87]}...`"
