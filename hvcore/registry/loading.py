"""Load plugins and ask each for its backends; a broken plugin does not affect the others."""

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore import hookspecs
from hvcore.errors import ConfigError
from hvcore.extras import install_command
from hvcore.processes.time_limits import LimitedCall, LimitedCalls
from hvcore.registry.backends import Registry
from hvcore.registry.code_locations import locations_of_thread
from hvcore.registry.faults import (
    EXTRA,
    LISTED,
    PluginFault,
    PluginFaultError,
    PluginSource,
    hung_fault,
    remember,
)
from hvcore.registry.hooks import Offer, offers_of
from hvcore.registry.import_faults import fault_of_import
from hvcore.registry.plugin_files import (
    files_in,
    load_file,
    load_private_file,
    module_of,
)
from hvcore.settings import Settings

GROUP: Final = hookspecs.PROJECT
SILENT_S: Final = 4.0
"""What a plugin does when it is imported is to offer records."""


@attrs.frozen
class _Found:
    source: PluginSource
    load: Callable[[], object]
    module: str


def load_plugins(settings: Settings, *, has_folder: bool = True) -> Registry:
    """
    Load every plugin that is not disabled, and return the registry of their backends.

    A broken plugin is recorded as a fault in the registry, and does not affect the others.

    Args:
        has_folder: Whether plugins that are files in the data folder are loaded, too.

    Raises:
        ConfigError: No plugin is installed.
    """
    wanted = [
        one
        for one in _plugins(settings, has_folder=has_folder)
        if one.source.plugin not in settings.plugin.disabled
    ]
    remember([one.source for one in wanted])
    calls = LimitedCalls()
    begun = [
        # In a thread: an import that hangs holds up nobody else.
        (
            one.source,
            calls.start(partial(_offered, one, settings), name=one.source.plugin),
        )
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
    return Registry(offers, faults, traces=settings.traces_plugins)


def plugin_names(settings: Settings) -> frozenset[str]:
    """Return the names of all installed plugins, disabled ones included."""
    return frozenset(one.source.plugin for one in _plugins(settings))


def package_of(module: str) -> str:
    """Return the package that a module is in; the module itself if it is in none."""
    return module.rpartition(".")[0] or module


def distribution_of(point: EntryPoint) -> str:
    """Return name and version of the distribution that has an entry point; or "unknown"."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"


def _plugins(settings: Settings, *, has_folder: bool = True) -> Iterator[_Found]:
    """Find all plugins; what is named beside them and there already is found once."""
    modules = settings.plugin_modules
    found = _installed() if modules is None else [_listed(m, LISTED) for m in modules]
    yield from found
    known: set[str | Path] = {one.module for one in found}
    taken: dict[str, Path] = {}
    files = [*files_in(settings.data_dir)] if has_folder else []
    known |= set(files)
    # Those that the operator has named go before those that lie in a folder.
    for extra in settings.extra_plugins:
        if extra in known:
            continue
        known.add(extra)
        if isinstance(extra, Path):
            yield _of_file(extra, EXTRA, load_file, taken)
        else:
            yield _listed(extra, EXTRA)
    for file in files:
        yield _of_file(file, str(file.parent), load_private_file, taken)


def _listed(module: str, variable: str) -> _Found:
    source = PluginSource(
        plugin=module, distribution=variable, package=package_of(module)
    )
    return _Found(source, partial(importlib.import_module, module), module)


def _of_file(
    file: Path,
    origin: str,
    load: Callable[[Path, PluginSource], object],
    taken: dict[str, Path],
) -> _Found:
    """
    Return the plugin that is a file; loading refuses the second file of a name.

    Args:
        origin: The variable or the folder in which it was found.
        taken: The files before it, by the modules that they become.
    """
    module = module_of(file)
    source = PluginSource(plugin=file.stem, distribution=origin, package=module)
    if module in taken:
        refuse = partial(_refuse_second, source, file, taken[module])
        return _Found(source, refuse, module)
    taken[module] = file
    return _Found(source, partial(load, file, source), module)


def _refuse_second(source: PluginSource, file: Path, first: Path) -> object:
    fault = PluginFault(
        source=source,
        problem=f"{file} is not loaded: {first} has the same name",
        location=None,
        fix="Rename one of them.",
    )
    raise PluginFaultError(fault)


def _installed() -> Sequence[_Found]:
    found = installed_plugins(tuple(sys.path))
    if not found:
        raise ConfigError(
            "No plugin is installed; install hvcore again, with its plugins: "
            f"{install_command('all')}"
        )
    return found


@cache
def installed_plugins(path: tuple[str, ...]) -> Sequence[_Found]:  # noqa: ARG001 - it decides what is found
    """
    Return the entry points of the installed plugins; a process reads them once.

    Args:
        path: The folders of sys.path; with other folders, the entry points are read again.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(_of_point(point) for point in points)


def _of_point(point: EntryPoint) -> _Found:
    module = point.value.partition(":")[0].strip()
    source = PluginSource(
        plugin=point.name,
        distribution=distribution_of(point),
        package=package_of(module),
    )
    return _Found(source, point.load, module)


def _offered(
    one: _Found, settings: Settings
) -> tuple[Sequence[Offer], Sequence[PluginFault]]:
    try:
        plugin: Any = one.load()
    except PluginFaultError as exc:
        return (), [exc.fault]
    # Whatever a stranger's module raises, SystemExit too: this thread is its own.
    except BaseException as exc:  # noqa: BLE001
        return (), [fault_of_import(one.source, exc)]
    return offers_of(one.source, plugin, traces=settings.traces_plugins)


def _hung(source: PluginSource, call: LimitedCall[Any]) -> PluginFault:
    locations = locations_of_thread(call.frame())
    what = "loading it"
    return hung_fault(locations, what, after_s=call.age_s) or PluginFault(
        source=source,
        problem=f"{what} has not come back after {call.age_s:.0f} s",
        location=None,
        fix=f"A plugin's module must only offer records; {source.leave_out}.",
    )
