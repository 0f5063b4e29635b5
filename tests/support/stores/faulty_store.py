"""
A proxy before an object store that makes chosen requests fail.
"""

import http.client
import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final
from urllib.parse import parse_qs, urlsplit

import attrs

_PAGE: Final = b"<html><body><p>Back in a minute.</p></body></html>"
_HOP_BY_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding"})
_RANGES: Final = frozenset({"range", "x-ms-range"})
_KEYS: Final = re.compile(b"<Key>.*?</Key>")
_RESET: Final = struct.pack("ii", 1, 0)


class Fault(Enum):
    """
    What happens to a request.

    ANSWER_LOST: the store carries it out, and the answer does not arrive. HALF_BODY:
    the store gets half of the body. HALF_ANSWER: the answer breaks off.
    """

    ERROR_403 = 403
    ERROR_404 = 404
    ERROR_500 = 500
    ERROR_503 = 503
    RESET = "reset"
    ANSWER_LOST = "answer lost"
    HALF_BODY = "half body"
    HALF_ANSWER = "half answer"


class SpoiledRange(Enum):
    """
    What comes in the place of a range of an object.

    IGNORED: the whole object. OTHER: as many bytes from one later on. SHORT: one byte less
    than the answer promises. PAGE: a page of 200, as of a proxy that is being repaired.
    """

    IGNORED = "ignored"
    OTHER = "other"
    SHORT = "short"
    PAGE = "page"


FAULTS: Final = tuple(fault for fault in Fault if fault is not Fault.ERROR_404)
"""Faults that any request may meet; a 404 is an answer about one object."""


@attrs.define
class FaultyStore:
    """
    The proxy.

    Attributes:
        strikes: Called with a request's method and path and whether it copies;
            returns what happens to it.
        denies_lists_of_parts: As to a key without the right to them.
        kept: What S3 calls it that it removes nothing: in an answer of 200 to a request for
            many objects, and as 403 to one for one.
        takes_no_bulk: What it calls it that it takes no request to remove many objects.
        takes_no_checksums: Whether it refuses bytes with a checksum, as older stores do.
        has_pages: Whether it answers requests for lists and to remove many objects with a
            page of 200, as a proxy does that is being repaired.
        spoils: What comes in the place of each range; None for the range.
        locked: What Azure calls it when somebody looks at what was sent, and nobody
            has its key.
        struck: How many requests have failed.
    """

    url: str
    strikes: Callable[[str, str, bool], Fault | None] = lambda *_: None
    denies_lists_of_parts: bool = False
    kept: str | None = None
    takes_no_bulk: str | None = None
    takes_no_checksums: bool = False
    has_pages: bool = False
    spoils: SpoiledRange | None = None
    locked: str | None = None
    struck: int = 0

    def strike_once(
        self, fault: Fault, method: str, path: str, *, copies: bool = False
    ) -> None:
        """
        Make the next request fail whose path ends so.
        """

        def strikes(found_method: str, found_path: str, is_copy: bool) -> Fault | None:  # noqa: FBT001 - see strikes
            if (found_method, is_copy) != (method, copies):
                return None
            if path not in found_path:
                return None
            self.strikes = lambda *_: None
            return fault

        self.strikes = strikes


