"""Packages of import contracts, read from the folders of the tree."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def modules_of(entries: Iterable[str]) -> list[str]:
    """
    Return the modules that entries of a contract stand for.

    Args:
        entries: Names of modules, or patterns of files: ``apps/*`` is every package of the
            folder, ``plugins/*/plugin.py`` a module of each. ``!contrib/hvcore_client*``
            leaves out what other patterns have found.
    """
    listed = list(entries)
    left_out = [entry[1:] for entry in listed if entry.startswith("!")]
    found = {
        module: None
        for entry in listed
        if not entry.startswith("!")
        for path, module in _matching(entry)
        if not any(fnmatch(path, pattern) for pattern in left_out)
    }
    return list(found)


def layers_of(layers: Iterable[str]) -> list[str]:
    """Return layers in which each pattern is the packages that no other layer names."""
    split = [[entry.strip() for entry in layer.split("|")] for layer in layers]
    named = {entry for layer in split for entry in layer if "*" not in entry}
    filled = [
        [
            module
            for entry in layer
            for module in modules_of([entry])
            if module == entry or module not in named
        ]
        for layer in split
    ]
    return [" | ".join(layer) for layer in filled]


def _matching(entry: str) -> Iterator[tuple[str, str]]:
    """Yield the paths and the modules of one entry."""
    if "/" not in entry:
        yield entry, entry
        return
    for path in sorted(ROOT.glob(entry)):
        if path.suffix == ".py" or (path / "__init__.py").exists():
            relative = path.relative_to(ROOT)
            yield str(relative), ".".join(relative.with_suffix("").parts[1:])
