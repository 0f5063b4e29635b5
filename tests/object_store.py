"""
An imitation of S3; it checks no signatures. All of a process have the same buckets.
"""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import boto3
from moto.server import ThreadedMotoServer

KEY: Final = "k"
SECRET: Final = "s"


@contextmanager
def s3_server() -> Iterator[str]:
    """
    Run it until the block ends; gives its address.
    """
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


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
