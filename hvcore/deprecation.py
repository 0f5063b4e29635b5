"""Names that are to go: they work for a while, and say what takes their place."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Final

import attrs

CALLER: Final = 2
"""The warning shows the line that uses the name."""


@attrs.frozen(kw_only=True)
class RenamedName:
    """
    A name of a module that has another name now.

    Attributes:
        new: Its name in the same module.
        gone_in: The release of hvcore that has the old one no more, such as ``0.3``.
    """

    new: str
    gone_in: str


def renamed_names(
    module: str, renamed: Mapping[str, RenamedName]
) -> Callable[[str], object]:
    """
    Return the ``__getattr__`` of a module that still knows its old names.

    Type checkers must not see it, because to them it would have every name.

    Args:
        module: The module's ``__name__``.
        renamed: By the old names.
    """

    def get(name: str) -> object:
        found = renamed.get(name)
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_of(f"{module}.{name}", use=f"{module}.{found.new}", gone_in=found.gone_in)
        value: object = getattr(sys.modules[module], found.new)
        return value

    return get


def warn_of(what: str, *, use: str, gone_in: str, stacklevel: int = CALLER + 1) -> None:
    """
    Warn of a name or a setting that a later release has no more.

    Args:
        use: What takes its place.
        gone_in: The release of hvcore that has it no more.
    """
    warnings.warn(
        f"{what} goes with hvcore {gone_in}; use {use}.",
        DeprecationWarning,
        stacklevel=stacklevel,
    )
