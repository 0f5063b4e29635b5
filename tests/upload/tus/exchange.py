"""
What a client of the protocol sends, and what became of it.
"""

import base64
import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from falcon.testing import Result, TestClient

from hvcore.domain.uploads.grants import UploadGrant
from hvcore.domain.videos.video import Video
from tests.support.http.world import World

DATA = b"not really a video, " * 1000
TUS = {"Tus-Resumable": "1.0.0"}
CREATE = "/v1/uploads"


class Stream(io.RawIOBase):
    """
    A body that does something instead of ending.
    """

    def __init__(self, data: bytes, then: Callable[[], object]) -> None:
        self._data = io.BytesIO(data)
        self._then = then

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._data.read(size)
        if not data:
            self._then()
        return data


def cut() -> None:
    raise ConnectionResetError


def metadata(**fields: str) -> str:
    return ",".join(
        f"{name} {base64.b64encode(value.encode()).decode()}"
        for name, value in fields.items()
    )


def create(
    api: World,
    length: int | str | None = len(DATA),
    sent: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Result:
    given = {**TUS, "Upload-Metadata": sent or metadata(fileName="clip.mp4")}
    if length is not None:
        given["Upload-Length"] = str(length)
    return api.call("POST", CREATE, headers={**given, **(headers or {})})


def created(api: World, length: int = len(DATA)) -> str:
    result = create(api, length)
    assert result.status_code == 201, result.text
    return str(result.headers["Location"])


def ask(  # noqa: PLR0913, PLR0917 - the parts of a request
    client: TestClient,
    method: str,
    location: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    extras: Mapping[str, object] | None = None,
) -> Result:
    address = urlsplit(location)
    return client.simulate_request(
        method,
        address.path,
        query_string=address.query,
        headers=TUS if headers is None else headers,
        body=body,
        extras=dict(extras or {}),
    )


def patch(  # noqa: PLR0913, PLR0917 - the parts of a request
    client: TestClient,
    location: str,
    body: bytes,
    offset: int | str = 0,
    headers: Mapping[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    sent = {
        **TUS,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": str(offset),
        **(headers or {}),
    }
    return ask(client, "PATCH", location, sent, body, extras)


def cut_off(
    client: TestClient,
    location: str,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    then: Callable[[], object] = cut,
) -> Result:
    extras = {
        "CONTENT_LENGTH": str(len(body) + 1),
        "wsgi.input": Stream(body, then),
    }
    return patch(client, location, b"", headers=headers, extras=extras)


def offset_of(client: TestClient, location: str) -> int:
    result = ask(client, "HEAD", location)
    assert result.status_code == 200
    return int(result.headers["Upload-Offset"])


def grant_of(api: World, location: str) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find(urlsplit(location).path.rsplit("/", 1)[1])
    assert found is not None
    return found


def video_of(api: World, location: str) -> Video:
    with api.services.uow.read() as work:
        found = work.videos.find(grant_of(api, location).video_id or "")
    assert found is not None
    return found


def files(api: World) -> list[Path]:
    return sorted(api.services.uploads.incoming_dir().iterdir())


def stored(api: World) -> list[bytes]:
    return list(api.storage.files.values())


def checksum(algorithm: str, data: bytes) -> dict[str, str]:
    digest = hashlib.new(algorithm, data, usedforsecurity=False).digest()
    return {"Upload-Checksum": f"{algorithm} {base64.b64encode(digest).decode()}"}
