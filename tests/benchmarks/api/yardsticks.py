"""
What the API is compared with, under plain gunicorn.

``hello`` answers a constant: what Falcon and gunicorn cost. ``hand`` asks one
SQL statement of the raw driver and sends the rows: what a list costs that
knows no keys, limits, totals, tokens or rules. Both are as quick as they can
be made: none of our server's limits for slow clients, as many threads as are
good for them, rows that SQLite itself writes as JSON, and orjson.

Run as a process: ``python -m tests.benchmarks.api.yardsticks FD``, with
``HV_DATABASE__URL`` and ``BENCH_ENV_ID`` in the environment.
"""

import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from typing import Final

import falcon
import orjson
import psycopg
from gunicorn.app.wsgiapp import run

THREADS: Final = 4
"""
Of 1, 2, 4 and 16 these answered ``hello`` with the least processor time. The API needs
more of them, since its threads wait.
"""
SERVER: Final = (
    *("--worker-class", "gthread", "--workers", "1", "--threads", str(THREADS)),
    # wrk's connections stay for the whole run.
    *("--keep-alive", "75", "--log-level", "warning"),
)
COLUMNS: Final = (
    "id",
    "name",
    "duration_s",
    "created_at",
    "description",
    "state",
    "is_public",
)
STATEMENT: Final = (
    f"SELECT {', '.join(COLUMNS)} FROM videos "  # noqa: S608 - all of it is ours
    "WHERE org_id = 'org_bench' AND env_id = '{env_id}' "
    "AND state IN ('transcoding', 'ready', 'failed') "
    "ORDER BY created_at DESC, id DESC LIMIT 20"
)
AS_JSON: Final = (
    "SELECT json_group_array(json_object("  # noqa: S608 - likewise
    + ", ".join(f"'{name}', {name}" for name in COLUMNS)
    + f")) FROM ({STATEMENT})"
)
"""Of SQLite: one row, since each is a call that hands the interpreter on."""


class Hello:
    """
    The bare answer.
    """

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """
        Say hello.
        """
        resp.data = b'{"body":"hello"}'
        resp.content_type = "application/json"


class Hand:
    """
    A list as one would write it by hand for speed alone.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = threading.local()

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """
        Send the newest videos.
        """
        resp.data = b'{"body":{"videos":' + self._list()() + b"}}"
        resp.content_type = "application/json"

    def _list(self) -> Callable[[], bytes]:
        found: Callable[[], bytes] | None = getattr(self._thread, "list", None)
        if found is None:
            found = self._thread.list = _connect(self._url)
        return found


def _connect(url: str) -> Callable[[], bytes]:
    """
    Return what gets the newest videos as JSON; for one thread.
    """
    env_id = os.environ["BENCH_ENV_ID"]
    if url.startswith("sqlite:///"):
        lite = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        one_row = AS_JSON.format(env_id=env_id)
        return lambda: bytes(lite.execute(one_row).fetchone()[0], "utf-8")
    plain = url.replace("postgresql+psycopg://", "postgresql://")
    server = psycopg.connect(plain, autocommit=True)
    statement = STATEMENT.format(env_id=env_id)

    def listed() -> bytes:
        rows = server.execute(statement, prepare=True).fetchall()
        return orjson.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows])

    return listed


def make_app() -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the app of both.
    """
    app = falcon.App()
    app.add_route("/hello", Hello())
    app.add_route("/hand", Hand(os.environ["HV_DATABASE__URL"]))
    return app


if __name__ == "__main__":
    app = "tests.benchmarks.api.yardsticks:make_app()"
    sys.argv = ["gunicorn", *SERVER, "--bind", f"fd://{sys.argv[1]}", app]
    run()
