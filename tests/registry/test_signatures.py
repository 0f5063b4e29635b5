"""A method that differs from its port's is told before it is called; no other one is."""

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hvcore import hookspecs, plugin_api
from hvcore.hookspecs import Backend
from hvcore.plugin_api import PluginRoute, RouteCall, WebApp
from hvcore.registry import KINDS, Offer, PluginSource
from hvcore.registry.signatures import WrongMethod, wrong_methods

ROOT = Path(__file__).parents[2]
SOURCE = PluginSource(plugin="acme", distribution="hvcore-acme 1.2", package="acme")
RIGHT = """
import functools
import attrs
from collections.abc import *
from contextlib import contextmanager
from hvcore.plugin_api import *

class Files(Storage):
    def stat(self, path): ...
    def open(self, path, *, start=0, end=None): ...
    def write(self, path, source, *, content_type): ...
    def put_file(self, path, local, *, content_type): ...
    def walk(self, prefix): yield from ()
    def delete_tree(self, prefix): ...
    def ping(self): ...

class Windows(RateLimitStore):
    def hit(self, rules): ...

class Doorbell(Queue):
    def put(self, task_id, *, kind, lane): ...
    def consume(self, handle, *, lanes, until): ...
    def depth(self, lane): ...
    def ping(self): ...

class Pages(SignInProvider):
    def begin(self, pages, state): ...
    def complete(self, parameters, pages, private): ...
    def refresh(self, refresh_state): ...

def with_session(method):
    @functools.wraps(method)
    def opened(self, *args, **more):
        return method(self, "session", *args, **more)
    return opened

class Caller:
    def __call__(self, path): ...
"""
RECORDS: dict[str, Backend[Any]] = {
    "Files": hookspecs.StorageBackend(name="acme", factory=object),
    "Windows": hookspecs.RateLimitBackend(name="acme", factory=object),
    "Doorbell": hookspecs.QueueBackend(name="acme", factory=object),
    "Pages": hookspecs.SignInBackend(name="acme", factory=object),
}
BASES: dict[str, Backend[Any]] = {
    kind.name: kind.record(name="acme", factory=object)
    for kind in KINDS.values()
    if not kind.is_added
}


_NAMES = [
    one.__name__ for kind in BASES for one in (KINDS[kind].port, *KINDS[kind].abilities)
]
PORTS = re.compile(rf"^class [^:]*\b({'|'.join(_NAMES)})\b", re.MULTILINE)
"""How a file with a backend is told from one without."""


def offer(record: Backend[Any]) -> Offer:
    (kind,) = (kind for kind in KINDS.values() if type(record) is kind.record)
    return Offer(kind=kind.name, backend=record, source=SOURCE)


def told(parents: str, body: str) -> list[WrongMethod]:
    """Return the findings on a backend whose class has this body."""
    names: dict[str, Any] = {"__name__": "acme"}
    code = f"{RIGHT}\nclass Wrong({parents}):\n    {body}\n"
    exec(code, names)  # noqa: S102 - the cases are code
    record = RECORDS[parents.partition(",")[0]]
    return list(wrong_methods(offer(record), names["Wrong"]()))


