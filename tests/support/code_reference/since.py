"""
The version of hvcore that first had each setting, command and so on.

``docs/reference/since.toml`` has the names. The command that writes the pages adds new names, with
the version of today.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

import hvcore
from tests.support.code_reference.files import REFERENCE

FILE: Final = REFERENCE / "since.toml"
_HEAD: Final = """\
# The first version with each name of the reference pages. The command
# python -m tests.support.code_reference adds new names, and removes names that are gone.
"""


@cache
def known() -> Mapping[tuple[str, str], str]:
    """Return the first version with each name, by the kind of the name and the name."""
    versions = tomllib.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return {
        (kind, name): version
        for version, kinds in versions.items()
        for kind, names in kinds.items()
        for name in names
    }


def since(kind: str, name: str) -> str:
    """Return the first version with a name; the version of today for a new name."""
    return known().get((kind, name), hvcore.__version__)


def text_of(names: Iterable[tuple[str, str]]) -> str:
    """Return the text of the file for all names of today, each with its kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for kind, name in sorted(names):
        kinds = found.setdefault(since(kind, name), {})
        kinds.setdefault(kind, []).append(name)
    parts = [_HEAD]
    for version, kinds in sorted(found.items()):
        parts.append(f'\n["{version}"]\n')
        for kind, of_kind in kinds.items():
            lines = "".join(f'  "{name}",\n' for name in of_kind)
            parts.append(f"{kind} = [\n{lines}]\n")
    return "".join(parts)
