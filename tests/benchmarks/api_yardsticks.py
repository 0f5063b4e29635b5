"""
What the API is compared with, under its own server and settings.

``hello`` answers a constant: what Falcon and gunicorn cost. ``hand`` asks one
SQL statement of the raw driver and dumps the rows: what a list costs that
knows no keys, limits, totals, tokens or rules.

Run as a process: ``python -m tests.benchmarks.api_yardsticks FD``, with
``HV_DATABASE__URL`` and ``BENCH_ENV_ID`` in the environment.
"""

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import falcon
import psycopg

from hv_cli.processes import API_THREADS
from hv_server.serving import serve

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
        self._statement = STATEMENT.format(env_id=os.environ["BENCH_ENV_ID"])
        self._thread = threading.local()

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """
        Send the newest videos.
        """
        rows = self._query()(self._statement)
        items = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        resp.data = json.dumps({"body": {"videos": items}}).encode()
        resp.content_type = "application/json"

    def _query(self) -> Callable[[str], Sequence[tuple[Any, ...]]]:
        query: Callable[[str], Sequence[tuple[Any, ...]]] | None = getattr(
            self._thread, "query", None
        )
        if query is None:
            query = self._thread.query = _connect(self._url)
        return query


def _connect(url: str) -> Callable[[str], Sequence[tuple[Any, ...]]]:
    if url.startswith("sqlite:///"):
        lite = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        return lambda statement: lite.execute(statement).fetchall()
    plain = url.replace("postgresql+psycopg://", "postgresql://")
    server = psycopg.connect(plain, autocommit=True)
    return lambda statement: server.execute(statement, prepare=True).fetchall()


def make_app() -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the app of both.
    """
    app = falcon.App()
    app.add_route("/hello", Hello())
    app.add_route("/hand", Hand(os.environ["HV_DATABASE__URL"]))
    return app


if __name__ == "__main__":
    serve(
        make_app,
        listener=int(sys.argv[1]),
        workers=1,
        threads=API_THREADS,
        takes_files=False,
    )