WRONG = {
    "a parameter is missing": (
        *("Files", "def stat(self): ..."),
        (
            "Wrong.stat cannot be called as it is (too many positional arguments): "
            "it is (self), and Storage.stat is (self, path)"
        ),
    ),
    "self is missing": ("Files", "def stat(path): ...", "Storage.stat is (self, path)"),
    "an option is missing": (
        *("Files", "def open(self, path, *, start=0): ..."),
        (
            "it is (self, path, *, start=…), and Storage.open is "
            "(self, path, *, start=…, end=…)"
        ),
    ),
    "a keyword is renamed": (
        *("Files", "def write(self, path, source, *, mime_type): ..."),
        "Storage.write is (self, path, source, *, content_type)",
    ),
    "a keyword is by position only": (
        *("Files", "def write(self, path, source, content_type, /): ..."),
        "Storage.write is",
    ),
    "what is given by position is by keyword only": (
        *("Files", "def stat(self, *, path): ..."),
        "Storage.stat is (self, path)",
    ),
    "one more parameter is required": (
        *("Files", "def delete_tree(self, prefix, force): ..."),
        "(missing a required argument: 'force')",
    ),
    "one more keyword is required": (
        *("Windows", "def hit(self, rules, *, now): ..."),
        "(missing a required argument: 'now')",
    ),
    "what is optional is required": (
        *("Files", "def open(self, path, *, start, end): ..."),
        "Storage.open is (self, path, *, start=…, end=…)",
    ),
    "parameters have changed places": (
        *("Files", "def write(self, source, path, *, content_type): ..."),
        "Wrong.write has source in the place of path",
    ),
    "a parameter stands between": (
        *("Pages", "def complete(self, parameters, x=1, pages=2, private=3): ..."),
        "has x in the place of pages",
    ),
    "a coroutine": (
        *("Windows", "async def hit(self, rules): ..."),
        "Wrong.hit is async, and nobody awaits it, and RateLimitStore.hit is",
    ),
    "an asynchronous generator": (
        *("Files", "async def walk(self, prefix): yield 1"),
        "Wrong.walk is async",
    ),
    "a generator where a value is wanted": (
        *("Windows", "def hit(self, rules): yield from ()"),
        "Wrong.hit yields, so it does nothing when it is called",
    ),
    "a generator where nothing is wanted": (
        *("Files", "def ping(self): yield"),
        "Wrong.ping yields",
    ),
    "a value in the place of a method": (
        *("Files", "ping = True"),
        "Wrong.ping is no method, and Storage.ping is one",
    ),
    "a property in the place of a method": (
        *("Files", "@property\n    def ping(self): return None"),
        "Wrong.ping is no method",
    ),
    "an optional method": (
        *("Doorbell", "def workers(self): return 1"),
        "Queue.workers is (self, lane)",
    ),
    "a method that another port has": (
        "Files, SupportsPrepare",
        "def prepare(self, db): ...\n    def is_prepared(self): ...",
        "SupportsPrepare.prepare is (self)",
    ),
    "a method of what it can do besides": (
        *("Files", "def copy(self, source, target): ..."),
        "is (self, source, target, *, content_type)",
    ),
    "a method in the place of a property": (
        "Files",
        (
            "def can_presign(self): return False\n"
            "    def presigned_url(self, path, *, valid_s): ..."
        ),
        (
            "Wrong.can_presign is a method, and SupportsPresignedRead.can_presign is a "
            "property"
        ),
    ),
    "an ability that is inherited and not written": (
        *("Files, SupportsHide", "x = 1"),
        "Wrong inherits from SupportsHide and lacks SupportsHide.hide_tree",
    ),
    "a decorator that takes less": (
        "Files",
        (
            "def less(method):\n        @functools.wraps(method)\n"
            "        def called(self): return method(self, 1)\n        return called\n"
            "    @less\n    def stat(self, path): ..."
        ),
        "Storage.stat is (self, path)",
    ),
    "a static method that takes self": (
        *("Files", "@staticmethod\n    def stat(self, path): ..."),
        "Storage.stat is",
    ),
}


@pytest.mark.parametrize(("parents", "body", "said"), WRONG.values(), ids=list(WRONG))
def test_a_method_that_differs_is_told_with_what_is_expected(
    parents: str, body: str, said: str
) -> None:
    (found,) = told(parents, body)

    assert said in found.problem
    assert found.fix
    assert not found.is_harmless
    assert found.location is None or found.location.module == "acme"


RIGHTLY = {
    "all arguments": ("Files", "def stat(self, *args, **more): ..."),
    "other keywords": ("Files", "def write(self, path, source, **more): ..."),
    "a parameter with a default more": (
        "Files",
        "def stat(self, path, fresh=False): ...",
    ),
    "a keyword with a default more": (
        "Windows",
        "def hit(self, rules, *, now=None): ...",
    ),
    "a keyword that may come by position": (
        *("Files", "def write(self, path, source, content_type): ..."),
    ),
    "other defaults": ("Files", "def open(self, path, *, start=None, end=-1): ..."),
    "what is required is optional": ("Files", "def stat(self, path=''): ..."),
    "positional only": ("Files", "def stat(self, key, /): ..."),
    "an unused parameter": ("Doorbell", "def workers(self, _lane): return 1"),
    "a decorator that gives an argument": (
        *("Files", "@with_session\n    def stat(self, session, path): ..."),
    ),
    "a cached method": ("Files", "@functools.cache\n    def stat(self, path): ..."),
    "a context manager": ("Files", "@contextmanager\n    def stat(self, path): yield"),
    "a method by keyword of another one": (
        *("Files", "stat = functools.partialmethod(Files.open, start=1)"),
    ),
    "a static method": ("Files", "@staticmethod\n    def stat(path): ..."),
    "a method of the class": ("Files", "@classmethod\n    def stat(cls, path): ..."),
    "a function in C": (
        "Files",
        "ping = staticmethod(dict)\n    stat = staticmethod(len)",
    ),
    "an object that is called": ("Files", "stat = Caller()"),
    "a list in the place of a generator": (
        "Files",
        "def walk(self, prefix): return []",
    ),
    "a method that another object has": (
        "Files",
        "def __init__(self):\n        self.stat = Files().stat",
    ),
    "a property that gives a function": (
        *("Files", "@property\n    def stat(self): return Files().stat"),
    ),
    "a property that raises": (
        *("Files", "@property\n    def stat(self): raise KeyError('later')"),
    ),
    "a property as an attribute": (
        "Files",
        "can_presign = False\n    def presigned_url(self, path, *, valid_s): ...",
    ),
    "an annotation that means nothing": (
        "Files",
        "def stat(self, path: 'Nowhere'): ...",
    ),
    "methods of its own": ("Files", "def listing(self, a, b, c): ..."),
}


