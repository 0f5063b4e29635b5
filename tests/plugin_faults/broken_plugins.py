"""
Plugins that are wrong, each in one way, and what must be said of it.

The line that is told is the one with the comment ``# here``.
"""

import threading
from collections.abc import Mapping, Sequence

import attrs

released = threading.Event()
"""Ends what hangs: it holds locks that later tests need."""

STORAGE = {"HV_STORAGE__BACKEND": "acme"}
QUEUE = {"HV_QUEUE__BACKEND": "acme"}
LIMITS = {"HV_LIMITS__STORE": "acme"}
AUTH = {"HV_AUTH__PROVIDERS": "acme,api-key"}
SINK = {"HV_ANALYTICS__SINKS": "sql,acme"}
INVALIDATOR = {"HV_EDGE__CACHE_INVALIDATORS": "acme"}
SIGN_IN = {"HV_SIGN_IN__BACKEND": "acme"}
TRANSCODER = {"HV_TRANSCODER__BACKEND": "acme"}


@attrs.frozen(kw_only=True)
class BrokenPlugin:
    """
    A plugin with one fault.

    Attributes:
        code: Of its module.
        environ: What chooses its backend.
        said: Words that tell what is wrong.
        fix: A word of what to do.
    """

    code: str
    environ: Mapping[str, str]
    said: Sequence[str]
    fix: str

    @property
    def line(self) -> int | None:
        """
        The line that must be told; None if there is none to tell.
        """
        lines = self.code.splitlines()
        marked = [n for n, line in enumerate(lines, 1) if "# here" in line]
        return marked[0] if marked else None


HEAD = """\
import attrs
from hvcore.plugin_api import *

class Store(Storage):
    def stat(self, path): raise ObjectNotFoundError(path)
    def open(self, path, *, start=0, end=None): raise ObjectNotFoundError(path)
    def write(self, path, source, **more): return None
    def walk(self, prefix): return iter(())
    def delete_tree(self, prefix): return 0
    def put_file(self, path, local, **more): pass
    def ping(self): pass

class Doorbell(Queue):
    def put(self, task_id, *, kind, lane): pass
    def consume(self, handle, **more): pass
    def depth(self, lane): return 0
    def ping(self): pass

class Windows(RateLimitStore):
    def hit(self, rules): return []

class Invalidator(CacheInvalidator):
    def invalidate(self, order): pass

class Nobody(AuthProvider):
    def authenticate(self, credentials): return None

class Deaf(AnalyticsSink):
    def write(self, batch): pass
    def position(self, file): return 0

"""


def storage(body: str, record: str = "factory=build") -> str:
    """
    Return a plugin that offers a storage.
    """
    return (
        HEAD
        + body
        + f"""
@hookimpl
def hvcore_storages():
    yield StorageBackend(name="acme", {record})
"""
    )


def built(body: str) -> str:
    """
    Return a plugin whose factory has this body.
    """
    return storage(f"def build(options, context):\n    {body}\n")


def queue_hook(body: str) -> str:
    """
    Return a plugin whose hook has this body.
    """
    return HEAD + "def build(options, context): return Doorbell()\n" + body


def load_fault(
    code: str, *said: str, fix: str, environ: Mapping[str, str] = QUEUE
) -> BrokenPlugin:
    """
    Make a plugin that cannot be loaded, or whose hook is wrong.
    """
    return BrokenPlugin(code=code, environ=environ, said=said, fix=fix)


def build_fault(
    code: str, *said: str, fix: str, environ: Mapping[str, str] = STORAGE
) -> BrokenPlugin:
    """
    Make a plugin whose chosen backend cannot be built.
    """
    return BrokenPlugin(code=code, environ=environ, said=said, fix=fix)


