"""
The code of plugins that are wrong, each in one way, and the words that must tell of it.

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


def other(hook: str, record: str, body: str) -> str:
    """
    Return a plugin that offers a backend of another kind.
    """
    return HEAD + (
        f"def build(options, context):\n    {body}\n"
        f"@hookimpl\ndef {hook}():\n    yield {record}(name='acme', factory=build)\n"
    )


def method(parent: str, body: str) -> str:
    """
    Return a class with one method that is wrong.
    """
    return f"class Wrong({parent}):\n    {body}\n"
