"""Call a plugin's hooks for the records of its backends, and refuse results that are no records."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import attrs
import pluggy

from hvcore import hookspecs
from hvcore.hookspecs import PROJECT, Backend
from hvcore.registry.code_locations import (
    CodeLocation,
    location_of_definition,
    locations_of,
)
from hvcore.registry.faults import PluginFault, PluginSource, described
from hvcore.registry.kinds import KINDS, Kind
from hvcore.registry.required_api import unsuited
from hvcore.registry.traces import traced_call

MOST_RECORDS: Final = 1000
"""Of a hook: one that never ends would take all memory."""
_MARK: Final = f"{PROJECT}_impl"
"""The attribute by which pluggy's marker tells a hook."""
_PREFIX: Final = f"{PROJECT}_"


@attrs.frozen(kw_only=True)
class Offer:
    """A backend that a plugin offers: the record that its hook returned, and the plugin it comes from."""

    kind: str
    backend: Backend[Any]
    source: PluginSource

    @property
    def plugin(self) -> str:
        """The name of the plugin: of its entry point, its module or its file."""
        return self.source.plugin

    @property
    def distribution(self) -> str:
        """Name and version of the distribution that has the plugin."""
        return self.source.distribution


def offers_of(
    source: PluginSource, plugin: object, *, traces: bool = False
) -> tuple[Sequence[Offer], Sequence[PluginFault]]:
    """
    Return the backends that a plugin offers, and the faults of records that cannot be used.

    Args:
        traces: Whether the calls of the plugin's hooks are logged.
    """
    offers: list[Offer] = []
    faults = _misnamed(source, plugin)
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        # One manager a plugin: the offers stay attached to who made them.
        manager.register(plugin, name=source.plugin)
    except pluggy.PluginValidationError as exc:
        return (), [*faults, _invalid(source, plugin, exc)]
    hooks: Mapping[str, Any] = vars(manager.hook)
    for kind in KINDS.values():
        ask = partial(_records, source, plugin, kind, hooks[kind.hook])
        is_told = traces and hooks[kind.hook].get_hookimpls()
        try:
            found, wrong = traced_call(source, kind.hook, ask) if is_told else ask()
        # Whatever a stranger's hook raises: its other hooks may be right.
        except BaseException as exc:  # noqa: BLE001
            found, wrong = (), [_raised(source, plugin, kind, exc)]
        offers += found
        faults += wrong
    return offers, faults


def _records(
    source: PluginSource,
    plugin: object,
    kind: Kind,
    hook: Any,  # noqa: ANN401 - pluggy's caller
) -> tuple[Sequence[Offer], Sequence[PluginFault]]:
    location = location_of_definition(getattr(plugin, kind.hook, None))
    offers: list[Offer] = []
    faults: list[PluginFault] = []
    record = kind.record.__name__
    # Pluggy leaves None out; it is an answer that nobody meant.
    for given in hook() or [None] * len(hook.get_hookimpls()):
        if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
            faults.append(
                PluginFault(
                    source=source,
                    problem=f"{kind.hook} has returned {_a(given)}, and no list",
                    location=location,
                    fix=f"Let it yield or return a list of {record}.",
                )
            )
            continue
        for one in islice(given, MOST_RECORDS):
            if isinstance(one, kind.record):
                offer = Offer(kind=kind.name, backend=one, source=source)
                wrong = unsuited(source, kind.name, one)
                offers += [] if wrong else [offer]
                faults += [wrong] if wrong else []
                continue
            faults.append(
                PluginFault(
                    source=source,
                    problem=f"{kind.hook} must give {record} and has given {_a(one)}",
                    location=location,
                    fix=f"Give {record}(name=…, factory=…)" + (_other_hook(one) or "."),
                )
            )
            break
    return offers, faults


def _a(given: object) -> str:
    return "None" if given is None else f"a {type(given).__name__}"


def _other_hook(record: object) -> str:
    for kind in KINDS.values():
        if isinstance(record, kind.record):
            return f", or offer this one by {kind.hook}."
    return ""


def _raised(
    source: PluginSource, plugin: object, kind: Kind, error: BaseException
) -> PluginFault:
    locations = [location for location in locations_of(error) if source.has(location)]
    location = locations[-1] if locations else None
    return PluginFault(
        source=source,
        problem=f"{kind.hook} has raised {described(error)}",
        location=location or location_of_definition(getattr(plugin, kind.hook, None)),
        fix=f"Correct it there, or {source.leave_out}.",
    )


def _misnamed(source: PluginSource, plugin: object) -> list[PluginFault]:
    """Return the faults of hooks that nobody will ever call, as pluggy does not."""
    known = [name for name in vars(hookspecs) if _is_hook(name)]
    faults = []
    named = {
        name: made
        for name in dir(plugin)
        if callable(made := getattr(plugin, name, None))
    }
    marked = {name for name, made in named.items() if hasattr(made, _MARK)}
    for name, made in named.items():
        if name in marked and not _is_known(name, getattr(made, _MARK), known):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            problem = f"there is no hook {name}"
            fix = (
                f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
            )
        elif name in known and name not in marked:
            problem, fix = f"{name} is not marked as a hook", "Put @hookimpl above it."
        else:
            continue
        faults.append(
            PluginFault(
                source=source,
                problem=problem,
                location=location_of_definition(made),
                fix=fix,
            )
        )
    if not marked and not faults:
        faults.append(
            PluginFault(
                source=source,
                problem="it has no hook, so it offers nothing",
                location=_file_of(plugin),
                fix=f"Put @hookimpl above its hooks; there are {', '.join(known)}.",
            )
        )
    return faults


def _invalid(
    source: PluginSource, plugin: object, error: pluggy.PluginValidationError
) -> PluginFault:
    text = str(error)
    hooks = [getattr(plugin, kind.hook, None) for kind in KINDS.values()]
    named = [hook for hook in hooks if hook and hook.__name__ in text]
    return PluginFault(
        source=source,
        problem=f"a hook cannot be called: {' '.join(text.split())}",
        location=location_of_definition(named[0]) if named else _file_of(plugin),
        fix="Write it without arguments: hooks get none.",
    )


def _is_known(name: str, marks: Mapping[str, Any], known: Sequence[str]) -> bool:
    return marks.get("optionalhook") or (marks.get("specname") or name) in known


def _is_hook(name: str) -> bool:
    return name.startswith(_PREFIX)


def _file_of(plugin: object) -> CodeLocation | None:
    file = getattr(plugin, "__file__", None)
    return CodeLocation(getattr(plugin, "__name__", ""), file, 1) if file else None
