"""All checks of ``hv doctor`` by name, and the function that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from hvcore.assembly import Services, build
from hvcore.domain.health_findings import HealthFinding, broken
from hvcore.errors import HvcoreError, PluginError, SeveralPluginsError
from hvcore.processes.time_limits import LimitedCall, LimitedCalls
from hvcore.registry import fault_of
from hvcore.registry.code_locations import locations_of_thread
from hvcore.registry.faults import hung_fault
from hvcore.settings import Settings
from hvcore_checks.backend_checks import (
    analytics,
    clock,
    database,
    disk,
    limits,
    queue,
    search,
    storage,
)
from hvcore_checks.machine_checks import (
    dashboard,
    edge,
    player,
    private_files,
    python,
)
from hvcore_checks.notify_check import notify
from hvcore_checks.plugin_checks import auth, invalidators, plugins
from hvcore_checks.sandbox_check import sandbox
from hvcore_checks.settings_checks import fetch, keys, mail, spool
from hvcore_checks.sign_in_check import sign_in
from hvcore_checks.transcoder_checks import jobs, transcoder
from hvcore_checks.transcriber_check import transcriber

SILENT_S: Final = 6.0
"""The seconds without progress after which a check counts as hanging."""

Check: TypeAlias = Callable[[Services], Sequence[HealthFinding]]

CHECKS: Final[Mapping[str, Check]] = {
    "python": python,
    "database": database,
    "clock": clock,
    "search": search,
    "storage": storage,
    "notify": notify,
    "disk": disk,
    "auth": auth,
    "keys": keys,
    "queue": queue,
    "limits": limits,
    "analytics": analytics,
    "fetch": fetch,
    "spool": spool,
    "mail": mail,
    "edge": edge,
    "invalidators": invalidators,
    "plugins": plugins,
    "transcoder": transcoder,
    "jobs": jobs,
    "sandbox": sandbox,
    "transcriber": transcriber,
    "player": player,
    "dashboard": dashboard,
    "sign-in": sign_in,
    "secrets": private_files,
}


def examine(settings: Settings) -> Iterator[HealthFinding]:
    """
    Run every check of an installation, and yield the findings; a failed check is a finding.

    The services are built anew, so that a check does not meet old connections of a process. A
    check that hangs is a finding too, and the others go on beside it.
    """
    services = build(settings, rings=False)
    # Before the checks, which all need them.
    for finding in asked("plugins", lambda: _loaded(services)):
        yield finding
        return
    calls = LimitedCalls()
    begun = [
        (name, calls.start(partial(asked, name, partial(check, services)), name=name))
        for name, check in CHECKS.items()
    ]
    for name, call in begun:
        if call.has_ended(silent_s=SILENT_S):
            yield from call.result()
        else:
            yield _hung(name, call)
    # What a check that hangs holds may be what closing waits for.
    calls.start(services.close, name="close")


def limited(
    name: str, check: Callable[[], Sequence[HealthFinding]], *, silent_s: float
) -> Sequence[HealthFinding]:
    """
    Return a check's findings; if the check fails or hangs, return that as a finding.

    Args:
        name: The check's name in the findings.
        silent_s: The seconds without a sign of life after which a check counts as hanging.
    """
    call = LimitedCall(partial(asked, name, check), name=name)
    return call.result() if call.has_ended(silent_s=silent_s) else [_hung(name, call)]


def asked(
    name: str, check: Callable[[], Sequence[HealthFinding]]
) -> Sequence[HealthFinding]:
    """Run a check and return its findings; if it raises an error, return the error as a finding."""
    try:
        return check()
    except SeveralPluginsError as exc:
        return [_refused(name, error) for error in exc.errors]
    except HvcoreError as exc:
        return [_refused(name, exc)]
    # One check's failure is its finding, and a plugin may raise anything.
    except (Exception, SystemExit) as exc:  # noqa: BLE001
        fault = fault_of(exc)
        if fault is not None:
            return [broken(name, fault.found, fault.fix)]
        found = f"{type(exc).__name__}: {exc}"
        return [broken(name, found, "Report this as a bug of hv.")]


def _loaded(services: Services) -> Sequence[HealthFinding]:
    _ = services.registry
    return []


def _refused(name: str, error: HvcoreError) -> HealthFinding:
    if isinstance(error, PluginError):
        return broken(name, error.problem, error.fix or "See what it says.")
    return broken(name, str(error), "See what it says.")


def _hung(name: str, call: LimitedCall[Sequence[HealthFinding]]) -> HealthFinding:
    locations = locations_of_thread(call.frame())
    fault = hung_fault(locations, f"the check {name}", after_s=call.age_s)
    if fault is not None:
        return broken(name, fault.found, fault.fix)
    found = f"has not come back after {call.age_s:.0f} s"
    fix = "See what else is broken; if nothing is, report this as a bug of hv."
    return broken(name, found, fix)
