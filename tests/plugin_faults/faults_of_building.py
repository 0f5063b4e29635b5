"""
Faulty plugins with a chosen backend that cannot be built.
"""

from tests.plugin_faults.broken_plugins import (
    AUTH,
    INVALIDATOR,
    LIMITS,
    QUEUE,
    SIGN_IN,
    SINK,
    STORAGE,
    TRANSCODER,
    build_fault,
    built,
    method,
    other,
    queue_hook,
    storage,
)

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
