"""Print the list of ``hv plugins``: backends, their options, and the errors of plugins."""

from collections.abc import Iterator, Mapping
from typing import Any

from hvcore.assembly.backend_choice.backend_trials import Trial, try_backends
from hvcore.assembly.backend_choice.offered_backends import (
    OfferedBackend,
    offered_backends,
)
from hvcore.errors import HvcoreError, PluginError
from hvcore.registry import PluginFault, PluginFaultError
from hvcore.registry.code_locations import CodeLocation
from hvcore.registry.options import OptionInfo
from hvcore.settings import Settings
from hvcore_cli.output import print_json, put, show

COLUMNS = {
    "kind": "KIND",
    "name": "NAME",
    "active": "ACTIVE",
    "plugin": "PLUGIN",
    "distribution": "DISTRIBUTION",
    "fails": "FAILS",
    # Long, and in most rows empty.
    "abilities": "CAN",
}
OPTION_COLUMNS = {
    "backend": "BACKEND",
    "variable": "OPTION",
    "type": "TYPE",
    "shown_default": "DEFAULT",
}


def list_plugins(settings: Settings, *, as_json: bool) -> None:
    """
    Print the available backends; a broken plugin is one row with its error.

    The backends chosen in the settings are built, and closed again without any request.
    """
    registry, tried = try_backends(settings)
    trials = {(one.kind, one.name): one for one in tried}
    offered = offered_backends(registry, settings)
    records = [_record(one, trials.get((one.kind, one.name))) for one in offered]
    records += map(_broken, registry.faults)
    on_offer = {(one.kind, one.name) for one in offered}
    records += [_unknown(trial) for key, trial in trials.items() if key not in on_offer]
    if as_json:
        print_json({"plugins": records})
        return
    show([_row(one) for one in records], COLUMNS, name="plugins", as_json=False)
    options = [row for one in offered for row in _option_rows(one)]
    if options:
        put("")
        show(options, OPTION_COLUMNS, name="options", as_json=False)


def _record(offered: OfferedBackend, trial: Trial | None) -> dict[str, Any]:
    fault: PluginFault | HvcoreError | None = offered.fault
    abilities = offered.abilities
    if trial is not None:
        fault = trial.error or fault
        abilities = abilities if trial.error else trial.abilities
    return {
        "kind": offered.kind,
        "name": offered.name,
        "active": offered.is_active,
        "plugin": offered.plugin,
        "distribution": offered.distribution,
        "missing": offered.missing,
        "abilities": None if abilities is None else list(abilities),
        "options": [_option(one) for one in offered.options],
        **_failing(fault),
    }


def _broken(fault: PluginFault) -> dict[str, Any]:
    return {
        "kind": None,
        "name": None,
        "active": False,
        "plugin": fault.source.plugin,
        "distribution": fault.source.distribution,
        "missing": None,
        "abilities": None,
        "options": [],
        **_failing(fault),
    }


def _unknown(trial: Trial) -> dict[str, Any]:
    return {
        "kind": trial.kind,
        "name": trial.name,
        "active": True,
        "plugin": None,
        "distribution": None,
        "missing": None,
        "abilities": None,
        "options": [],
        **_failing(trial.error),
    }


def _failing(fault: PluginFault | HvcoreError | None) -> dict[str, Any]:
    """Return a fault's problem, fix, file and line; each None without a fault."""
    if isinstance(fault, PluginFaultError):
        fault = fault.fault
    if isinstance(fault, PluginFault):
        found = {"fails": fault.found, "fix": fault.fix}
        return {**found, **_at(fault.location)}
    if isinstance(fault, PluginError):
        return {"fails": fault.problem, "fix": fault.fix or None, **_at(None)}
    return {"fails": str(fault) if fault else None, "fix": None, **_at(None)}


def _at(location: CodeLocation | None) -> dict[str, Any]:
    if location is None:
        return {"file": None, "line": None}
    return {"file": location.file, "line": location.line}


def _option(option: OptionInfo) -> dict[str, Any]:
    return {
        "name": option.name,
        "type": option.type,
        "default": option.default,
        "required": option.is_required,
        "set": option.is_set,
        "variable": option.variable,
    }


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    said = [record["fails"], record["fix"]]
    if record["fails"] is None and record["missing"]:
        said = ["not installed:", record["missing"]]
    return {**record, "fails": " ".join(filter(None, said)) or None}


def _option_rows(offered: OfferedBackend) -> Iterator[dict[str, Any]]:
    for option in offered.options:
        shown = "required" if option.is_required else option.default
        yield {
            "backend": f"{offered.kind} {offered.name}",
            "variable": option.variable,
            "type": option.type,
            "shown_default": f"{shown} (is set)" if option.is_set else shown,
        }