LOADING = {
    "a syntax error": load_fault(
        "x = 1\ndef f(:  # here\n", "cannot be imported", "SyntaxError", fix="Correct"
    ),
    "an exception at import": load_fault(
        "raise RuntimeError('no licence')  # here\n",
        *("cannot be imported", "RuntimeError: no licence"),
        fix="HV_PLUGINS",
    ),
    "the end of the process at import": load_fault(
        "import sys\nsys.exit(3)  # here\n", "SystemExit: 3", fix="HV_PLUGINS"
    ),
    "a library that is not there": load_fault(
        "import no_such_library.part  # here\n",
        *("cannot be imported", "no_such_library"),
        fix="Install what it needs: no_such_library",
    ),
    "a name that its library does not have": load_fault(
        "from hvcore.plugin_api import Storages  # here\n",
        *("ImportError", "Storages"),
        fix="written for (hvcore 0.1.0 has the plugin API 0.1)",
    ),
    "a hook of another name": load_fault(
        queue_hook("@hookimpl  # here\ndef hvcore_queue(): return []\n"),
        "no hook hvcore_queue",
        fix="Did you mean hvcore_queues",
    ),
    "a hook without its mark": load_fault(
        queue_hook("def hvcore_queues(): return []  # here\n"),
        "hvcore_queues is not marked",
        fix="@hookimpl",
    ),
    "no hook at all": load_fault("x = 1\n", "no hook", fix="hvcore_queues"),
    "a hook with an argument": load_fault(
        queue_hook("@hookimpl  # here\ndef hvcore_queues(settings): return []\n"),
        *("cannot be called", "settings"),
        fix="without arguments",
    ),
    "an exception in the hook": load_fault(
        queue_hook("@hookimpl\ndef hvcore_queues():\n    return {}['x']  # here\n"),
        "hvcore_queues has raised KeyError: 'x'",
        fix="Correct",
    ),
    "an exception in a hook that yields": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='fine', factory=build)\n    1 / 0  # here\n"
        ),
        "hvcore_queues has raised ZeroDivisionError",
        fix="Correct",
    ),
    "a hook that returns nothing": load_fault(
        queue_hook("@hookimpl  # here\ndef hvcore_queues(): pass\n"),
        "hvcore_queues has returned None",
        fix="list of QueueBackend",
    ),
    "one record in the place of a list": load_fault(
        queue_hook(
            "@hookimpl  # here\ndef hvcore_queues():\n"
            "    return QueueBackend(name='acme', factory=build)\n"
        ),
        *("hvcore_queues has returned a QueueBackend", "no list"),
        fix="yield or return a list",
    ),
    "what is no record": load_fault(
        queue_hook("@hookimpl  # here\ndef hvcore_queues(): yield {'name': 'acme'}\n"),
        "must give QueueBackend and has given a dict",
        fix="QueueBackend(name=",
    ),
    "a record of another kind": load_fault(
        queue_hook(
            "@hookimpl  # here\ndef hvcore_queues():\n"
            "    yield StorageBackend(name='acme', factory=build)\n"
        ),
        "must give QueueBackend and has given a StorageBackend",
        fix="hvcore_storages",
    ),
    "a newer plugin API that is required": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme', factory=build, requires='9.1')\n"
        ).replace("Doorbell()\n", "Doorbell()  # here\n"),
        *("the queue backend 'acme' requires the plugin API 9.1", "hvcore 0.1.0 has"),
        fix="Install a newer hvcore",
    ),
    "an older plugin API that is required": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme', factory=build, requires='0.0')\n"
        ).replace("Doorbell()\n", "Doorbell()  # here\n"),
        *("requires the plugin API 0.0", "which suits 0.1 and newer"),
        fix="Install a newer version of the plugin",
    ),
    "a required plugin API that is no version": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme', factory=build, requires='>=1')  # here\n"
        ),
        *("hvcore_queues has raised ValueError", "requires"),
        fix="Correct",
    ),
    "a name that no setting can have": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='Acme', factory=build)  # here\n"
        ),
        *("hvcore_queues has raised ValueError", "name"),
        fix="Correct",
    ),
    "a record without a factory": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme')  # here\n"
        ),
        *("hvcore_queues has raised TypeError", "factory"),
        fix="Correct",
    ),
    "a factory that was called": load_fault(
        queue_hook(
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme', factory=Doorbell())  # here\n"
        ),
        *("hvcore_queues has raised TypeError", "factory must be a function"),
        fix="Correct",
    ),
    "a foreign class of options": load_fault(
        queue_hook(
            "import dataclasses\n@dataclasses.dataclass\nclass Options:\n    url: str\n"
            "@hookimpl\ndef hvcore_queues():\n"
            "    yield QueueBackend(name='acme', factory=build, options=Options)  # here\n"
        ),
        *("options must be an attrs class", "Options"),
        fix="Correct",
    ),
}
"""Faults of plugins: what they would have offered is not on offer."""