class _Handler(BaseHTTPRequestHandler):
    """
    Passes one request after another on to the store behind, or makes it fail.
    """

    protocol_version = "HTTP/1.1"
    store: FaultyStore
    behind: str

    def handle_request(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        is_copy = _is_copy(path, self.headers)
        fault = self.store.strikes(self.command, path, is_copy)
        self.store.struck += fault is not None
        told = self._told(body)
        if told is not None:
            self._say(*told)
        elif self.store.locked and self._looks_at_direct_upload(path):
            self._say_locked(self.store.locked)
        elif fault is not None and isinstance(fault.value, int):
            self.send_response(fault.value)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif fault is Fault.RESET:
            self._reset()
        elif fault is Fault.HALF_BODY:
            self._send_half(body)
            self._reset()
        else:
            self._answer(body, fault)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_OPTIONS = handle_request  # noqa: N815 - the names of the base class

    def log_message(self, *_: object) -> None:
        """
        Say nothing.
        """

    def _told(self, body: bytes) -> tuple[int, bytes] | None:
        """
        Return the status and the text that the proxy itself answers with, if it does.
        """
        store, removes_many = self.store, self._removes_many()
        if store.has_pages and (removes_many or self._lists()):
            return 200, _PAGE
        if store.spoils is SpoiledRange.PAGE and self._asks_for_range():
            return 200, _PAGE
        if store.kept and removes_many:
            return 200, _all_kept(body, store.kept)
        if store.denies_lists_of_parts and self._lists_parts():
            return 403, _error("AccessDenied")
        if store.kept and self.command == "DELETE":
            return 403, _error(store.kept)
        refused = store.takes_no_bulk if removes_many else None
        if store.takes_no_checksums and self._has_checksum():
            refused = "InvalidArgument"
        return (400, _error(refused)) if refused else None

    def _asks_for_range(self) -> bool:
        # Azure's client has a header of its own.
        return self.command == "GET" and any(n.lower() in _RANGES for n in self.headers)

    def _lists_parts(self) -> bool:
        return self.command == "GET" and "uploads" in parse_qs(
            urlsplit(self.path).query, keep_blank_values=True
        )

    def _lists(self) -> bool:
        return self.command == "GET" and "list-type=" in self.path

    def _looks_at_direct_upload(self, path: str) -> bool:
        return self.command == "HEAD" and path.endswith("/arrival")

    def _say_locked(self, code: str) -> None:
        self.send_response(409)
        self.send_header("x-ms-error-code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _has_checksum(self) -> bool:
        named = ("x-amz-checksum-", "x-amz-sdk-checksum-", "x-amz-trailer")
        return self.command == "PUT" and any(
            name.lower().startswith(named) for name in self.headers
        )

    def _removes_many(self) -> bool:
        return self.command == "POST" and "delete" in parse_qs(
            urlsplit(self.path).query, keep_blank_values=True
        )

    def _say(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _answer(self, body: bytes, fault: Fault | None) -> None:
        answer, data = self._passed_on(body)
        if self.store.spoils is not None and self._asks_for_range():
            # Not the question, which may be signed.
            data = _spoil(self.store.spoils, answer, data)
        if fault is Fault.ANSWER_LOST:
            self._reset()
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        if answer.getheader("Content-Length") is None:
            # It came in chunks.
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if fault is Fault.HALF_ANSWER:
            self.wfile.write(data[: len(data) // 2])
            self._reset()
            return
        self.wfile.write(data)

    def _passed_on(self, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self.behind, timeout=30)
        connection.request(self.command, self.path, body, dict(self.headers))
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def _send_half(self, body: bytes) -> None:
        connection = http.client.HTTPConnection(self.behind, timeout=30)
        connection.putrequest(
            self.command, self.path, skip_host=True, skip_accept_encoding=True
        )
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body[: len(body) // 2])
        connection.close()

    def _reset(self) -> None:
        # Without lingering, closing sends a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _spoil(how: SpoiledRange, answer: http.client.HTTPResponse, data: bytes) -> bytes:
    told = answer.headers["Content-Range"] or ""
    if how is SpoiledRange.SHORT:
        data = data[:-1]
    elif how is SpoiledRange.IGNORED:
        answer.status = 200
        del answer.headers["Content-Range"]
        data = b"before" + data + b"behind"
    elif told:
        unit, first, last, size = re.split("[ /-]", told)
        del answer.headers["Content-Range"]
        moved = f"{unit} {int(first) + 1}-{int(last) + 1}/{size}"
        answer.headers["Content-Range"] = moved
    del answer.headers["Content-Length"]
    return data


def _error(code: str, key: bytes = b"") -> bytes:
    told = f"<Code>{code}</Code><Message>Not by you.</Message>".encode()
    return b"<Error>" + key + told + b"</Error>"


def _all_kept(asked: bytes, code: str) -> bytes:
    kept = b"".join(_error(code, key) for key in _KEYS.findall(asked))
    return b"<DeleteResult>" + kept + b"</DeleteResult>"


def _is_copy(path: str, headers: Message) -> bool:
    # Of S3, Azure and Google.
    named = {"x-amz-copy-source", "x-ms-copy-source"} & {
        name.lower() for name in headers
    }
    return bool(named) or "/rewriteTo/" in path


@contextmanager
def faulty_store(endpoint: str) -> Iterator[FaultyStore]:
    """
    Run a proxy before a store until the block ends.
    """
    handler = type("Handler", (_Handler,), {"behind": urlsplit(endpoint).netloc})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    store = FaultyStore(url=f"http://127.0.0.1:{server.server_port}")
    handler.store = store
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
