"""
An object store that takes connections and says nothing.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

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
