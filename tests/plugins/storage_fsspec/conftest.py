"""
Storages of every kind.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from hv_storage_fsspec.backend import make_storage
from hv_storage_fsspec.local import LocalStorage
from hvcore.plugin_api import Storage


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """
    An imitation of S3; it checks no signatures.
    """
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


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
        args = {"endpoint_url": endpoint, "key": "k", "secret": "s"}
        boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id="k",
            aws_secret_access_key="s",
            region_name="us-east-1",
        ).create_bucket(Bucket=name)
    return make_storage(url, args=args, min_free_bytes=0, work_dir=tmp_path / "work")
