"""
Object stores: an imitation of S3 that checks no signatures, and Swift, which does.
"""

import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import boto3
from botocore.config import Config
from moto.server import ThreadedMotoServer

from tests.support.servers import ENDS_WITH_TESTS, wait_until

KEY: Final = "k"
SECRET: Final = "s"
SWIFT_KEY: Final = "test:tester"
SWIFT_SECRET: Final = "testing"


@contextmanager
def s3_server() -> Iterator[str]:
    """
    Run the imitation until the block ends; gives its address.

    All of a process have the same buckets.
    """
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@contextmanager
def swift_server() -> Iterator[str]:
    """
    Run Swift until the block ends; gives the address of its S3 interface.
    """
    with tempfile.TemporaryDirectory() as name, (Path(name) / "log").open("wb") as log:
        port = Path(name) / "port"
        command = [
            *ENDS_WITH_TESTS,
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.support.stores.swift_server",
            name,
        ]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until(lambda: port.exists() or process.poll() is not None)
            assert port.exists(), (Path(name) / "log").read_text()
            yield f"http://127.0.0.1:{port.read_text()}"
        finally:
            process.kill()
            process.wait()


def swift_client(endpoint: str):  # type: ignore[no-untyped-def]  # noqa: ANN201 - boto3 has no types
    """
    Return a client of Swift with the key.
    """
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=SWIFT_KEY,
        aws_secret_access_key=SWIFT_SECRET,
        region_name="us-east-1",
        config=Config(s3={"addressing_style": "path"}),
    )


def new_swift_bucket(endpoint: str) -> str:
    """
    Make a bucket in Swift that nobody else uses.
    """
    name = f"videos-{uuid.uuid4().hex}"
    swift_client(endpoint).create_bucket(Bucket=name)
    return name


def environ_of_swift(endpoint: str, bucket: str) -> Mapping[str, str]:
    """
    Return the settings of a service whose files lie in a bucket of Swift.
    """
    return {
        "HV_STORAGE__OPTIONS__URL": f"s3://{bucket}/here",
        "HV_STORAGE__OPTIONS__ENDPOINT_URL": endpoint,
        "HV_STORAGE__OPTIONS__KEY": SWIFT_KEY,
        "HV_STORAGE__OPTIONS__SECRET": SWIFT_SECRET,
        "HV_STORAGE__OPTIONS__CLIENT_KWARGS__REGION_NAME": "us-east-1",
    }


def s3_client(endpoint: str):  # type: ignore[no-untyped-def]  # noqa: ANN201 - boto3 has no types
    """
    Return a client with the key.
    """
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )


def new_bucket(endpoint: str) -> str:
    """
    Make a bucket that nobody else uses.
    """
    name = f"videos-{uuid.uuid4().hex}"
    s3_client(endpoint).create_bucket(Bucket=name)
    return name


def environ_of_bucket(endpoint: str, bucket: str) -> Mapping[str, str]:
    """
    Return the settings of a service whose files lie in a bucket.
    """
    return {
        "HV_STORAGE__OPTIONS__URL": f"s3://{bucket}/here",
        "HV_STORAGE__OPTIONS__ENDPOINT_URL": endpoint,
        "HV_STORAGE__OPTIONS__KEY": KEY,
        "HV_STORAGE__OPTIONS__SECRET": SECRET,
    }
