"""
An imitation of SQS, and queues there that no other test uses.
"""

import uuid
from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from hvcore_queue_sqs.backend import SqsQueue
from hvcore_queue_sqs.options import SqsOptions
from tests.support.stores.sqs_server import CREDENTIALS, REGION, SqsServer, sqs_server

Options: TypeAlias = Callable[..., SqsOptions]


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    # Neither a developer's own profile nor a cloud's machine is asked.
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="module")
def server() -> Iterator[SqsServer]:
    with sqs_server() as made:
        yield made


@pytest.fixture
def options_of(server: SqsServer) -> Options:
    """
    Options of queues of this test; takes further ones.
    """
    prefix = f"kit-{uuid.uuid4().hex}"

    def make(**further: object) -> SqsOptions:
        given = {
            "region": REGION,
            "endpoint": server.endpoint,
            "prefix": prefix,
            # moto is slower than SQS, and shares the machine with other tests.
            "timeout_s": 3.0,
            **further,
        }
        return SqsOptions(**given)  # type: ignore[arg-type]  # of any test

    return make


@pytest.fixture
def queue(options_of: Options) -> Iterator[SqsQueue]:
    made = SqsQueue(options_of())
    made.prepare()
    yield made
    made.close()
