"""
The draw: functions by chance, and one fault in each.
"""

import ast
import random
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from tests.mutation.coverage_map import ROOT, SOURCES, CoverageMap
from tests.mutation.faults import KINDS, Fault, Surroundings

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
LEFT_OUT = ("hvcore/persistence/migrations/", "hvcore/testing/", "docs_site/")
"""Steps of old versions, kits (tests.kit.planted measures these), built pages."""


@attrs.frozen
class Function:
    """A function that is longer than forwarding, and the faults it can have."""

    file: str
    name: str
    faults: tuple[Fault, ...]


def functions(files: Iterable[str]) -> Iterator[Function]:
    """Yield the functions of these files in which a fault can be planted, in order."""
    for file in sorted(files):
        source = (ROOT / file).read_bytes()
        tree = ast.parse(source)
        starts = _line_starts(source)
        around = Surroundings.of_module(tree)
        for name, function in _functions_of(tree, ""):
            if _statements(function) >= 2:
                faults = tuple(_faults(file, name, function, (source, starts), around))
                if faults:
                    yield Function(file, name, faults)


def source_files(below: Iterable[str] = SOURCES) -> set[str]:
    """Return the files of our packages below these paths, as paths below the root."""
    found = set()
    for one in below:
        path = ROOT / one
        found |= {path} if path.is_file() else set(path.rglob("*.py"))
    names = {str(path.relative_to(ROOT)) for path in found}
    return {name for name in names if not any(part in name for part in LEFT_OUT)}


def reached(choice: Iterable[Function], known: CoverageMap) -> Iterator[Function]:
    """Yield the functions of which a test runs a line, with the faults of such lines."""
    for one in choice:
        faults = tuple(f for f in one.faults if known.tests_of(f.file, f.lines))
        if faults:
            yield attrs.evolve(one, faults=faults)


def draw(choice: Iterable[Function], number: int, seed: str) -> list[Fault]:
    """
    Draw functions, and in each a kind of fault and a place of that kind.

    The kinds are drawn evenly: else comparisons, which are everywhere, would be most.
    """
    chance = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    pool = list(choice)
    drawn = []
    for function in chance.sample(pool, min(number, len(pool))):
        kind = chance.choice(sorted({fault.kind for fault in function.faults}))
        of_kind = [fault for fault in function.faults if fault.kind == kind]
        drawn.append(chance.choice(of_kind))
    return drawn


def equivalents() -> dict[tuple[str, str, str], str]:
    """Return the reasons of faults that change nothing, by file, function and text."""
    table = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    found = {}
    for one in table.get("equivalent", ()):
        found[one["file"], one["function"], one["fault"]] = one["reason"]
    return found


def _functions_of(
    node: ast.AST, before: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            # Functions within it belong to it.
            yield f"{before}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions_of(child, f"{before}{child.name}.")
        else:
            yield from _functions_of(child, before)


def _statements(function: ast.AST) -> int:
    statements = [n for n in ast.walk(function) if isinstance(n, ast.stmt)]
    # Without the function itself and its docstring.
    return sum(not _is_text(one) for one in statements) - 1


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _faults(
    file: str,
    name: str,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    text: tuple[bytes, list[int]],
    around: Surroundings,
) -> Iterator[Fault]:
    source, starts = text
    # The body alone: decorators and defaults run when the module is imported.
    for statement in function.body:
        for node in _nodes(statement):
            for kind, maker in KINDS.items():
                for target, becomes in maker(node, around):
                    line, end_line = _lines(target)
                    start = starts[line - 1] + _column(target)
                    end = starts[end_line - 1] + _end_column(target)
                    was = source[start:end].decode()
                    yield Fault(
                        file=file,
                        function=name,
                        line=line,
                        lines=range(line, end_line + 1),
                        kind=kind,
                        start=start,
                        end=end,
                        was=was,
                        becomes=becomes,
                    )


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a node, but for texts with values: Python 3.11 misplaces these."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield from _nodes(child)


def _lines(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
    return node.lineno, node.end_lineno or node.lineno


def _column(node: ast.AST) -> int:
    assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
    return node.col_offset


def _end_column(node: ast.AST) -> int:
    assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
    return node.end_col_offset or 0


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
