"""
A storage in memory with an HTTP server at which its signed addresses are good.
"""

import hmac
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import attrs

from hvcore.plugin_api import (
    ObjectNotFoundError,
    PartedWrite,
    UploadedPart,
    WriteAddress,
)
from hvcore.testing.fakes import MemoryStorage

KEY = b"test"


@attrs.define
class Served:
    """
    The server, and the storage whose objects it serves.
    """

    url: str
    storage: Any = None


class AddressedStorage(MemoryStorage):
    """
    Keeps every promise of signed addresses.
    """

    can_presign = can_presign_writes = can_presign_parts = True

    def __init__(self, served: Served) -> None:
        super().__init__()
        self.served = served
        served.storage = self
        self.begun: dict[str, tuple[PartedWrite, dict[int, bytes]]] = {}

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        return self.signed(path, method="GET")

    def write_address(
        self,
        path: str,
        *,
        content_type: str | None,
        size_bytes: int | None,
        valid_s: int,
    ) -> WriteAddress:
        url = self.signed(path, method="PUT", type=content_type, size=size_bytes)
        return WriteAddress(url=url, binds_type=True, binds_size=True)

    def begin_parts(self, path: str, *, content_type: str) -> PartedWrite:
        begun = PartedWrite(path=path, id=f"{path}-1", begun_at=datetime.now(UTC))
        self.begun[begun.id] = (begun, {})
        return begun

    def part_address(
        self, begun: PartedWrite, number: int, *, size_bytes: int, valid_s: int
    ) -> WriteAddress:
        url = self.signed(begun.path, method="PUT", upload=begun.id, number=number)
        return WriteAddress(url=url)

    def uploaded_parts(self, begun: PartedWrite) -> Sequence[UploadedPart]:
        return [
            UploadedPart(number=number, size_bytes=len(data), tag=str(number))
            for number, data in sorted(self.parts(begun).items())
        ]

    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        arrived = self.parts(begun)
        data = b"".join(arrived[part.number] for part in parts)
        self.keep(begun.path, data, "video/mp4")
        del self.begun[begun.id]

    def end_parts(self, begun: PartedWrite) -> None:
        self.begun.pop(begun.id, None)

    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        return (begun for begun, _ in self.begun.values() if begun.path == path)

    def parts(self, begun: PartedWrite) -> dict[int, bytes]:
        if begun.id not in self.begun:
            raise ObjectNotFoundError(begun.path)
        return self.begun[begun.id][1]

    def signed(self, path: str, **bound: object) -> str:
        query = {name: str(value) for name, value in bound.items() if value is not None}
        query["sig"] = self.signature(path, query)
        return f"{self.served.url}/{path}?{urlencode(query)}"

    def signature(self, path: str, query: dict[str, str]) -> str:
        return hmac.new(
            KEY, f"{path} {sorted(query.items())}".encode(), "sha256"
        ).hexdigest()

    def lets_in(self, path: str, query: dict[str, str], method: str) -> bool:
        sent = {name: value for name, value in query.items() if name != "sig"}
        is_signed = self.signature(path, sent) == query.get("sig")
        return is_signed and query.get("method") == method

    def binds(self, query: dict[str, str], type_: str | None, size: int) -> bool:
        return (
            query.get("type", type_) == type_ and int(query.get("size", size)) == size
        )

    def read(self, path: str, wanted: str | None) -> tuple[int, bytes]:
        if path not in self.objects:
            return 404, b""
        data = self.objects[path].data
        if wanted is None:
            return 200, data
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        return 206, data[int(first) : int(last) + 1]

    def receive(self, path: str, query: dict[str, str], data: bytes) -> None:
        if "upload" in query:
            self.begun[query["upload"]][1][int(query["number"])] = data
        else:
            self.keep(path, data, query.get("type", ""))


class GivesNoRanges(AddressedStorage):
    def read(self, path: str, wanted: str | None) -> tuple[int, bytes]:
        return super().read(path, None)


class GivesWhatIsAbsent(AddressedStorage):
    def read(self, path: str, wanted: str | None) -> tuple[int, bytes]:
        return super().read(path, wanted) if path in self.objects else (200, b"")


class LetsAllIn(AddressedStorage):
    def lets_in(self, path: str, query: dict[str, str], method: str) -> bool:
        return True


class LosesWhatIsSent(AddressedStorage):
    def receive(self, path: str, query: dict[str, str], data: bytes) -> None:
        if path not in self.objects:
            super().receive(path, query, data)


class BindsNoSize(AddressedStorage):
    def binds(self, query: dict[str, str], type_: str | None, size: int) -> bool:
        return query.get("type", type_) == type_


class BindsNoType(AddressedStorage):
    def binds(self, query: dict[str, str], type_: str | None, size: int) -> bool:
        return int(query.get("size", size)) == size


class JoinsAsTheyCame(AddressedStorage):
    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        self.keep(begun.path, b"".join(self.parts(begun).values()), "video/mp4")
        del self.begun[begun.id]


class ShowsParts(AddressedStorage):
    def receive(self, path: str, query: dict[str, str], data: bytes) -> None:
        super().receive(path, query, data)
        self.keep(path, data, "")


class KnowsNoneBegun(AddressedStorage):
    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        return iter(())


class JoinsTwice(AddressedStorage):
    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        kept = self.begun[begun.id]
        super().join_parts(begun, parts)
        self.begun[begun.id] = kept


class EmptiesWhatIsJoinedAgain(AddressedStorage):
    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        if begun.id in self.begun:
            super().join_parts(begun, parts)
        else:
            self.keep(begun.path, b"", "video/mp4")


class JoinsWhatHasEnded(AddressedStorage):
    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        with suppress(ObjectNotFoundError):
            super().join_parts(begun, parts)


class EndsNothing(AddressedStorage):
    def end_parts(self, begun: PartedWrite) -> None:
        pass


class EndsOnce(AddressedStorage):
    def end_parts(self, begun: PartedWrite) -> None:
        del self.begun[begun.id]


@contextmanager
def address_server() -> Iterator[Served]:
    """
    Serve the objects of whichever storage is made with it.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            path = parts.path.removeprefix("/")
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            storage: AddressedStorage = served.storage
            status, answer = 403, b""
            if storage.lets_in(path, query, self.command):
                if self.command == "GET":
                    status, answer = storage.read(path, self.headers["Range"])
                elif storage.binds(query, self.headers["Content-Type"], len(data)):
                    storage.receive(path, query, data)
                    status = 200
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_PUT = do_GET  # noqa: N815 - as http.server wants it

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Served(url=f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