@pytest.mark.parametrize(("parents", "body"), RIGHTLY.values(), ids=list(RIGHTLY))
def test_a_method_that_takes_what_its_port_gives_is_not_told(
    parents: str, body: str
) -> None:
    assert told(parents, body) == []


def test_a_class_of_attrs_with_slots_is_not_told() -> None:
    code = (
        f"{RIGHT}\n@attrs.frozen\nclass Slotted(Files):\n    ping: Callable[[], None]\n"
        "@attrs.define\nclass Defined(Files):\n    client: object = None\n"
    )
    names: dict[str, Any] = {"__name__": "acme"}
    exec(code, names)  # noqa: S102 - a plugin made on the spot

    made = (names["Slotted"](ping=lambda: None), names["Defined"]())

    assert [list(wrong_methods(offer(RECORDS["Files"]), one)) for one in made] == [
        [],
        [],
    ]


def shipped() -> Iterator[tuple[str, type]]:
    """Yield the backends of this checkout's plugins, each with its kind."""
    for folder in ("plugins", "contrib"):
        for plugin in sorted((ROOT / folder).glob("hvcore_*/plugin.py")):
            for file in sorted(plugin.parent.rglob("*.py")):
                if not PORTS.search(file.read_text("utf-8")):
                    continue
                name = ".".join(file.relative_to(ROOT / folder).with_suffix("").parts)
                made = vars(importlib.import_module(name)).values()
                ours = [one for one in made if getattr(one, "__module__", "") == name]
                for kind in BASES:
                    port = KINDS[kind].port
                    yield from ((kind, one) for one in ours if is_backend(one, port))


def is_backend(made: object, port: type) -> bool:
    return isinstance(made, type) and issubclass(made, port)


def test_no_shipped_backend_is_told() -> None:
    found = list(shipped())

    wrong = [
        one.problem
        for kind, made in found
        # As it is before it is set up: its methods are those of its class.
        for one in wrong_methods(offer(BASES[kind]), made.__new__(made))
    ]

    assert wrong == []
    assert {kind for kind, _ in found} == BASES.keys()
    assert len(found) > 2 * len(BASES)


def calls(methods: set[str]) -> Iterator[tuple[str, ast.Call]]:
    called = re.compile(rf"\.({'|'.join(methods)})\(")
    for folder in ("hvcore", "apps"):
        for file in (ROOT / folder).rglob("*.py"):
            text = file.read_text("utf-8")
            for node in ast.walk(ast.parse(text)) if called.search(text) else ():
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield f"{file}:{node.lineno}", node


def test_the_service_gives_by_position_what_a_port_does_not_give_by_name() -> None:
    """Parameters of plugins may have other names for this reason."""
    named = {
        (name, parameter.name)
        for kind in KINDS.values()
        for port in (kind.port, *kind.abilities)
        for base in port.__mro__
        for name, method in vars(base).items()
        if base.__module__.startswith("hvcore.ports") and inspect.isfunction(method)
        for parameter in inspect.signature(method).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    }

    by_name = [
        f"{place}: {node.func.attr}({word.arg}=…)"
        for place, node in calls({name for name, _ in named})
        if isinstance(node.func, ast.Attribute)
        for word in node.keywords
        if (node.func.attr, word.arg) in named
    ]

    assert by_name == []


def test_another_name_of_what_is_given_by_position_is_harmless() -> None:
    (found,) = told("Files", "def stat(self, key): ...")

    assert found.is_harmless
    assert "Wrong.stat has key in the place of path" in found.problem


@pytest.mark.parametrize("taken", [(), ("state",), ("state", "call", "more")])
def test_a_handler_of_a_route_that_takes_something_else_is_told(
    taken: tuple[str, ...],
) -> None:
    handler: Any = eval(f"lambda {', '.join(taken)}: None")  # noqa: S307 - made here
    route: PluginRoute[Any] = PluginRoute(
        method="GET", path="/v1/acme", handler=handler, permission=None, summary="Tries"
    )
    record = plugin_api.RoutesBackend(name="acme", factory=list, routes=(route,))

    (found,) = wrong_methods(offer(record), object())

    assert "PluginRoute.handler is (state, call)" in found.problem


def test_a_handler_of_a_route_may_call_its_parameters_as_it_likes() -> None:
    def handler(notes: object, asked: RouteCall, limit: int = 5) -> dict[str, object]:
        return {"notes": str((notes, asked, limit))}

    route = PluginRoute(
        method="GET", path="/v1/acme", handler=handler, permission=None, summary="Tries"
    )
    record = plugin_api.RoutesBackend(name="acme", factory=list, routes=(route,))

    assert list(wrong_methods(offer(record), object())) == []


def test_middleware_that_takes_no_app_is_told() -> None:
    record = plugin_api.MiddlewareBackend(
        name="acme", factory=object, apps=frozenset({WebApp.API})
    )

    (found,) = wrong_methods(offer(record), lambda: None)

    assert "Middleware is (app)" in found.problem
    assert list(wrong_methods(offer(record), functools.partial(max, 1))) == []
