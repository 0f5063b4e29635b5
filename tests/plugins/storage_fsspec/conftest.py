"""
Storages of every kind.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hv_storage_fsspec.backend import make_storage
from hv_storage_fsspec.local import LocalStorage
from hvcore.plugin_api import Storage
from tests.object_store import KEY, SECRET, s3_client, s3_server


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


@pytest.fixture(params=["file", "memory", "s3"])
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
    }[request.param]
    if request.param == "s3":
        endpoint = request.getfixturevalue("s3_endpoint")
        args = {"endpoint_url": endpoint, "key": KEY, "secret": SECRET}
        s3_client(endpoint).create_bucket(Bucket=name)
    return make_storage(url, args=args, min_free_bytes=0, work_dir=tmp_path / "work")
