"""Build every chosen backend once, to learn whether it can be used."""

import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import attrs

from hvcore.assembly import build
from hvcore.assembly.backend_choice.offered_backends import active_choices
from hvcore.assembly.services import Services
from hvcore.errors import (
    HvcoreError,
    PluginError,
    SeveralPluginsError,
    UnavailableError,
)
from hvcore.processes.time_limits import LimitedCall, LimitedCalls
from hvcore.registry import KINDS, Choice, PluginFaultError, Registry
from hvcore.registry.abilities import abilities_of
from hvcore.registry.building import (
    close_made,
    hung_call,
    misnamed_parameters,
    raised_fault,
    title,
)
from hvcore.settings import Settings, env_name

SILENT_S: Final = 5.0
"""A factory makes an object; what takes longer belongs into what uses it."""
PING_SILENT_S: Final = 6.0
"""As hv doctor allows: a storage that answers slowly serves."""
ASKED_FOR_S: Final = 3.0
"""The time in seconds for which a storage that raises UnavailableError is asked again."""
CHECKED_FOR_S: Final = 8.0
"""So that who starts the service reads within 10 s why it does not start."""
ASKED_EVERY_S: Final = 0.5

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Trial:
    """
    The result of trying to build a chosen backend.

    Attributes:
        abilities: The names of the optional abilities that the backend has beyond its port.
        error: The reason why the backend cannot be used; None if it can.
    """

    kind: str
    name: str
    abilities: Sequence[str] = ()
    error: HvcoreError | None = None


def try_backends(settings: Settings) -> tuple[Registry, Sequence[Trial]]:
    """
    Build every chosen backend and close it again, to learn whether it can be built.

    Returns:
        The registry of all offered backends, and the result for each chosen one.

    Raises:
        ConfigError: No plugin is installed.
    """
    services = build(settings, rings=False)
    calls = LimitedCalls()
    begun = [
        (choice, calls.start(partial(_try, services, choice), name=choice.name))
        for choice in active_choices(services.registry, settings)
        if not is_own_queue(choice)
    ]
    trials = [_trial(services, choice, call) for choice, call in begun]
    # One that hangs may hold what closing needs.
    calls.start(services.close, name="close")
    return services.registry, trials


def check_backends(settings: Settings) -> None:
    """
    Raise an error if a backend that the settings choose cannot be built.

    Raises:
        HvcoreError: One backend cannot be built, and not because a server does not
            answer just now.
        SeveralPluginsError: Several backends cannot be built.
    """
    errors = [
        trial.error
        for trial in try_backends(settings)[1]
        # What does not answer now may come back: every process copes with that.
        if trial.error is not None and not isinstance(trial.error, UnavailableError)
    ]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralPluginsError(errors)


def check_storage(settings: Settings) -> None:
    """
    Raise an error if the chosen storage cannot serve: without it, the service is never ready.

    The storage has a few seconds to answer, because its server may be just starting.

    Raises:
        PluginFaultError: The storage's ``ping`` hangs, or raises an error that the storage port
            does not name.
        PluginError: The storage still says that it cannot serve.
    """
    services = build(settings, rings=False)
    choice = services.registry.choices(settings, "storage")[0]
    offer = services.registry.offer(choice.kind, choice.name)
    calls = LimitedCalls()

    def ping() -> None:
        # Made there, too: a factory may wait as long.
        services.storage.ping()

    began_s = time.monotonic()
    try:
        while True:
            left_s = began_s + CHECKED_FOR_S - time.monotonic()
            call = calls.start(ping, name="storage")
            if not call.has_ended(silent_s=min(PING_SILENT_S, left_s)):
                fault = hung_call(offer, "ping", call.frame(), call.age_s)
                raise PluginFaultError(fault)
            try:
                return call.result()
            except UnavailableError as exc:
                if time.monotonic() > began_s + ASKED_FOR_S:
                    raise PluginError(
                        f"{offer.source}: {title(offer)} cannot serve: {str(exc).rstrip('.')}.",
                        "Start what it needs, or correct its options "
                        f"(HV_{env_name(choice.path)}__…).",
                    ) from exc
            except HvcoreError:
                raise
            except Exception as exc:
                raise PluginFaultError(raised_fault(offer, choice, exc)) from exc
            time.sleep(ASKED_EVERY_S)
    finally:
        # One that hangs may hold what closing needs.
        calls.start(services.close, name="close")


def is_own_queue(choice: Choice) -> bool:
    """Return whether the queue is one whose server ``hv up`` runs: only ``hv up`` knows its address."""
    return (choice.kind, choice.name) == ("queue", "rq") and "url" not in choice.options


def _try(services: Services, choice: Choice) -> Sequence[str]:
    made: Any = services.make(choice)
    offer = services.registry.offer(choice.kind, choice.name)
    for fault in misnamed_parameters(offer, made):
        _log.warning("works for now: %s", fault)
    try:
        abilities = abilities_of(made, KINDS[choice.kind])
        close_made(made)
    except Exception as exc:
        raise PluginFaultError(raised_fault(offer, choice, exc)) from exc
    return abilities


def _trial(
    services: Services, choice: Choice, call: LimitedCall[Sequence[str]]
) -> Trial:
    error: HvcoreError
    if not call.has_ended(silent_s=SILENT_S):
        offer = services.registry.offer(choice.kind, choice.name)
        fault = hung_call(offer, "factory", call.frame(), call.age_s)
        error = PluginFaultError(fault)
    else:
        try:
            able = call.result()
            return Trial(kind=choice.kind, name=choice.name, abilities=able)
        except HvcoreError as exc:
            error = exc
        # Whatever its code raises where nobody expects any of it to run.
        except Exception as exc:  # noqa: BLE001 - it is told, with the others
            offer = services.registry.offer(choice.kind, choice.name)
            error = PluginFaultError(raised_fault(offer, choice, exc))
    return Trial(kind=choice.kind, name=choice.name, error=error)
