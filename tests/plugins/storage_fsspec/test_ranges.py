"""
Which answers of a store are believed to be the range that was asked for.
"""

import http.server
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.plugin_api import Storage, UnavailableError
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.ranges import WrongRangeError, promised_bytes
from tests.support.stores.azure_store import azure_container, connection_string
from tests.support.stores.faulty_store import (
    Fault,
    FaultyStore,
    SpoiledRange,
    faulty_store,
)
from tests.support.stores.google_store import google_args, new_google_bucket
from tests.support.stores.object_store import KEY, SECRET, new_bucket

DATA = bytes(range(100))
_SERVERS = {"s3": "s3_endpoint", "gs": "google_store", "az": "azure_store"}


@pytest.fixture(
    params=["s3", "gs", pytest.param("az", marks=pytest.mark.services)], scope="module"
)
def proxy(request: pytest.FixtureRequest) -> Iterator[tuple[FaultyStore, str, str]]:
    endpoint = request.getfixturevalue(_SERVERS[request.param])
    with faulty_store(endpoint) as store:
        yield store, request.param, endpoint


@pytest.fixture
def store(proxy: tuple[FaultyStore, str, str]) -> Iterator[FaultyStore]:
    yield proxy[0]
    proxy[0].spoils = None


@pytest.fixture
def storage(proxy: tuple[FaultyStore, str, str], tmp_path: Path) -> Storage:
    store, scheme, endpoint = proxy
    args: dict[str, object]
    if scheme == "s3":
        bucket = new_bucket(endpoint)
        args = {"endpoint_url": store.url, "key": KEY, "secret": SECRET}
    elif scheme == "gs":
        bucket = new_google_bucket(endpoint)
        args = google_args(tmp_path, store.url)
    else:
        bucket = "ranges"
        container = azure_container(endpoint, bucket)
        if not container.exists():
            container.create_container()
        args = {"connection_string": connection_string(store.url)}
    made = make_storage(
        f"{scheme}://{bucket}/prefix", args=args, min_free_bytes=0, work_dir=tmp_path
    )
    made.write("v/a", io.BytesIO(DATA), content_type="video/mp4")
    return made


@pytest.mark.parametrize("spoiled", SpoiledRange)
def test_other_bytes_than_the_range_that_was_asked_for_are_an_outage(
    storage: Storage, store: FaultyStore, spoiled: SpoiledRange
) -> None:
    store.spoils = spoiled

    # At once where the end is known: later, half of an answer would have been sent.
    with pytest.raises(WrongRangeError):
        storage.open("v/a", start=10, end=20)
    with storage.open("v/a", start=10) as file, pytest.raises(WrongRangeError):
        file.read()

    store.spoils = None
    with storage.open("v/a", start=10, end=20) as file:
        assert file.read() == DATA[10:20]


def test_the_whole_object_is_no_range_that_begins_with_it(
    storage: Storage, store: FaultyStore
) -> None:
    store.spoils = SpoiledRange.IGNORED

    with pytest.raises(WrongRangeError, match="a proxy before it"):
        storage.open("v/a", start=0, end=10)


def test_a_range_that_is_given_at_the_second_try_is_believed(
    storage: Storage, store: FaultyStore
) -> None:
    store.strike_once(Fault.ERROR_503, "GET", "")

    with storage.open("v/a", start=10, end=20) as file:
        assert file.read() == DATA[10:20]
    assert store.struck == 1


class _WithoutRanges(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(DATA)

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(DATA)))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_file_system_that_ignores_ranges_is_an_outage(tmp_path: Path) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _WithoutRanges) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/files"
        storage = make_storage(url, args={}, min_free_bytes=0, work_dir=tmp_path)

        with pytest.raises(UnavailableError, match="100 bytes in the place of 10"):
            storage.open("v/a", start=10, end=20)
        with storage.open("v/a", start=0, end=len(DATA)) as file:
            assert file.read() == DATA

        storage.close()
        server.shutdown()


@pytest.mark.parametrize(
    ("told", "promised"),
    [
        ("bytes 10-19/100", 10),
        ("BYTES 10-19/*", 10),
        ("bytes 10-14/15", 5),
        ("bytes 10-14/*", 5),
    ],
)
def test_a_range_is_the_one_asked_for_or_ends_with_the_object(
    told: str, promised: int
) -> None:
    assert promised_bytes(told, 10, 20) == promised


@pytest.mark.parametrize(
    "told",
    [
        *(None, "", "bytes", "bytes */100", "bytes -/-", "items 10-19/100"),
        *("bytes 9-19/100", "bytes 10-20/100", "bytes 10-18/100", "bytes 0-99/100"),
    ],
)
def test_another_range_is_refused(told: str | None) -> None:
    with pytest.raises(WrongRangeError):
        promised_bytes(told, 10, 20)
