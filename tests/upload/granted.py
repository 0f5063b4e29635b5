"""
Grants of files, and what is sent to their addresses.
"""

import io
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from falcon.testing import Result, TestClient

from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    UploadGranted,
)
from tests.support.http.world import World

MP4 = {"Content-Type": "video/mp4"}

DATA = b"not really a video" * 1000


class Stream(io.RawIOBase):
    """
    A body that calls back before it ends, instead of ending.
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


def grant(
    api: World, *, size_bytes: int | None = None, content_type: str | None = "video/mp4"
) -> UploadGranted:
    wanted = FileWanted(
        file_name="clip.mp4", content_type=content_type, size_bytes=size_bytes
    )
    return api.services.uploads.grant(api.env, wanted)


def put(
    client: TestClient,
    granted: UploadGranted,
    body: bytes = DATA,
    headers: dict[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    address = urlsplit(granted.signed_url)
    return client.simulate_put(
        address.path,
        query_string=address.query,
        body=body,
        headers=MP4 if headers is None else headers,
        extras=dict(extras or {}),
    )


def chunked(
    client: TestClient,
    granted: UploadGranted,
    body: bytes,
    extras: Mapping[str, object] | None = None,
) -> Result:
    by_server = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}
    return put(client, granted, body, extras={**by_server, **(extras or {})})


def stored(api: World) -> list[bytes]:
    return list(api.storage.files.values())


def current(api: World, granted: UploadGranted) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find(granted.grant.id)
    assert found is not None
    return found


def nothing_was_stored(api: World, granted: UploadGranted) -> bool:
    left = list(api.services.uploads.incoming_dir().iterdir())
    return (
        not stored(api)
        and not left
        and current(api, granted).state is GrantState.GRANTED
    )
