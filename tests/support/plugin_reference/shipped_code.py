"""The code of this repository that implements ports, offers by hooks, or calls ports."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[3]
PLUGINS = ("plugins", "contrib")
CALLERS = ("hvcore", "apps")
_DECLARING = ("hvcore/ports", "hvcore/testing", "hvcore/registry")
"""The folders in which naming a port is no use of it."""
_IMPORT = re.compile(
    r"^from (?:hvcore\.ports[.\w]*|hvcore\.plugin_api) import (\([^)]*\)|.*)$",
    re.MULTILINE,
)


@attrs.frozen(kw_only=True)
class ShippedClass:
    """
    A class of a shipped plugin.

    Attributes:
        file: Below the root of the repository.
        bases: By their names.
    """

    name: str
    file: Path
    bases: tuple[str, ...]
    methods: Mapping[str, ast.FunctionDef] = attrs.field(eq=False)


@cache
def shipped_classes() -> Mapping[str, ShippedClass]:
    """Return the classes of all shipped plugins, by name."""
    found = {}
    for file, text in _texts(PLUGINS).items():
        for node in ast.parse(text).body if "\nclass " in text else ():
            if isinstance(node, ast.ClassDef):
                methods = {
                    one.name: one
                    for one in node.body
                    if isinstance(one, ast.FunctionDef)
                }
                found[node.name] = ShippedClass(
                    name=node.name,
                    file=file,
                    bases=tuple(ast.unparse(one).split("[")[0] for one in node.bases),
                    methods=methods,
                )
    return found


def implementing(port: str) -> Sequence[ShippedClass]:
    """Return the shipped classes that inherit from a port, also by another class."""
    known = shipped_classes()

    def inherits(one: ShippedClass) -> bool:
        return port in one.bases or any(
            inherits(known[base]) for base in one.bases if base in known
        )

    return [one for one in known.values() if inherits(one)]


def having(methods: Sequence[str]) -> Sequence[ShippedClass]:
    """Return the shipped classes that write all these methods themselves."""
    return [
        one
        for one in shipped_classes().values()
        if methods and set(methods) <= one.methods.keys()
    ]


def offering(hook: str) -> Sequence[Path]:
    """Return the modules of shipped plugins that have a hook."""
    return _matching(rf"^def {hook}\(")


def given(field: str) -> Sequence[Path]:
    """Return the modules of shipped plugins that take a field of their BuildContext."""
    return _matching(rf"\bcontext\.{field}\b")


def _matching(pattern: str) -> Sequence[Path]:
    wanted = re.compile(pattern, re.MULTILINE)
    return [file for file, text in _texts(PLUGINS).items() if wanted.search(text)]


@cache
def callers() -> Mapping[str, Sequence[str]]:
    """Return the packages of the service that import each name of a port."""
    found: dict[str, set[str]] = {}
    for file, text in _texts(CALLERS).items():
        if str(file).startswith(_DECLARING) or len(file.parts) < 3:
            continue
        for imported in _IMPORT.findall(text):
            for name in re.findall(r"\w+", imported):
                found.setdefault(name, set()).add(_package(file))
    return {name: sorted(packages) for name, packages in found.items()}


def _package(file: Path) -> str:
    depth = 3 if file.parts[:2] == ("hvcore", "services") else 2
    return "/".join(file.parts[: min(depth, len(file.parts) - 1)])


@cache
def _texts(folders: tuple[str, ...]) -> Mapping[Path, str]:
    found = {}
    for folder in folders:
        pattern = "**/*.py" if folder == "hvcore" else "hvcore_*/**/*.py"
        for file in sorted((ROOT / folder).glob(pattern)):
            if "generated" not in file.parts:
                found[file.relative_to(ROOT)] = file.read_text("utf-8")
    return found
