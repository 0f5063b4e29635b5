"""
An object store that takes connections and says nothing.
"""

import io
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from hvcore.errors import UnavailableError
from hvcore.ports.storage import Storage
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_obstore.backend import make_storage as make_obstore
from hvcore_storage_obstore.options import ObstoreOptions
from tests.support.network.silent_line import (
    SilentLine,
    silent_line,
    unavailable_within,
)
from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket

pytestmark = pytest.mark.services

ANSWERS_WITHIN_S: Final = 5.0


@pytest.fixture(scope="module")
def bucket(swift: str) -> str:
    return new_swift_bucket(swift)


@pytest.fixture
def line(swift: str) -> Iterator[SilentLine]:
    parts = urlsplit(swift)
    with silent_line((str(parts.hostname), int(parts.port or 0))) as one:
        yield one


@pytest.fixture(params=["fsspec", "obstore"])
def storage(
    request: pytest.FixtureRequest, line: SilentLine, bucket: str, tmp_path: Path
) -> Storage:
    url, endpoint = f"s3://{bucket}/{tmp_path.name}", f"http://127.0.0.1:{line.port}"
    if request.param == "obstore":
        options = ObstoreOptions(
            url=url, endpoint=endpoint, key=SWIFT_KEY, secret=SWIFT_SECRET
        )
        return make_obstore(options, work_dir=tmp_path)
    args = {
        "endpoint_url": endpoint,
        "key": SWIFT_KEY,
        "secret": SWIFT_SECRET,
        "config_kwargs": {"s3": {"addressing_style": "path"}},
    }
    return make_storage(url, args=args, min_free_bytes=None, work_dir=tmp_path)


def test_small_requests_end_in_time_and_work_again(
    storage: Storage, line: SilentLine
) -> None:
    storage.write("a/b", io.BytesIO(b"content"), content_type="text/plain")

    line.fall_silent()
    with unavailable_within(ANSWERS_WITHIN_S):
        storage.ping()
    with unavailable_within(ANSWERS_WITHIN_S):
        storage.stat("a/b")
    with unavailable_within(ANSWERS_WITHIN_S):
        storage.open("a/b", start=0, end=7).read()
    line.speak()

    storage.ping()
    with storage.open("a/b", start=0, end=7) as file:
        assert file.read() == b"content"


def test_bytes_that_stop_coming_are_given_up(
    storage: Storage, line: SilentLine
) -> None:
    size = 6 * 1024 * 1024
    storage.write("large", io.BytesIO(bytes(size)), content_type="text/plain")

    line.fall_silent_after(bytes_=1024 * 1024)
    with unavailable_within(ANSWERS_WITHIN_S):
        storage.open("large", start=0, end=size).read()
    line.speak()

    with storage.open("large", start=0, end=size) as file:
        assert len(file.read()) == size


BROKEN_OFF_AFTER_S: Final = 0.3
MOST_IN_ONE_WAIT: Final = 14
"""One after the other, in the four seconds for which a store is waited for."""


def break_off(listener: socket.socket, taken: list[Any]) -> None:
    """Take connections, and close each without an answer after a while."""
    with suppress(OSError):
        while True:
            client, address = listener.accept()
            taken.append(address)
            client.settimeout(BROKEN_OFF_AFTER_S)
            with client, suppress(TimeoutError):
                while client.recv(65_536):
                    pass


@pytest.fixture
def broken_off() -> Iterator[tuple[int, list[Any]]]:
    """Yield the port of a store that breaks all connections off, and those it took."""
    taken: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=break_off, args=(listener, taken))
        serving.start()
        yield listener.getsockname()[1], taken
        listener.shutdown(socket.SHUT_RDWR)
        serving.join()


def test_a_store_that_breaks_connections_off_is_waited_for_once(
    broken_off: tuple[int, list[Any]], tmp_path: Path
) -> None:
    port, taken = broken_off
    args = {
        "endpoint_url": f"http://127.0.0.1:{port}",
        "key": SWIFT_KEY,
        "secret": SWIFT_SECRET,
    }
    storage = make_storage(
        "s3://films/a", args=args, min_free_bytes=None, work_dir=tmp_path
    )

    with pytest.raises(UnavailableError, match="does not answer"):
        storage.open("a/b", start=0, end=7)

    assert 1 <= len(taken) <= MOST_IN_ONE_WAIT
