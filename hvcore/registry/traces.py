"""
Log the calls of plugins: hooks, factories and methods, each with its duration.

Of arguments and results only the type is logged: they may hold paths, credentials and
addresses.
"""

import logging
import time
from collections.abc import Callable, Iterator
from enum import Enum
from functools import wraps
from inspect import getattr_static
from types import FunctionType
from typing import Any, Final, ParamSpec, TypeVar

from hvcore.registry.faults import PluginSource

_FORMAT: Final = (
    "%(message)s: plugin=%(hv_plugin)s call=%(hv_call)s took_ms=%(hv_took_ms)s "
    "outcome=%(hv_outcome)s"
)

P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger(__name__)


def traced_call(source: PluginSource, name: str, call: Callable[[], T]) -> T:
    """
    Call a function of a plugin, log how long the call took and how it ended, and return the function's result.

    Args:
        name: The name of the function, for the log.
    """
    return _traced(source, name, call)()


def trace_methods(made: object, source: PluginSource) -> None:
    """
    Log each call of a backend's public methods from now on.

    The object gets a class that inherits from its own, so it stays what it was for
    ``isinstance`` and for its own ``super()``. An object of a type that cannot be inherited from,
    such as one written in C, is left as it is.
    """
    own: Any = type(made)
    body: dict[str, object] = {"__slots__": (), "__module__": own.__module__}
    body |= {
        name: _traced(source, f"{own.__qualname__}.{name}", method, skips=1)
        for name, method in _public_methods(own)
    }
    try:
        traced = type(own)(own.__name__, (own,), body)
        # Of frozen classes, too.
        object.__setattr__(made, "__class__", traced)
    except TypeError:
        _logger().info(
            "plugin not traced",
            extra=_data(
                source, own.__qualname__, began_s=None, outcome="no such class"
            ),
        )


def _public_methods(own: type) -> Iterator[tuple[str, FunctionType]]:
    for name in dir(own):
        method = getattr_static(own, name)
        if not name.startswith("_") and isinstance(method, FunctionType):
            yield name, method


def _traced(
    source: PluginSource, name: str, call: Callable[P, T], *, skips: int = 0
) -> Callable[P, T]:
    """
    Return a function that logs its calls.

    Args:
        skips: So many arguments at the beginning are not told: the object itself.
    """

    @wraps(call)
    def traced(*args: P.args, **kwargs: P.kwargs) -> T:
        told = [_shown(one) for one in args[skips:]]
        told += [f"{key}: {_shown(one)}" for key, one in kwargs.items()]
        shown, began_s, outcome = f"{name}({', '.join(told)})", time.monotonic(), ""
        try:
            returned = call(*args, **kwargs)
            outcome = _shown(returned)
        except BaseException as exc:
            outcome = f"raised {type(exc).__name__}"
            raise
        finally:
            data = _data(source, shown, began_s=began_s, outcome=outcome)
            _logger().info("plugin called", extra=data)
        return returned

    return traced


def _shown(value: object) -> str:
    """Return the type of a value, or which member of an enumeration it is."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return "None" if value is None else type(value).__name__


def _data(
    source: PluginSource, shown: str, *, began_s: float | None, outcome: str
) -> dict[str, object]:
    took_s = 0.0 if began_s is None else time.monotonic() - began_s
    return {
        "hv_plugin": source.plugin,
        "hv_call": shown,
        "hv_took_ms": round(took_s * 1000, 3),
        "hv_outcome": outcome,
    }


def _logger() -> logging.Logger:
    """Return the logger, which writes to standard error in programs that have none."""
    _log.setLevel(logging.INFO)
    if not _log.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(_FORMAT))
        _log.addHandler(handler)
    return _log
