"""
Plugins that cannot be loaded, or whose hook is wrong.
"""

from tests.plugin_faults.broken_plugins import load_fault, queue_hook

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
