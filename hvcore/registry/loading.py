"""Load plugins and ask them for their backends; a broken one keeps none of the others out."""

import importlib
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import attrs

from hvcore import hookspecs
from hvcore.errors import ConfigError
from hvcore.extras import install_command
from hvcore.processes.time_limits import LimitedCall, LimitedCalls
from hvcore.registry.backends import Registry
from hvcore.registry.code_locations import locations_of_thread
from hvcore.registry.faults import (
    LISTED,
    PluginFault,
    PluginSource,
    hung_fault,
    remember,
)
from hvcore.registry.hooks import Offer, offers_of
from hvcore.registry.import_faults import fault_of_import
from hvcore.settings import Settings

GROUP: Final = hookspecs.PROJECT
SILENT_S: Final = 4.0
"""What a plugin does when it is imported is to offer records."""

_log = logging.getLogger(__name__)


@attrs.frozen
class _Found:
    source: PluginSource
    load: Callable[[], object]


def load_plugins(settings: Settings) -> Registry:
    """
    Load every plugin and ask it for its backends.

    What is wrong with one is a fault of the registry, and keeps no other out.

    Raises:
        ConfigError: No plugin is installed.
    """
    wanted = [
        one
        for one in _plugins(settings)
        if one.source.plugin not in settings.plugin.disabled
    ]
    remember([one.source for one in wanted])
    calls = LimitedCalls()
    begun = [
        # In a thread: an import that hangs holds up nobody else.
        (one.source, calls.start(partial(_offered, one), name=one.source.plugin))
        for one in wanted
    ]
    offers: list[Offer] = []
    faults: list[PluginFault] = []
    for source, call in begun:
        if call.has_ended(silent_s=SILENT_S):
            found, wrong = call.result()
            offers += found
            faults += wrong
        else:
            faults.append(_hung(source, call))
    return Registry(offers, faults)


def plugin_names(settings: Settings) -> frozenset[str]:
    """Return the names of all plugins, disabled or not."""
    return frozenset(one.source.plugin for one in _plugins(settings))


def package_of(module: str) -> str:
    """Return the package of a module; the module itself if it is in none."""
    return module.rpartition(".")[0] or module


def distribution_of(point: EntryPoint) -> str:
    """Return name and version of what brings an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"


def _plugins(settings: Settings) -> Iterator[_Found]:
    if settings.plugin_modules is not None:
        for name in settings.plugin_modules:
            source = PluginSource(
                plugin=name, distribution=LISTED, package=package_of(name)
            )
            yield _Found(source, partial(importlib.import_module, name))
        return
    found = installed_plugins(tuple(sys.path))
    if not found:
        raise ConfigError(
            "No plugin is installed; install hvcore again, with its plugins: "
            f"{install_command('all')}"
        )
    yield from found


@cache
def installed_plugins(path: tuple[str, ...]) -> Sequence[_Found]:  # noqa: ARG001 - it decides what is found
    """
    Find the installed plugins, once a process: reads each distribution's file.

    Args:
        path: The folders of sys.path.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(_Found(_source_of(point), point.load) for point in points)


def _source_of(point: EntryPoint) -> PluginSource:
    return PluginSource(
        plugin=point.name,
        distribution=distribution_of(point),
        package=package_of(point.value.partition(":")[0].strip()),
    )


def _offered(one: _Found) -> tuple[Sequence[Offer], Sequence[PluginFault]]:
    try:
        plugin: Any = one.load()
    # Whatever a stranger's module raises, SystemExit too: this thread is its own.
    except BaseException as exc:  # noqa: BLE001
        return (), [fault_of_import(one.source, exc)]
    return offers_of(one.source, plugin)


def _hung(source: PluginSource, call: LimitedCall[Any]) -> PluginFault:
    locations = locations_of_thread(call.frame())
    what = "loading it"
    return hung_fault(locations, what, after_s=call.age_s) or PluginFault(
        source=source,
        problem=f"{what} has not come back after {call.age_s:.0f} s",
        location=None,
        fix=f"A plugin's module must only offer records; {source.leave_out}.",
    )
