"""Tell the optional abilities (protocols beyond its port) that a backend has."""

from collections.abc import Sequence
from typing import Any, Final, cast, get_type_hints

from hvcore.hookspecs import Backend
from hvcore.ports.analytics import SupportsReports
from hvcore.registry.faults import is_within
from hvcore.registry.kinds import Kind

_FLAG: Final = "can_"
"""How a property begins that tells whether it is really so, as it was set up."""


def abilities_of_class(made: type, kind: Kind) -> Sequence[str]:
    """Return the names of the optional abilities of a kind of backends that a backend class has."""
    return [_named(one, made) for one in kind.abilities if has_ability(made, one)]


def abilities_of(made: object, kind: Kind) -> Sequence[str]:
    """Return the names of the optional abilities that a built backend has as it was set up; calls no server."""
    return [
        _named(one, type(made))
        for one in kind.abilities
        if has_ability(type(made), one)
        and all(getattr(made, name) for name in vars(one) if name.startswith(_FLAG))
    ]


def class_of(backend: Backend[Any], kind: Kind) -> type | None:
    """Return the class of the backend that a factory makes; None if the factory does not declare it."""
    made: object = backend.factory
    if not isinstance(made, type):
        try:
            made = get_type_hints(made).get("return")
        except Exception:  # noqa: BLE001 - what an annotation names may not be there
            return None
    is_one = isinstance(made, type) and issubclass(made, kind.port)
    # A port of ours says no more than that it is one.
    if not is_one or is_within(made.__module__, "hvcore.ports"):
        return None
    return cast(type, made)


def has_ability(made: type, ability: type) -> bool:
    """Return whether a backend class has an optional ability: inherits from it, or has all members of the protocol."""
    if not getattr(ability, "_is_protocol", False):
        return issubclass(made, ability)
    # By the class alone: a property of an instance might ask somebody.
    return all(hasattr(made, name) for name in vars(ability) if name[0] != "_")


def _named(ability: type, made: type) -> str:
    if ability is SupportsReports and issubclass(made, SupportsReports):
        stored = ", ".join(sorted(report.value for report in made.reports))
        return f"{ability.__name__} ({stored or 'none'})"
    return ability.__name__
