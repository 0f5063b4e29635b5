"""
An imitation of the caches that the invalidator tells: what it keeps is a set of addresses.
"""

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import attrs

TOKEN: Final = "secret-of-the-cache"
MOST_PREFIXES: Final = 30


@attrs.define
class ImitatedCache:
    """
    What it keeps, as host and target: ``cdn.example.com/v1/…``.

    Attributes:
        fails_in: So many requests are taken before one that is not.
    """

    url: str
    kept: set[str] = attrs.field(factory=set)
    requests: list[str] = attrs.field(factory=list)
    fails_in: int | None = None

    def keep(self, address: str) -> None:
        """
        Keep an answer.
        """
        self.kept.add(address.partition("://")[2])

    def is_kept(self, address: str) -> bool:
        """
        Tell whether it is kept.
        """
        return address.partition("://")[2] in self.kept

    def forget(self, is_meant: Callable[[str, str], bool]) -> int:
        """
        Forget what is meant, by host and target; return how many.
        """
        split = {one: one.partition("/") for one in list(self.kept)}
        gone = {
            one for one, (host, _, rest) in split.items() if is_meant(host, f"/{rest}")
        }
        self.kept -= gone
        return len(gone)

    def ban(self, host: str, pattern: str) -> int:
        """
        As Varnish: ``req.http.host == … && req.url ~ …``.
        """
        self.forget(lambda h, target: h == host and bool(re.search(pattern, target)))
        return 200

    def wildcard(self, host: str, path: str) -> int:
        """
        As nginx: 404 if nothing was there.
        """
        begin = path.removesuffix("*")
        assert path.endswith("*")
        found = self.forget(lambda h, target: h == host and target.startswith(begin))
        return 204 if found else 404

    def prefixes(self, body: bytes) -> int:
        """
        As a CDN: no more than so many in one request.
        """
        named = tuple(json.loads(body)["prefixes"])
        if not 0 < len(named) <= MOST_PREFIXES:
            return 400
        self.forget(lambda host, target: (host + target).startswith(named))
        return 200


@contextmanager
def imitated_cache(tls: ssl.SSLContext | None = None) -> Iterator[ImitatedCache]:
    """
    Run one on 127.0.0.1; with TLS, as localhost.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            cache.requests.append(f"{self.command} {self.path}")
            sent = self.headers.get("Authorization", "") + self.headers.get("X-Key", "")
            host = self.headers["Host"]
            if cache.fails_in is not None:
                cache.fails_in -= 1
            if cache.fails_in == -1:
                status = 503
            elif TOKEN not in sent:
                status = 403
            elif self.command == "BAN":
                status = cache.ban(host, self.headers["X-Ban-Url"])
            elif self.command == "PURGE":
                status = cache.wildcard(host, self.path)
            else:
                status = cache.prefixes(body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_BAN = do_PURGE = do_POST  # noqa: N815 - as http.server wants it

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        cache = ImitatedCache(url=f"http://127.0.0.1:{server.server_port}")
        if tls is not None:
            cache.url = f"https://localhost:{server.server_port}"
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield cache
        finally:
            server.shutdown()
            thread.join()
