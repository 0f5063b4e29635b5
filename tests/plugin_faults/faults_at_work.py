"""
Plugins that hang, or that fail when their backend is asked for something.
"""

from tests.plugin_faults.broken_plugins import (
    HEAD,
    LIMITS,
    SINK,
    build_fault,
    load_fault,
    method,
    other,
    queue_hook,
    storage,
)

CHECKING = {
    "a ping that raises what no port knows": build_fault(
        storage(
            method("Store", "def ping(self): raise KeyError('region')  # here")
            + "def build(options, context): return Wrong()\n"
        ),
        *("Wrong.ping has raised KeyError", "region"),
        fix="Report it to who maintains it",
    ),
    "a ping that ends the process": build_fault(
        storage(
            method("Store", "def ping(self): raise SystemExit(9)  # here")
            + "def build(options, context): return Wrong()\n"
        ),
        "Wrong.ping has raised SystemExit: 9",
        fix="Report it",
    ),
    "a store of limits whose ping raises": build_fault(
        other("hvcore_rate_limit_stores", "RateLimitBackend", "return Wrong()").replace(
            "def build",
            method("Windows", "def ping(self): 1 / 0  # here") + "def build",
        ),
        "Wrong.ping has raised ZeroDivisionError",
        fix="Report it",
        environ=LIMITS,
    ),
    "a sink that does not know whether it is prepared": build_fault(
        other("hvcore_analytics_sinks", "AnalyticsBackend", "return Wrong()").replace(
            "def build",
            method("Deaf", "def is_prepared(self): 1 / 0  # here") + "def build",
        ),
        "Wrong.is_prepared has raised ZeroDivisionError",
        fix="Report it",
        environ=SINK,
    ),
}
"""Faults that only show when a backend is asked."""

WAITS = "from tests.plugin_faults.broken_plugins import released\n"

HANGING = {
    "an import that hangs": load_fault(
        WAITS + "released.wait()  # here\n",
        *("loading it has not come back", "<module>"),
        fix="time limit",
    ),
    "a hook that hangs": load_fault(
        queue_hook(
            WAITS + "@hookimpl\ndef hvcore_queues():\n    released.wait()  # here\n"
        ),
        "it waits in hvcore_queues",
        fix="time limit",
    ),
    "a factory that hangs": build_fault(
        storage(WAITS + "def build(options, context):\n    released.wait()  # here"),
        *("has not come back", "it waits in build"),
        fix="time limit",
    ),
}
"""Faults that a process must not wait for."""

HANGING_CHECK = build_fault(
    storage(
        WAITS
        + method("Store", "def ping(self): released.wait()  # here")
        + "def build(options, context): return Wrong()\n"
    ),
    *("the check storage has not come back", "it waits in Wrong.ping"),
    fix="time limit",
)

RENAMED_PARAMETER = build_fault(
    storage(
        method("Store", "def stat(self, key): pass  # here")
        + "def build(options, context): return Wrong()\n"
    ),
    *("works for now", "Wrong.stat has key in the place of path"),
    fix="Write it as def stat(self, path)",
)
"""Is called by position."""

WRONG_HANDLER = build_fault(
    HEAD
    + """
def show(notes): return {}  # here

@hookimpl
def hvcore_routes():
    route = PluginRoute("GET", "/v1/acme", show, permission=None, summary="Show")
    yield RoutesBackend(name="acme", factory=lambda o, c: object(), routes=(route,))
""",
    *("show cannot be called", "PluginRoute.handler is (state, call)"),
    fix="Write it as def show(state, call)",
    environ={},
)
"""Is in use as soon as it is installed."""

RAISING_SINK = build_fault(
    other("hvcore_analytics_sinks", "AnalyticsBackend", "return Wrong()").replace(
        "def build",
        method("Deaf", "def prepare(self): {}['table']  # here") + "def build",
    ),
    "Wrong.prepare has raised KeyError: 'table'",
    fix="Report it to who maintains it",
    environ=SINK,
)
"""Fails in a command."""

HANGING_PROVIDER = """\
import threading
from hvcore.plugin_api import AuthBackend, AuthProvider, hookimpl

class Slow(AuthProvider):
    def authenticate(self, credentials):
        if credentials.headers.get("x-acme"):
            threading.Event().wait(30)

@hookimpl
def hvcore_auth_providers():
    yield AuthBackend(name="acme", factory=lambda options, context: Slow())
"""
