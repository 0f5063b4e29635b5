"""
A service whose callers send files to a bucket that tells of them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notify.event_senders import amazon, google, shared, told
from tests.notify.queues import Aws
from tests.services.conftest import World, make_world
from tests.support.stores.object_store import s3_server

__all__ = ["amazon", "aws", "bucket", "google", "queue", "shared", "told", "world"]


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    with s3_server() as endpoint:
        yield Aws(endpoint=endpoint)


@pytest.fixture
def queue(aws: Aws) -> str:
    return aws.new_queue()


@pytest.fixture
def bucket(queue: str) -> str:
    """
    A name that no other test uses.
    """
    return queue.rpartition("/")[2]


@pytest.fixture
def world(tmp_path: Path, aws: Aws, bucket: str, queue: str) -> Iterator[World]:
    environ = {
        "HV_STORAGE__OPTIONS__URL": f"s3://{bucket}/here",
        "HV_STORAGE__OPTIONS__ENDPOINT_URL": aws.endpoint,
        "HV_STORAGE__OPTIONS__KEY": "k",
        "HV_STORAGE__OPTIONS__SECRET": "s",
        "HV_UPLOADS__DIRECT": "on",
        "HV_NOTIFY__SQS_URL": queue,
        "HV_NOTIFY__SQS_REGION": "eu-central-1",
        "HV_NOTIFY__SQS_KEY": "k",
        "HV_NOTIFY__SQS_SECRET": "s",
    }
    with make_world(tmp_path, environ) as made:
        yield made
