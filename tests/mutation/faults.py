"""
Faults that people make, as replacements of a part of a file's text.

Each maker takes a node of the syntax tree and yields what it would become. Makers read
the standard library's tree, whose places are the file's: everything else stays as it is.
"""

import ast
from collections.abc import Callable, Iterator
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
BOUNDS: Final = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
FORMS: Final = ("lower", "upper", "casefold", "strip", "rstrip", "lstrip")
UNITS: Final = {"seconds": "minutes", "minutes": "seconds", "hours": "minutes"}
UNITS |= {"days": "hours", "milliseconds": "seconds", "microseconds": "milliseconds"}
NEIGHBOURS: Final = {"min": "max", "max": "min", "sorted": "list", "any": "all"}
NEIGHBOURS |= {"all": "any", "floor": "ceil", "ceil": "floor"}
NEIGHBOURS |= {"urlsafe_b64encode": "b64encode", "removeprefix": "removesuffix"}
FACTORS: Final = (60, 100, 1000, 1024, 3600, 86400, 1_000_000)


def comparison(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Turn a comparison round, mix up ``and`` and ``or``, or forget a ``not``."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = COMPARED.get(type(node.ops[0]))
        if sign:
            yield node, f"{_of(node.left)} {sign} {_of(node.comparators[0])}"
    if isinstance(node, ast.BoolOp) and not _is_value(node):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield node, f"({word.join(f'({_of(one)})' for one in node.values)})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"({_of(node.operand)})"


def bound(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Count the end in or out, or be off by one."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = BOUNDS.get(type(node.ops[0]))
        if sign:
            yield node, f"{_of(node.left)} {sign} {_of(node.comparators[0])}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        if isinstance(node.right, ast.Constant) and node.right.value == 1:
            yield node, f"({_of(node.left)})"
    if isinstance(node, ast.Slice):
        for end in (node.lower, node.upper):
            if end is not None:
                yield end, f"({_of(end)}) + 1"


def dropped_check(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out an ``if`` that ends the function or the turn of a loop."""
    if isinstance(node, ast.If) and not node.orelse:
        if isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue | ast.Break):
            yield node.test, "False"


def dropped_call(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out a call whose answer nobody takes, except of a line of the log."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if not _of(node.value.func).lower().startswith(("log.", "logger.", "logging.")):
            yield node, "pass"


def dropped_lock(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Leave out a lock, of the process or of rows."""
    if isinstance(node, ast.withitem) and node.optional_vars is None:
        if "lock" in _of(node.context_expr).lower():
            yield node.context_expr, "__import__('contextlib').nullcontext()"
    if isinstance(node, ast.keyword) and node.arg and _is_true(node.value):
        if any(word in node.arg for word in ("lock", "for_update")):
            yield node.value, "False"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "with_for_update":
            yield node, _of(node.func.value)


def swapped_arguments(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Take two neighbouring arguments for each other."""
    if not isinstance(node, ast.Call):
        return
    given = [*node.args, *(word.value for word in node.keywords if word.arg)]
    for one, other in zip(given, given[1:], strict=False):
        if _is_plain(one) and _is_plain(other) and _of(one) != _of(other):
            swapped = ast.parse(_of(node), mode="eval").body
            assert isinstance(swapped, ast.Call)
            yield node, _of(_Swap(_of(one), _of(other)).of_call(swapped))


def forgotten_none(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Take for granted that something is there."""
    if isinstance(node, ast.Compare) and _of(node.comparators[0]) == "None":
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            yield node, str(isinstance(node.ops[0], ast.IsNot))
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is_value(node):
        yield node, f"({_of(node.values[0])})"


def other_error(node: ast.AST, around: Surroundings) -> Iterator[Becomes]:
    """Raise another error, or catch another one."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        if isinstance(node.exc.func, ast.Name):
            # With its arguments it might not even be made: this is no other error.
            other = around.other_error(node.exc.func.id)
            yield node.exc, f"{other}.__new__({other})"
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple):
        for one in node.type.elts:
            left = [_of(name) for name in node.type.elts if name is not one]
            yield node.type, f"({', '.join(left)},)"
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
        yield node.type, around.other_error(node.type.id)


def other_unit_or_form(node: ast.AST, _: Surroundings) -> Iterator[Becomes]:
    """Mistake a unit, or forget the form of a text or a list."""
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Mult | ast.Div | ast.FloorDiv
    ):
        if isinstance(node.right, ast.Constant) and node.right.value in FACTORS:
            yield node, f"({_of(node.left)})"
    if not isinstance(node, ast.Call):
        return
    name = _of(node.func).rpartition(".")[2]
    if isinstance(node.func, ast.Attribute) and name in FORMS:
        yield node, f"{_of(node.func.value)}"
    if name in NEIGHBOURS:
        yield node.func, _of(node.func).removesuffix(name) + NEIGHBOURS[name]
    if name == "timedelta":
        for word in node.keywords:
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


class _Swap(ast.NodeTransformer):
    """Puts two arguments of one call into each other's places."""

    def __init__(self, one: str, other: str) -> None:
        self._places = {one: other, other: one}

    def of_call(self, call: ast.Call) -> ast.Call:
        call.args = [self._other(value) for value in call.args]
        for word in call.keywords:
            word.value = self._other(word.value)
        return call

    def _other(self, value: ast.expr) -> ast.expr:
        text = self._places.get(_of(value))
        return ast.parse(text, mode="eval").body if text else value


def _of(node: ast.AST) -> str:
    return ast.unparse(node)


def _is_value(node: ast.BoolOp) -> bool:
    """Whether ``a or b`` chooses a value: its last part compares and denies nothing."""
    return not isinstance(node.values[-1], ast.Compare | ast.UnaryOp | ast.BoolOp)


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line}`" if len(line) <= 90 else f"`{line[:87]}...`"
