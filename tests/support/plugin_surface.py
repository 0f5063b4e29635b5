"""
The public surface of hvcore.plugin_api, embedding and testing, as lines of text.

``python -m tests.support.plugin_surface`` writes it down, for a release. It refuses to write
that something is gone or changed unless plugin_api.VERSION and OLDEST say so. A parameter
that a method gets is a change, also an optional one: hvcore may give it to a plugin of an
older version, which does not take it.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, is_typeddict

import attrs

from hvcore import embedding, plugin_api, testing

FILE: Final = (
    Path(__file__).parents[2] / "docs" / "reference" / "plugin-api-surface.txt"
)
KIT: Final = "Conformance"
_VERSION: Final = "VERSION "


def surface() -> list[str]:
    """
    Return a line for each name, parameter, field and method that others may use.
    """
    found = {
        line
        for module in (plugin_api, embedding, testing)
        for name in module.__all__
        for line in _of_module(module, name)
    }
    for name, kit in kits():
        found |= set(_of(name, kit))
    return sorted(found)


def version_of(lines: list[str]) -> tuple[int, ...]:
    """
    Return the version that a file of the surface is of.
    """
    text = lines[0].removeprefix(_VERSION)
    return tuple(int(number) for number in text.split("."))


def is_breaking(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """
    Return whether what is of the old version may be gone in the new one.
    """
    return new[:2] > old[:2] if new[0] == 0 else new[0] > old[0]


def gone(stored: list[str]) -> list[str]:
    """
    Return what a stored surface has and this one has no more.
    """
    return sorted({*stored[1:]} - {*surface()})


def main() -> int:
    """
    Write the file, and say what has changed; 1 if that may not be.
    """
    stored = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    now, lost = surface(), gone(stored) if stored else []
    for line in lost:
        sys.stdout.write(f"- {line}\n")
    for line in sorted({*now} - {*stored[1:]}):
        sys.stdout.write(f"+ {line}\n")
    if lost and not is_breaking(version_of(stored), plugin_api.VERSION):
        sys.stdout.write("Not written: raise plugin_api.VERSION, or bring them back.\n")
        return 1
    if lost and version_of(stored) >= plugin_api.OLDEST:
        sys.stdout.write("Not written: raise plugin_api.OLDEST, or bring them back.\n")
        return 1
    version = ".".join(map(str, plugin_api.VERSION))
    FILE.write_text("\n".join([f"{_VERSION}{version}", *now]) + "\n", "utf-8")
    return 0


def _of_module(module: ModuleType, name: str) -> Iterator[str]:
    short = module.__name__.removeprefix("hvcore.")
    yield from _of(f"{short}.{name}", getattr(module, name))


def kits() -> Iterator[tuple[str, type]]:
    """
    Yield each kit by where authors import it: from a module that lists it, if any does.
    """
    modules = [
        importlib.import_module(f"hvcore.testing.{found.name}")
        for found in pkgutil.iter_modules(testing.__path__)
    ]
    listed = {getattr(module, name) for module in modules for name in _listed(module)}
    for module in modules:
        short = module.__name__.removeprefix("hvcore.")
        for name, found in vars(module).items():
            if not name.endswith(KIT) or name.startswith("_"):
                continue
            is_home = found.__module__ == module.__name__ and found not in listed
            if name in _listed(module) or is_home:
                yield f"{short}.{name}", found


def _listed(module: ModuleType) -> list[str]:
    names: list[str] = getattr(module, "__all__", [])
    return [name for name in names if name.endswith(KIT)]


def _of(name: str, found: Any) -> Iterator[str]:  # noqa: ANN401 - anything public
    yield name
    if not isinstance(found, type):
        if inspect.isroutine(found):
            yield f"{name}{_signature(found)}"
        return
    if attrs.has(found):
        for field in attrs.fields(found):
            if not field.name.startswith("_"):
                needed = "" if field.default is attrs.NOTHING else " (optional)"
                yield f"{name}.{field.name}: field{needed}"
    if is_typeddict(found):
        for key in found.__annotations__:
            yield f"{name}.{key}: key"
    for attribute in dir(found):
        if attribute.startswith("_") or not _is_ours(found, attribute):
            continue
        member = inspect.getattr_static(found, attribute)
        member = getattr(member, "__func__", member)
        is_method = inspect.isfunction(member)
        yield f"{name}.{attribute}{_signature(member) if is_method else ''}"


def _is_ours(cls: type, attribute: str) -> bool:
    owners = [base for base in cls.__mro__ if attribute in vars(base)]
    # A slot of a field is told as the field.
    is_field = attrs.has(cls) and attribute in {f.name for f in attrs.fields(cls)}
    return not is_field and owners[0].__module__.startswith("hvcore")


def _signature(function: Any) -> str:  # noqa: ANN401 - a callable
    """
    Return names and kinds of parameters: how annotations are written differs between
    versions of Python.
    """
    parameters = []
    for one in inspect.signature(function).parameters.values():
        default = one.default if one.default is one.empty else ...
        parameters.append(one.replace(annotation=one.empty, default=default))
    return str(inspect.Signature(parameters)).replace("=Ellipsis", "=…")


if __name__ == "__main__":
    sys.exit(main())
