"""Keep old names of members and settings working until a named release, with a DeprecationWarning that tells the new name."""

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
    The new name of a renamed member of a module, and until when the old name works.

    Attributes:
        new: The new name in the same module.
        gone_in: The release of hvcore that no longer has the old name, such as ``0.3``.
    """

    new: str
    gone_in: str


def renamed_names(
    module: str, renamed: Mapping[str, RenamedName]
) -> Callable[[str], object]:
    """
    Return a module's ``__getattr__`` that accepts old names with a DeprecationWarning.

    Type checkers must not see the function, because to them the module would have every
    name.

    Args:
        module: The module's ``__name__``.
        renamed: The new names by the old names.
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
    Issue a DeprecationWarning about a name or a setting that will be removed.

    Args:
        what: The name or the setting that will be removed, in words.
        use: The name or the setting to use instead.
        gone_in: The release of hvcore that no longer has the old name or setting, such as ``0.3``.
        stacklevel: The number of stack frames up to the code that uses the old name, as
            ``warnings.warn`` counts them.
    """
    warnings.warn(
        f"{what} goes with hvcore {gone_in}; use {use}.",
        DeprecationWarning,
        stacklevel=stacklevel,
    )
