"""
A server like ours with little patience: ``python -m tests.server.quick_server``.

It takes the kind of worker, a folder, and a listening descriptor.
"""

import gc
import hashlib
import logging
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import falcon

from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.errors import RateLimitExceededError, ShareMetError, UnauthorizedError
from hvcore.incoming.disk_space import DiskReservations
from hvcore.incoming.room_ledger import RoomLedger
from hvcore_reference.wsgi import MonitoredApp
from hvcore_server import deadlines
from hvcore_server.serving import SETTINGS, _Server
from hvcore_upload.incoming import IncomingFiles
from hvcore_web.app import make_app
from hvcore_web.bodies import allow_time, read_body
from hvcore_web.body_in_pieces import BodyInPieces
from hvcore_web.cors import ANY_ORIGIN
from hvcore_web.files import LocalFile
from hvcore_web.json_media import read_json

THREADS: Final = 2
GRACE_S: Final = 1.0


class QuickApiWorker(deadlines.ApiWorker):
    body_within_s = GRACE_S
    grace_s = GRACE_S


class QuickTransferWorker(deadlines.TransferWorker):
    grace_s = GRACE_S


class Json:
    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = "here"

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.media = None
        resp.text = repr(read_json(req))

    def on_delete(self, _req: falcon.Request, _resp: falcon.Response) -> None:
        raise UnauthorizedError


class Limited:
    def on_post(self, _req: falcon.Request, _resp: falcon.Response) -> None:
        raise RateLimitExceededError


class ShareMet:
    def on_put(self, _req: falcon.Request, _resp: falcon.Response) -> None:
        raise ShareMetError


class Garbage:
    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = str(gc.get_freeze_count())


class File:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "large"
        self._incoming = IncomingFiles(folder=folder)
        ledger = RoomLedger(folder.with_name(f"{folder.name}.room"))
        self._room = DiskReservations(ledger=ledger, most_of_one_percent=50)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        allow_time(req, 10 * GRACE_S)
        resp.text = str(len(read_body(req, max_bytes=MAX_PICTURE_BYTES)))

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        size_bytes = self._path.stat().st_size
        resp.set_header("Content-Length", str(size_bytes))
        resp.stream = LocalFile(self._path.open("rb"), size_bytes)

    def on_put(self, req: falcon.Request, resp: falcon.Response) -> None:
        with (
            self._room.reserve(self._folder, req.content_length, client="") as reserved,
            self._incoming.collect(req, reserved) as (path, size_bytes),
        ):
            resp.text = str(size_bytes)
            resp.set_header("X-Digest", hashlib.sha256(path.read_bytes()).hexdigest())


def content(start: int, end: int) -> bytes:
    """
    Return a piece of numbers without an end.
    """
    first = start // 8
    text = b"".join(b"%07d\n" % number for number in range(first, end // 8 + 1))
    return text[start - first * 8 : end - first * 8]


class Pieces:
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        size_bytes = req.get_param_as_int("size", required=True)
        gone_at = req.get_param_as_int("gone") or size_bytes

        def read(start: int, end: int) -> bytes:
            if end > gone_at:
                raise ConnectionAbortedError("gone")
            return content(start, end)

        resp.set_header("Content-Length", str(size_bytes))
        resp.stream = BodyInPieces(read, 0, size_bytes)


def make(folder: Path) -> Callable[..., Iterable[bytes]]:
    app = make_app(cors=ANY_ORIGIN)
    app.add_route("/json", Json())
    app.add_route("/limited", Limited())
    app.add_route("/share", ShareMet())
    app.add_route("/garbage", Garbage())
    app.add_route("/file", File(folder))
    app.add_route("/pieces", Pieces())

    def with_crash(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if environ["PATH_INFO"] == "/crash":
            raise ZeroDivisionError
        return app(environ, start_response)

    return MonitoredApp(with_crash, {"/json"})


if __name__ == "__main__":
    kind, folder, descriptor = sys.argv[1:]
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    settings = {
        **SETTINGS,
        "bind": f"fd://{descriptor}",
        "threads": THREADS,
        "worker_class": globals()[f"Quick{kind}"],
    }
    _Server(partial(make, Path(folder)), settings).run()
