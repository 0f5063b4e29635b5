"""
An imitation of SQS in a process of its own, so that it can be killed and frozen.

``python -m tests.support.stores.sqs_server PORT``; 0 for any. It prints the port once it listens. All of
it is in memory: after a kill it has no queues.
"""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import attrs
import boto3

from tests.support.servers import ENDS_WITH_TESTS

CREDENTIALS: Final = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
REGION: Final = "eu-central-1"


@attrs.define
class SqsServer:
    """
    A running imitation.
    """

    port: int = 0
    _process: subprocess.Popen[str] | None = None

    @property
    def endpoint(self) -> str:
        """
        Its address, the same after a kill.
        """
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """
        Start it, and wait until it listens.
        """
        command = [
            *ENDS_WITH_TESTS,
            sys.executable,
            "-m",
            "tests.support.stores.sqs_server",
            str(self.port),
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        # Its first answer takes seconds, because it loads its own parts then.
        self.client().list_queues()

    def client(self) -> Any:  # noqa: ANN401 - boto3 has no types
        """
        Return a patient client.
        """
        return boto3.client(
            "sqs",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id="k",
            aws_secret_access_key="s",
        )

    def kill(self) -> None:
        """
        End it at once, with all that it has.
        """
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def freeze(self) -> None:
        """
        Have it take connections and answer nothing.
        """
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """
        Have it go on.
        """
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def sqs_server() -> Iterator[SqsServer]:
    """
    Run the imitation until the block ends.
    """
    server = SqsServer()
    server.start()
    try:
        yield server
    finally:
        server.kill()


def environ_of_queue(server: SqsServer) -> Mapping[str, str]:
    """
    Return the settings of a service whose queue is there.
    """
    return {
        "HV_QUEUE__BACKEND": "sqs",
        "HV_QUEUE__OPTIONS__REGION": REGION,
        "HV_QUEUE__OPTIONS__ENDPOINT": server.endpoint,
        # It is slower than SQS.
        "HV_QUEUE__OPTIONS__TIMEOUT_S": "2",
        **CREDENTIALS,
    }


def _serve(port: int) -> None:
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - for this process alone

    # moto looks for a message and marks it without a lock, so two threads may get the same
    # one. They change only where one waits, if the interpreter never interrupts them.
    sys.setswitchinterval(1_000)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)  # noqa: T201 - read by the parent
    signal.pause()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
