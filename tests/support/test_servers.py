"""
Servers of the tests end with them.
"""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.servers import wait_until

BROKEN_OFF = """
import os
import sys
from contextlib import ExitStack

from tests.support.hv_processes import start_hv
from tests.support.live import free_ports
from tests.support.servers import postgresql_server, redis_server
from tests.support.stores.azure_store import azurite_server
from tests.support.stores.object_store import swift_server
from tests.support.stores.sqs_server import sqs_server

with ExitStack() as stack:
    for server in (postgresql_server, redis_server, azurite_server, swift_server, sqs_server):
        stack.enter_context(server())
    port = str(free_ports())
    start_hv("up", "--data", sys.argv[1], "--port", port, environ=os.environ)
    print("all run", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_of_the_tests_that_is_broken_off_leaves_no_server_behind(
    end: signal.Signals, tmp_path: Path
) -> None:
    tests = subprocess.Popen(
        [sys.executable, "-c", BROKEN_OFF, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert tests.stdout is not None
    assert tests.stdout.readline() == "all run\n"
    servers = psutil.Process(tests.pid).children(recursive=True)
    assert len(servers) >= 7

    tests.send_signal(end)
    tests.communicate()

    wait_until(lambda: not any(server.is_running() for server in servers))
