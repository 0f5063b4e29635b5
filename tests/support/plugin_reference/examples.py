"""Examples of the pages: code of templates and shipped plugins, which tests run."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Final

import attrs

from hvcore import plugin_api
from tests.support.plugin_reference.shipped_code import ROOT, ShippedClass, having
from tests.support.plugin_reference.source import tree_of

TEMPLATES: Final = Path("apps/hvcore_cli/commands/plugins/templates")
EXTENSION: Final = Path("docs/how-to/extend.md")
EXTENSION_NAME: Final = "acme_notes.py"


@attrs.frozen(kw_only=True)
class Example:
    """
    Code that runs.

    Attributes:
        file: Where it stands, below the root of the repository.
        about: What it is, in words.
    """

    file: Path
    about: str
    code: str


def of_template(kind: str, module: str) -> Example:
    """Return a module that ``hv plugins new`` writes."""
    file = TEMPLATES / kind / f"{module}.py.tmpl"
    words = {
        "name": "acme",
        "package": f"hvcore_{kind}_acme",
        "plugin_api": ".".join(map(str, plugin_api.VERSION)),
    }
    return Example(
        file=file,
        about=f"The module `{module}.py` that `hv plugins new {kind} acme` writes",
        code=Template((ROOT / file).read_text("utf-8")).safe_substitute(words),
    )


def of_class(file: str, name: str, methods: Sequence[str] = ()) -> Example:
    """Return a class of a shipped plugin, or some methods of it."""
    path = Path(file)
    (node,) = (
        one
        for one in tree_of(ROOT / path).body
        if isinstance(one, ast.ClassDef) and one.name == name
    )
    wanted = [
        one
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name in methods
    ]
    lines = (ROOT / path).read_text("utf-8").splitlines()
    return Example(
        file=path,
        about=f"Of `{name}`, which is shipped"
        if methods
        else "A class that is shipped",
        code=_parts(lines, node, wanted) if wanted else _lines(lines, node),
    )


def shortest(methods: Sequence[str]) -> Example:
    """Return some methods of the shipped class that needs the fewest lines for them."""
    found = having(methods)
    best = min(found, key=lambda one: (_length(one, methods), str(one.file)))
    return of_class(str(best.file), best.name, methods)


def of_extension(*names: str) -> Example:
    """Return functions or classes of the plugin that the page about additions shows."""
    page = (ROOT / EXTENSION).read_text("utf-8")
    (text,) = re.findall(rf"```python\n(# {EXTENSION_NAME}\n.*?)```", page, re.DOTALL)
    lines = text.splitlines()
    nodes = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names
    ]
    return Example(
        file=EXTENSION,
        about="A part of the plugin of [Add to the service](../../how-to/extend.md)",
        code="\n\n\n".join(_lines(lines, node) for node in nodes),
    )


def _parts(
    lines: Sequence[str], node: ast.ClassDef, wanted: Sequence[ast.FunctionDef]
) -> str:
    """Return a class with some of its methods, as the file has them."""
    head = "\n".join(lines[node.lineno - 1 : _first_line(node.body[0]) - 1])
    methods = [
        "\n".join(lines[_first_line(one) - 1 : one.end_lineno]) for one in wanted
    ]
    return f"{head.rstrip()}\n" + "\n\n".join(methods)


def _first_line(node: ast.stmt) -> int:
    marks = [one.lineno for one in getattr(node, "decorator_list", [])]
    return min([node.lineno, *marks])


def _lines(lines: Sequence[str], node: ast.FunctionDef | ast.ClassDef) -> str:
    return "\n".join(lines[_first_line(node) - 1 : node.end_lineno])


def _length(one: ShippedClass, methods: Sequence[str]) -> int:
    nodes = [one.methods[name] for name in methods]
    return sum((node.end_lineno or 0) - node.lineno for node in nodes)
