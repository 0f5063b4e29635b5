"""Checks of ``hv doctor`` for plugins, and for backends that can only be built, not asked."""

from collections.abc import Iterator, Sequence

from hvcore.assembly import Services
from hvcore.domain.health_findings import (
    WARNING,
    HealthFinding,
    ambiguous,
    broken,
    healthy,
)
from hvcore.errors import ConfigError
from hvcore.registry import plugin_names

INVALIDATORS = "invalidators"


def auth(services: Services) -> Sequence[HealthFinding]:
    """Check that the authentication backends can be built."""
    providers = ", ".join(services.settings.auth.providers)
    try:
        access = services.access
    except ConfigError as exc:
        fix = "Correct HV_AUTH__PROVIDERS and its options."
        return [broken("auth", f"{providers}: {exc}", fix)]
    sentences = [
        sentence for one in access.providers for sentence in one.ambiguous_settings()
    ]
    doubts = ambiguous("auth", sentences, "Correct HV_AUTH__OPTIONS.")
    return [healthy("auth", providers), *doubts]


def invalidators(services: Services) -> Sequence[HealthFinding]:
    """Check that the backends that remove files from caches can be built."""
    try:
        names = services.cache_invalidator_names
    except ConfigError as exc:
        fix = "Correct HV_EDGE__CACHE_INVALIDATORS and its options."
        return [broken(INVALIDATORS, str(exc), fix)]
    return [
        healthy(INVALIDATORS, ", ".join(names) or "no cache is told to remove anything")
    ]


def plugins(services: Services) -> Sequence[HealthFinding]:
    """
    Check that the plugins can be loaded, and that plugins left out by settings exist.

    A broken plugin that the settings do not choose is no failure: nothing else needs it.
    """
    findings = [*_faults(services), *_unknown(services)]
    count = len(services.registry.offers)
    return findings or [healthy("plugins", f"{count} backends on offer")]


def _faults(services: Services) -> Iterator[HealthFinding]:
    for fault in services.registry.faults:
        yield HealthFinding(
            state=WARNING, check="plugins", found=fault.found, fix=fault.fix
        )


def _unknown(services: Services) -> Iterator[HealthFinding]:
    settings = services.settings
    known = plugin_names(settings)
    unknown = set(settings.plugin.disabled) - known
    if unknown:
        found = f"none is called {', '.join(sorted(unknown))}"
        fix = f"Correct HV_PLUGIN__DISABLED; there are {', '.join(sorted(known))}."
        yield HealthFinding(state=WARNING, check="plugins", found=found, fix=fix)
