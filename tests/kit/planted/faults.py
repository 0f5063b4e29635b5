"""The records of planted faults and of the backends in which they are planted."""

import pkgutil
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import attrs

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]


@attrs.frozen(kw_only=True)
class Change:
    """
    An exact replacement in a file of a plugin's package.

    Attributes:
        old: There once or more; all are replaced.
    """

    old: str
    new: str
    file: str = "backend.py"


@attrs.frozen(kw_only=True)
class Base:
    """
    A right backend in which faults are planted, instead of the template's.

    Attributes:
        kit_changes: Of the template's kit; empty where the base brings its own.
    """

    name: str
    kind: str
    kit_changes: tuple[Change, ...]


@attrs.frozen(kw_only=True)
class Fault:
    """
    A fault of a backend.

    Attributes:
        kind: Of the plugin, as ``hv plugins new`` calls it.
        promise: The promise that the fault breaks, in words that nobody checks:
            docstrings are reworded more often than promises change.
        promised_by: The dotted name of the object whose docstring makes the promise,
            or the path of a page of the documentation.
        unwritten: Why the fault is one all the same, if no docstring promises it.
        base: None for the template's backend.
        is_timed: The fault shows at some moments only: it has ten runs.
        is_large: The fault shows with ``--hv-large`` only, by sizes or numbers that
            take minutes.
        appended: Code behind the backend's.
    """

    kind: str
    name: str
    promise: str = ""
    promised_by: str = ""
    unwritten: str = ""
    base: str | None = None
    is_timed: bool = False
    is_large: bool = False
    changes: tuple[Change, ...] = ()
    appended: str = ""

    @property
    def id(self) -> str:
        return f"{self.kind}/{self.name}"


@cache
def faults() -> tuple[Fault, ...]:
    """Read the faults of all kinds of plugins."""
    return tuple(
        _fault(path.stem, record)
        for path in sorted(HERE.glob("records/*.toml"))
        for record in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    )


@cache
def bases() -> dict[str, Base]:
    """Read the backends besides those of the templates."""
    read = tomllib.loads((HERE / "bases/bases.toml").read_text(encoding="utf-8"))
    return {
        name: Base(
            name=name,
            kind=record["kind"],
            kit_changes=tuple(
                Change(old=old, new=new, file="kit.py")
                for old, new in record.get("kit_changes", ())
            ),
        )
        for name, record in read.items()
    }


@cache
def unseen() -> dict[str, str]:
    """Read which faults no kit can see, with the reason."""
    read: dict[str, str] = tomllib.loads(
        (HERE / "unseen.toml").read_text(encoding="utf-8")
    )
    return read


@cache
def is_documented(name: str) -> bool:
    """Return whether an object with a docstring, or a page, has the given name."""
    if name.endswith(".md"):
        return (ROOT / name).is_file()
    try:
        return bool(pkgutil.resolve_name(name).__doc__)
    except (AttributeError, ImportError):
        return False


def _fault(kind: str, record: dict[str, Any]) -> Fault:
    changes = tuple(
        Change(old=old, new=new, **({"file": file[0]} if file else {}))
        for old, new, *file in record.pop("changes", ())
    )
    return Fault(kind=kind, changes=changes, **record)
