"""
A process tells systemd, and readers of a file's time, that it goes on.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hvcore.processes import heartbeat
from tests.support.hv_processes import run_hv, start_hv
from tests.support.live import free_ports

BEAT = b"WATCHDOG=1"
WITHIN_S = 60.0
COMMANDS = {
    "api": ("api", "--port"),
    "worker": ("worker", "--lane", "light"),
    "sweep": ("sweep",),
}


@pytest.fixture(autouse=True)
def unwatched() -> Iterator[None]:
    yield
    heartbeat.begin("")


def systemd(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(path))
    listening.settimeout(WITHIN_S)
    return listening


def next_beat(listening: socket.socket) -> None:
    # Gunicorn tells when it has started, too.
    while listening.recv(99) != BEAT:
        pass


def test_every_process_that_runs_alone_has_a_heartbeat(tmp_path: Path) -> None:
    environ = {
        **os.environ,
        "HV_DATA": str(tmp_path / "data"),
        "HV_QUEUE__BACKEND": "sql",
    }
    assert run_hv("migrate", environ=environ).returncode == 0
    with ExitStack() as ends:
        told = {name: ends.enter_context(systemd(tmp_path / name)) for name in COMMANDS}
        for name, command in COMMANDS.items():
            words = (*command, str(free_ports())) if name == "api" else command
            own = {
                "NOTIFY_SOCKET": str(tmp_path / name),
                "HV_SERVER__HEARTBEAT_PATH": str(tmp_path / f"{name}-alive"),
            }
            process = start_hv(*words, environ={**environ, **own})
            ends.callback(process.wait)
            ends.callback(process.kill)

        for name, listening in told.items():
            # The first at the start, the second by the loop.
            for _ in range(2):
                next_beat(listening)
            assert (tmp_path / f"{name}-alive").exists()


def test_systemd_is_told_at_an_abstract_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0hv-test-{os.getpid()}")
        listening.settimeout(WITHIN_S)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@hv-test-{os.getpid()}")

        heartbeat.begin("")

        assert listening.recv(99) == BEAT


def test_a_watcher_that_is_away_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))

    heartbeat.begin(str(tmp_path / "no-folder" / "alive"))
    heartbeat.beat()
