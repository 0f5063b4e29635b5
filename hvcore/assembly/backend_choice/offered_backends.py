"""List the backends that plugins offer, and tell which of them the settings choose."""

from collections import Counter
from collections.abc import Sequence

import attrs

from hvcore.registry import KINDS, Choice, Offer, PluginFault, Registry
from hvcore.registry.abilities import abilities_of_class, class_of
from hvcore.registry.code_locations import location_of_definition
from hvcore.registry.extras import extra_of, missing
from hvcore.registry.kinds import options_path
from hvcore.registry.options import OptionInfo, options_of
from hvcore.settings import Settings


@attrs.frozen(kw_only=True)
class OfferedBackend:
    """
    A backend that a plugin offers, as an operator needs to know it.

    Attributes:
        plugin: The name of the plugin's entry point or module.
        distribution: Name and version of the distribution that has the plugin.
        is_active: Whether the settings choose the backend.
        missing: The command that installs missing libraries; None if nothing is
            missing.
        abilities: The names of the abilities that its class has besides its port; None if
            the factory does not declare the class.
        fault: The fault of the backend, as far as it shows without building it.
    """

    kind: str
    name: str
    plugin: str
    distribution: str
    is_active: bool
    missing: str | None
    options: Sequence[OptionInfo]
    abilities: Sequence[str] | None
    fault: PluginFault | None


def offered_backends(
    registry: Registry, settings: Settings
) -> Sequence[OfferedBackend]:
    """Return the offered backends, by kind and name; calls no server or database."""
    chosen = {(one.kind, one.name): one for one in active_choices(registry, settings)}
    times = Counter((one.kind, one.backend.name) for one in registry.offers)
    found = sorted(registry.offers, key=lambda one: (one.kind, one.backend.name))
    return [
        _offered(
            one,
            chosen.get((one.kind, one.backend.name)),
            is_only=times[one.kind, one.backend.name] == 1,
        )
        for one in found
    ]


def active_choices(registry: Registry, settings: Settings) -> Sequence[Choice]:
    """Return the chosen backends of all kinds that the service uses with these settings."""
    return [
        choice
        for kind in KINDS
        if kind != "limits" or settings.limits.enabled
        for choice in registry.choices(settings, kind)
    ]


def _offered(offer: Offer, chosen: Choice | None, *, is_only: bool) -> OfferedBackend:
    kind, name = KINDS[offer.kind], offer.backend.name
    made = class_of(offer.backend, kind)
    return OfferedBackend(
        kind=kind.name,
        name=name,
        plugin=offer.plugin,
        distribution=offer.distribution,
        is_active=chosen is not None,
        missing=missing(offer),
        options=options_of(
            offer,
            chosen.path if chosen else options_path(kind.name, name),
            chosen.options if chosen else {},
        ),
        abilities=None if made is None else abilities_of_class(made, kind),
        fault=_fault(offer, made, is_only=is_only),
    )


def _fault(offer: Offer, made: type | None, *, is_only: bool) -> PluginFault | None:
    source, extra = offer.source, offer.backend.extra
    if not is_only:
        return PluginFault(
            source=source,
            problem="another plugin offers a backend of the same kind and name",
            location=location_of_definition(offer.backend.factory),
            fix=f"Uninstall one, or {source.leave_out}.",
        )
    # What is added need not be an ABC.
    unwritten = sorted(getattr(made, "__abstractmethods__", ()))
    if made is not None and unwritten:
        return PluginFault(
            source=source,
            problem=f"{made.__name__} lacks {', '.join(unwritten)}",
            location=location_of_definition(made),
            fix="Write these methods.",
        )
    has_distribution = not (source.is_listed or source.is_file)
    if extra is not None and extra_of(offer) is None and has_distribution:
        return PluginFault(
            source=source,
            problem=f"no distribution has the extra {extra!r} that it names",
            location=location_of_definition(offer.backend.factory),
            fix=f"Declare it in pyproject.toml: [project.optional-dependencies] {extra}.",
        )
    return None
