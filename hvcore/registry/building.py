"""Build one backend from the record of its plugin; if that fails, raise an error that names the plugin at fault."""

import logging
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import attrs

from hvcore.errors import ConfigError, HvcoreError, HvError, PluginError
from hvcore.ports.context import BuildContext
from hvcore.ports.preparation import SupportsPrepare
from hvcore.registry.choices import Choice
from hvcore.registry.code_locations import (
    CodeLocation,
    location_of_definition,
    locations_of,
    locations_of_thread,
)
from hvcore.registry.extras import install_command
from hvcore.registry.faults import (
    PluginFault,
    PluginFaultError,
    described,
    hung_fault,
    is_within,
    text_of,
)
from hvcore.registry.hooks import Offer
from hvcore.registry.kinds import KINDS
from hvcore.registry.signatures import WrongMethod, wrong_methods
from hvcore.settings import env_name, structure_options

SLOW_S: Final = 20.0
"""A factory that takes longer is told of, with where it waits."""
FEWEST_SECRET_CHARS: Final = 4
"""Of shorter ones nothing would be left of a text."""
_ABSTRACT: Final = "Can't instantiate abstract class "

_log = logging.getLogger(__name__)


def build_backend(
    offer: Offer, given: object, context: BuildContext, *, path: str
) -> object:
    """
    Read the options of a backend, call its factory, check the object that the factory returns, and return it.

    Args:
        given: The options as the settings have them.
        path: The dotted setting below which the options are.

    Raises:
        ConfigError: The options do not fit, or the plugin refuses them.
        UnavailableError: The plugin says that a server does not answer.
        PluginError: A library is missing.
        PluginFaultError: The plugin has a fault.
    """
    options = _options(offer, given, path)
    try:
        with _told_if_slow(offer):
            made = offer.backend.factory(options, context)
    except ImportError as exc:
        raise _import_error(offer, exc, options) from exc
    except ConfigError as exc:
        raise ConfigError(f"{exc}{_origin(offer)}") from exc
    except HvError:
        raise
    except KeyboardInterrupt:
        raise
    # A plugin that ends the process with sys.exit has not been built either.
    except BaseException as exc:
        raise PluginFaultError(_factory_fault(offer, exc, options)) from exc
    port = KINDS[offer.kind].port
    if not isinstance(made, port):
        raise PluginFaultError(_wrong_type(offer, made, port))
    if offer.backend.prepares and not isinstance(made, SupportsPrepare):
        raise PluginFaultError(_cannot_prepare(offer, made))
    broken = [one for one in wrong_methods(offer, made) if not one.is_harmless]
    if broken:
        raise PluginFaultError(_method_fault(offer, broken))
    return made


def misnamed_parameters(offer: Offer, made: object) -> Sequence[PluginFault]:
    """Return a fault, if a built backend's methods name parameters otherwise than its port does; empty otherwise. Such a backend still works."""
    return [
        _method_fault(offer, [one])
        for one in wrong_methods(offer, made)
        if one.is_harmless
    ]


def title(offer: Offer) -> str:
    """Return the words that name a backend in a sentence, such as "the storage backend 's3'"."""
    name = offer.backend.name
    return (
        f"the {offer.kind} {'' if KINDS[offer.kind].is_added else 'backend '}{name!r}"
    )


def choose_other(offer: Offer) -> str:
    """Return the words that tell the operator how to do without a backend, such as which setting to change."""
    kind = KINDS[offer.kind]
    if kind.is_added:
        return offer.source.leave_out
    return f"choose another one in HV_{env_name(kind.setting)}"


def _origin(offer: Offer) -> str:
    return "" if offer.source.is_own else f" ({title(offer)}; {offer.source})"


def _options(offer: Offer, given: object, path: str) -> object:
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"{path} must be a section, not a single value: its options are written "
            f"HV_{env_name(path)}__<NAME>."
        )
    declared = offer.backend.options
    try:
        return structure_options(given, declared, path=path)
    except ConfigError as exc:
        raise ConfigError(f"{exc}{_origin(offer)}") from exc
    # An annotation that means nothing, such as a name that is not imported.
    except Exception as exc:
        fault = PluginFault(
            source=offer.source,
            problem=f"the options of {title(offer)} cannot be read: {described(exc)}",
            location=location_of_definition(declared),
            fix="Give their fields types that are simple: str, int, float, bool, "
            "tuple[str, ...].",
        )
        raise PluginFaultError(fault) from exc


def _import_error(offer: Offer, error: ImportError, options: object) -> HvcoreError:
    lacking = error.name or ""
    is_theirs = is_within(lacking, offer.source.package.partition(".")[0])
    if not isinstance(error, ModuleNotFoundError) or not lacking or is_theirs:
        return PluginFaultError(_factory_fault(offer, error, options))
    command = install_command(offer, lacking)
    return PluginError(
        f"The {offer.kind} backend {offer.backend.name!r} needs {lacking}"
        f"{'' if offer.source.is_own else f' ({offer.source})'}.",
        f"Run: {command}",
    )


