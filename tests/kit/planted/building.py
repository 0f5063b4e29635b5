"""Builds plugins with a fault, from what ``hv plugins new`` writes today."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hvcore_cli.commands.plugins.new import write_plugin
from tests.kit.planted.faults import HERE, Change, Fault, bases

_NAME: Final = "acme"


class StaleFaultError(Exception):
    """A planted change no longer applies: put it where the code is now."""


def write_right_plugin(kind: str, parent: Path, *, base: str | None) -> Path:
    """Write a plugin without a fault, and return the folder of its package."""
    (package,) = (write_plugin(kind, _NAME, parent) / "src").iterdir()
    if base is None:
        return package
    changed = {"backend.py": (HERE / f"bases/{base}.py").read_text(encoding="utf-8")}
    own_kit = HERE / f"bases/{base}_kit.py"
    kit = own_kit if own_kit.exists() else package / "kit.py"
    kit_text = {"kit.py": kit.read_text(encoding="utf-8")}
    changed |= _changed(kit_text, bases()[base].kit_changes, base)
    _write(package, changed)
    return package


def build(kind: str, parent: Path, *, base: str | None, fault: Fault | None) -> Path:
    """
    Write a plugin, with a fault if there is one, and return its folder.

    Raises:
        StaleFaultError: A text that a change replaces is not there.
    """
    package = write_right_plugin(kind, parent, base=base)
    if fault is not None:
        _write(package, faulty(modules_of(package), fault))
    return package.parents[1]


def modules_of(package: Path) -> dict[str, str]:
    """Read the modules of a package."""
    return {path.name: path.read_text(encoding="utf-8") for path in package.iterdir()}


def faulty(modules: Mapping[str, str], fault: Fault) -> dict[str, str]:
    """
    Return the modules of a plugin with a fault.

    Raises:
        StaleFaultError: A text that a change replaces is not there.
    """
    changed = _changed(modules, fault.changes, fault.id)
    if fault.appended:
        changed["backend.py"] += f"\n\n{fault.appended}"
    return changed


def _changed(
    modules: Mapping[str, str], changes: Iterable[Change], subject: str
) -> dict[str, str]:
    changed = dict(modules)
    for change in changes:
        if change.old not in changed[change.file]:
            raise StaleFaultError(f"{subject}: not in {change.file}: {change.old!r}")
        changed[change.file] = changed[change.file].replace(change.old, change.new)
    return changed


def _write(package: Path, modules: Mapping[str, str]) -> None:
    for name, text in modules.items():
        (package / name).write_text(text, encoding="utf-8")