OPTIONS = """
@attrs.frozen(kw_only=True)
class Options:
    url: str
    depth: int = 3
    secret: str = attrs.field(default="", repr=False)

def build(options, context):
    raise RuntimeError(f"no entry with {options.secret}")
"""
WITH_OPTIONS = "factory=build, options=Options"


def other(hook: str, record: str, body: str) -> str:
    """
    Return a plugin that offers a backend of another kind.
    """
    return HEAD + (
        f"def build(options, context):\n    {body}\n"
        f"@hookimpl\ndef {hook}():\n    yield {record}(name='acme', factory=build)\n"
    )


BUILDING = {
    "an exception in the factory": build_fault(
        built("raise RuntimeError('no bucket')  # here"),
        "factory of the storage backend 'acme' has raised RuntimeError: no bucket",
        fix="HV_STORAGE__BACKEND",
    ),
    "a factory that ends the process": build_fault(
        built("raise SystemExit('no bucket')  # here"),
        "has raised SystemExit: no bucket",
        fix="HV_STORAGE__BACKEND",
    ),
    "a factory that raises what is no Exception": build_fault(
        built("raise type('Halt', (BaseException,), {})('no bucket')  # here"),
        "factory of the storage backend 'acme' has raised Halt: no bucket",
        fix="HV_STORAGE__BACKEND",
    ),
    "an exception that cannot be told": build_fault(
        storage(
            "class Mute(Exception):\n    def __str__(self): return 1 / 0\n"
            "def build(options, context):\n    raise Mute  # here\n"
        ),
        "the factory of the storage backend 'acme' has raised Mute",
        fix="HV_STORAGE__BACKEND",
    ),
    "what does not say which class it is of": build_fault(
        storage(
            "class Odd:\n"
            "    @property\n    def __class__(self): return 1 / 0  # here\n"
            "def build(options, context): return Odd()\n"
        ),
        "has raised ZeroDivisionError",
        fix="HV_",
    ),
    "a factory that returns nothing": build_fault(
        storage("def build(options, context):  # here\n    Store()\n"),
        *("has returned nothing", "no Storage"),
        fix="Let it return one",
    ),
    "a factory that returns something else": build_fault(
        storage("class Foreign: pass\ndef build(o, c): return Foreign()  # here\n"),
        *("has returned a Foreign", "no Storage"),
        fix="inherit from Storage",
    ),
    "a class that is not finished": build_fault(
        built("return type('Half', (Storage,), {'stat': None})()  # here"),
        *("is not finished: Half lacks", "delete_tree"),
        fix="Write these methods",
    ),
    "a factory of other arguments": build_fault(
        storage("def build(options): return Store()  # here\n"),
        *("has raised TypeError", "build() takes 1 positional argument"),
        fix="HV_STORAGE__BACKEND",
    ),
    "a module of its own that is not there": build_fault(
        built("import MODULE.backend  # here"),
        *("has raised ModuleNotFoundError", "acme_broken"),
        fix="HV_STORAGE__BACKEND",
    ),
    "a library of its factory that is not there": build_fault(
        built("import no_such_library"),
        *("storage backend 'acme' needs no_such_library", "acme_broken"),
        fix="pip install no_such_library",
    ),
    "settings that the plugin refuses": build_fault(
        built("raise ConfigError('storage.options.url must be a bucket.')"),
        *("storage.options.url must be a bucket", "acme_broken"),
        fix="",
    ),
    "a required option that is missing": build_fault(
        storage(OPTIONS, WITH_OPTIONS),
        *("storage.options.url is required", "acme_broken"),
        fix="HV_STORAGE__OPTIONS__URL",
    ),
    "an option that is unknown": build_fault(
        storage(OPTIONS, WITH_OPTIONS),
        *("Unknown setting storage.options.dept", "acme_broken"),
        fix="did you mean storage.options.depth",
        environ={
            **STORAGE,
            "HV_STORAGE__OPTIONS__URL": "x",
            "HV_STORAGE__OPTIONS__DEPT": "1",
        },
    ),
    "an option of another type": build_fault(
        storage(OPTIONS, WITH_OPTIONS),
        *("storage.options.depth", "whole number", "acme_broken"),
        fix="",
        environ={
            **STORAGE,
            "HV_STORAGE__OPTIONS__URL": "x",
            "HV_STORAGE__OPTIONS__DEPTH": "deep",
        },
    ),
    "an error that tells a secret": build_fault(
        storage(
            OPTIONS.replace('{options.secret}")', '{options.secret}")  # here'),
            WITH_OPTIONS,
        ),
        "no entry with …",
        fix="HV_STORAGE__BACKEND",
        environ={
            **STORAGE,
            "HV_STORAGE__OPTIONS__URL": "x",
            "HV_STORAGE__OPTIONS__SECRET": "open-sesame",
        },
    ),
    "a long error that tells a secret where it is cut": build_fault(
        storage(
            OPTIONS.replace(
                'f"no entry with {options.secret}")',
                'f"no entry {"x" * 285} {options.secret}")  # here',
            ).replace('"x"', "'x'"),
            WITH_OPTIONS,
        ),
        "xxx …, at",
        fix="HV_STORAGE__BACKEND",
        environ={
            **STORAGE,
            "HV_STORAGE__OPTIONS__URL": "x",
            "HV_STORAGE__OPTIONS__SECRET": "open-sesame",
        },
    ),
    "an import that fails and tells a secret": build_fault(
        storage(
            OPTIONS.replace("RuntimeError", "ImportError").replace(
                '{options.secret}")', '{options.secret}")  # here'
            ),
            WITH_OPTIONS,
        ),
        "ImportError: no entry with …",
        fix="HV_STORAGE__BACKEND",
        environ={
            **STORAGE,
            "HV_STORAGE__OPTIONS__URL": "x",
            "HV_STORAGE__OPTIONS__SECRET": "open-sesame",
        },
    ),
    "an annotation of options that means nothing": build_fault(
        storage(
            "@attrs.frozen  # here\nclass Options:\n    url: 'Nowhere' = None\n"
            "def build(options, context): return Store()\n",
            WITH_OPTIONS,
        ),
        *("options of the storage backend 'acme' cannot be read", "Nowhere"),
        fix="types that are simple",
        environ={**STORAGE, "HV_STORAGE__OPTIONS__URL": "x"},
    ),
    "a queue that is none": build_fault(
        other("hvcore_queues", "QueueBackend", "return Windows()").replace(
            "def build(options, context):", "def build(options, context):  # here"
        ),
        *("has returned a Windows", "no Queue"),
        fix="HV_QUEUE__BACKEND",
        environ=QUEUE,
    ),
    "a store of limits that cannot be made": build_fault(
        other("hvcore_rate_limit_stores", "RateLimitBackend", "return 1 / 0  # here"),
        "ZeroDivisionError",
        fix="HV_LIMITS__STORE",
        environ=LIMITS,
    ),
    "a provider that cannot be made": build_fault(
        other("hvcore_auth_providers", "AuthBackend", "return 1 / 0  # here"),
        "ZeroDivisionError",
        fix="HV_AUTH__PROVIDERS",
        environ=AUTH,
    ),
    "a sink that cannot be made": build_fault(
        other("hvcore_analytics_sinks", "AnalyticsBackend", "return 1 / 0  # here"),
        "ZeroDivisionError",
        fix="HV_ANALYTICS__SINKS",
        environ=SINK,
    ),
    "a cache invalidator that cannot be made": build_fault(
        other(
            "hvcore_cache_invalidators",
            "CacheInvalidatorBackend",
            "return 1 / 0  # here",
        ),
        "ZeroDivisionError",
        fix="HV_EDGE__CACHE_INVALIDATORS",
        environ=INVALIDATOR,
    ),
    "a way to sign in that cannot be made": build_fault(
        other("hvcore_sign_ins", "SignInBackend", "return 1 / 0  # here"),
        "ZeroDivisionError",
        fix="HV_SIGN_IN__BACKEND",
        environ=SIGN_IN,
    ),
    "a transcoder that cannot be made": build_fault(
        other("hvcore_transcoders", "TranscoderBackend", "return 1 / 0  # here"),
        "ZeroDivisionError",
        fix="HV_TRANSCODER__BACKEND",
        environ=TRANSCODER,
    ),
    "a required option of a cache invalidator that is missing": build_fault(
        other(
            "hvcore_cache_invalidators",
            "CacheInvalidatorBackend",
            "return Invalidator()",
        ).replace("factory=build", "factory=build, options=Options")
        + "@attrs.frozen(kw_only=True)\nclass Options:\n    url: str\n",
        *("edge.options.acme.url is required", "acme_broken"),
        fix="HV_EDGE__OPTIONS__ACME__URL",
        environ=INVALIDATOR,
    ),
    "a backend of a misspelt name": build_fault(
        storage("def build(options, context): return Store()\n"),
        "No plugin offers the storage backend 'acne'",
        fix="Did you mean acme",
        environ={"HV_STORAGE__BACKEND": "acne"},
    ),
    "a cache invalidator that is unknown": build_fault(
        other(
            "hvcore_cache_invalidators",
            "CacheInvalidatorBackend",
            "return Invalidator()",
        ),
        *("No plugin offers the edge backend 'fastly'", "on offer: acme"),
        fix="HV_EDGE__CACHE_INVALIDATORS",
        environ={"HV_EDGE__CACHE_INVALIDATORS": "fastly"},
    ),
    "the name of another's backend": build_fault(
        queue_hook("@hookimpl\ndef hvcore_queues():\n")
        + "    yield QueueBackend(name='quiet', factory=build)\n",
        *("Two plugins offer the queue backend 'quiet'", "acme_broken"),
        fix="Uninstall one",
        environ={"HV_QUEUE__BACKEND": "quiet"},
    ),
}
"""Faults of chosen backends."""


def method(parent: str, body: str) -> str:
    """
    Return a class with one method that is wrong.
    """
    return f"class Wrong({parent}):\n    {body}\n"


BUILDING |= {
    "a write that takes other arguments": build_fault(
        storage(
            method("Store", "def write(self, path, source, *, kind): pass  # here")
            + "def build(options, context): return Wrong()\n"
        ),
        *("the storage backend 'acme' cannot be used", "Wrong.write cannot be called"),
        "Storage.write is (self, path, source, *, content_type)",
        fix="Write it as def write(self, path, source, *, content_type)",
    ),
    "a coroutine in the place of a method": build_fault(
        other("hvcore_rate_limit_stores", "RateLimitBackend", "return Wrong()").replace(
            "def build",
            method("Windows", "async def hit(self, rules): return []  # here")
            + "def build",
        ),
        *("Wrong.hit is async", "RateLimitStore.hit is (self, rules)"),
        fix="Write it as def hit(self, rules)",
        environ=LIMITS,
    ),
}

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
