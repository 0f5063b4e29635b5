"""
Storages of every kind.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from hvcore.plugin_api import Storage
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.local import LocalStorage
from tests.support.stores.azure_store import azure_container, connection_string
from tests.support.stores.google_store import google_args, new_google_bucket
from tests.support.stores.object_store import KEY, SECRET, s3_client, s3_server

_AZ = pytest.param("az", marks=pytest.mark.services)


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """
    An imitation of S3; it checks no signatures.
    """
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def local(tmp_path: Path) -> LocalStorage:
    """
    A storage on files.
    """
    made = make_storage(
        f"file://{tmp_path}/store",
        args={},
        min_free_bytes=0,
        work_dir=tmp_path / "work",
    )
    assert isinstance(made, LocalStorage)
    return made


@pytest.fixture(params=["file", "memory", "s3", "gs", _AZ])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """
    The storage under test.
    """
    name = f"videos-{uuid.uuid4().hex}"
    args: dict[str, object] = {}
    url = {
        "file": f"file://{tmp_path}/store",
        "memory": f"memory://{name}/prefix",
        "s3": f"s3://{name}/prefix",
        "az": f"az://{name}/prefix",
    }.get(request.param, "")
    if request.param == "s3":
        endpoint = request.getfixturevalue("s3_endpoint")
        args = {"endpoint_url": endpoint, "key": KEY, "secret": SECRET}
        s3_client(endpoint).create_bucket(Bucket=name)
    if request.param == "az":
        endpoint = request.getfixturevalue("azure_store")
        args = {"connection_string": connection_string(endpoint)}
        azure_container(endpoint, name).create_container()
    if request.param == "gs":
        endpoint = request.getfixturevalue("google_store")
        args = google_args(tmp_path, endpoint)
        url = f"gs://{new_google_bucket(endpoint)}/prefix"
    return make_storage(url, args=args, min_free_bytes=0, work_dir=tmp_path / "work")


@pytest.fixture
def http() -> Iterator[urllib3.PoolManager]:
    with urllib3.PoolManager(retries=False) as pool:
        yield pool