def _factory_fault(offer: Offer, error: BaseException, options: object) -> PluginFault:
    lacking = _unwritten(error)
    if lacking:
        problem = f"{title(offer)} is not finished: {lacking}"
        fix = "Write these methods"
    else:
        said = described(error, secrets=_secrets(options))
        problem = f"the factory of {title(offer)} has raised {said}"
        fix = "Correct it there, or its options"
    return PluginFault(
        source=offer.source,
        problem=problem,
        location=_innermost(offer, locations_of(error)),
        fix=f"{fix}; or {choose_other(offer)}.",
    )


def raised_fault(offer: Offer, choice: Choice, error: BaseException) -> PluginFault:
    """Return the fault of a plugin whose backend has raised an error after it was built."""
    options = _options(offer, choice.options, choice.path)
    said = described(error, secrets=_secrets(options))
    return PluginFault(
        source=offer.source,
        problem=f"{title(offer)} has raised {said}",
        location=_innermost(offer, locations_of(error)),
        fix=f"Correct it there; or {choose_other(offer)}.",
    )


def _innermost(offer: Offer, locations: Sequence[CodeLocation]) -> CodeLocation | None:
    theirs = [location for location in locations if offer.source.has(location)]
    return theirs[-1] if theirs else location_of_definition(offer.backend.factory)


def _unwritten(error: BaseException) -> str:
    """Return the class and its missing methods, in words; "" for other errors."""
    text = text_of(error)
    if not isinstance(error, TypeError) or not text.startswith(_ABSTRACT):
        return ""
    name, _, rest = text.removeprefix(_ABSTRACT).partition(" ")
    # "with abstract methods a, b"; from 3.12 on: "without an implementation for …".
    methods = rest.rpartition("method")[2].removeprefix("s").strip().replace("'", "")
    return f"{name} lacks {methods}"


def _method_fault(offer: Offer, wrong: Sequence[WrongMethod]) -> PluginFault:
    problems = "; ".join(one.problem for one in wrong)
    return PluginFault(
        source=offer.source,
        problem=f"{title(offer)} cannot be used as its port says: {problems}",
        location=wrong[0].location,
        fix=f"{wrong[0].fix}; or {choose_other(offer)}.",
    )


def _wrong_type(offer: Offer, made: object, port: type) -> PluginFault:
    what = "nothing (None)" if made is None else f"a {type(made).__name__}"
    inherits = f"Let the class inherit from {port.__name__}"
    return PluginFault(
        source=offer.source,
        problem=f"the factory of {title(offer)} has returned {what}, and no "
        f"{port.__name__}",
        location=location_of_definition(offer.backend.factory),
        fix=f"{'Let it return one' if made is None else inherits}; or "
        f"{choose_other(offer)}.",
    )


def _cannot_prepare(offer: Offer, made: object) -> PluginFault:
    return PluginFault(
        source=offer.source,
        problem=f"the record of {title(offer)} says prepares=True, and "
        f"{type(made).__name__} is no SupportsPrepare",
        location=location_of_definition(type(made)),
        fix="Let the class inherit from SupportsPrepare, or leave prepares out; or "
        f"{choose_other(offer)}.",
    )


def _secrets(options: object) -> Iterator[str]:
    declared: Any = type(options)
    if not attrs.has(declared):
        return
    for field in attrs.fields(declared):
        if not field.repr:
            value: Any = getattr(options, field.name)
            values = value.values() if isinstance(value, Mapping) else [value]
            for one in values:
                if isinstance(one, str) and len(one) >= FEWEST_SECRET_CHARS:
                    yield one


@contextmanager
def _told_if_slow(offer: Offer) -> Iterator[None]:
    """Log the location where a slow factory waits; the factory goes on waiting."""
    waiting = threading.get_ident()
    timer = threading.Timer(SLOW_S, lambda: _tell(offer, waiting))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        # A server forks soon after this.
        timer.join()


def _tell(offer: Offer, waiting: int) -> None:
    frame = sys._current_frames().get(waiting)  # noqa: SLF001 - the one way to see it
    _log.error("%s", hung_call(offer, "factory", frame, SLOW_S))


def hung_call(
    offer: Offer, called: str, frame: FrameType | None, after_s: float
) -> PluginFault:
    """
    Return the fault of a plugin whose factory or method does not return.

    Args:
        called: The name of the call, such as "factory" or "ping".
        frame: The innermost stack frame of the thread that hangs.
        after_s: The seconds for which it has hung.
    """
    what = f"the {called} of {title(offer)}"
    return hung_fault(locations_of_thread(frame), what, after_s=after_s) or PluginFault(
        source=offer.source,
        problem=f"{what} has not come back after {after_s:.0f} s",
        location=location_of_definition(offer.backend.factory),
        fix=f"Start what it waits for, or {choose_other(offer)}.",
    )


def close_made(made: object) -> None:
    """Close an object that a factory has made, if it has a method ``close``."""
    # The close of a class is for what it makes.
    if not isinstance(made, type):
        getattr(made, "close", lambda: None)()
