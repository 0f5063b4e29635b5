"""
A real nginx with our configuration, in front of a service.

``running_edge(environ, folder, service=…)`` is for whoever has a service that
runs: it makes the configuration with ``hv edge nginx``, as an operator does.
"""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs
import psutil

from hvcore_edge.config import CONFIG_FILE
from hvcore_edge.tallies import EdgeTally, read_tally, tally_files, used_bytes
from tests.support.hv_processes import run_hv
from tests.support.live import free_ports, until

READY_WITHIN_S: Final = 10
STOPS_WITHIN_S: Final = 10


@attrs.frozen(kw_only=True)
class RunningEdge:
    """
    An nginx that serves.

    Attributes:
        folder: Of its counts, cache and state.
        config: What it reads at a reload.
    """

    port: int
    folder: Path
    config: Path
    process: subprocess.Popen[bytes]

    @property
    def root(self) -> str:
        """
        Its address.
        """
        return f"http://127.0.0.1:{self.port}"

    def tallies(self) -> list[EdgeTally]:
        """
        Return what it has counted so far and nobody has read, done with or not.
        """
        found = []
        for path in tally_files(self.folder):
            # Read and removed by somebody else meanwhile, perhaps.
            with suppress(FileNotFoundError), path.open("rb") as file:
                found.append(read_tally(used_bytes(file)))
        return found

    def segments(self) -> int:
        """
        Return how many segments those are.
        """
        return sum(count.segments for tally in self.tallies() for count in tally.counts)

    def workers(self) -> list[psutil.Process]:
        """
        Return the processes that serve, and no helpers of theirs.
        """
        children = psutil.Process(self.process.pid).children()
        return [one for one in children if _is_worker(one)]

    def reload(self) -> None:
        """
        Have other workers take over, as after a change of the configuration.
        """
        before = set(self.workers())
        self.process.send_signal(signal.SIGHUP)
        until(
            lambda: before.isdisjoint(self.workers()),
            within_s=READY_WITHIN_S,
            what="other workers",
        )


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "worker" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        # Since its parent was asked.
        return False


@contextmanager
def running_edge(
    environ: Mapping[str, str], folder: Path, *, service: str, **settings: str
) -> Iterator[RunningEdge]:
    """
    Run nginx in front of a service until the block ends.

    Args:
        environ: The service's: its data folder and settings.
        folder: For configuration and script; made if it is not there.
        service: Where delivery listens, ``host:port``.
    """
    port = free_ports()
    environ = {
        **environ,
        "HV_EDGE__LISTEN": f"127.0.0.1:{port}",
        "HV_EDGE__SERVICE": service,
        **settings,
    }
    made = run_hv("edge", "nginx", "--out", str(folder), environ=environ)
    if made.returncode != 0:
        raise AssertionError(made.stderr)
    state = Path(environ["HV_DATA"]) / environ.get("HV_EDGE__FOLDER", "edge")
    with running_nginx(folder / CONFIG_FILE, port=port, folder=state) as edge:
        yield edge


@contextmanager
def running_nginx(config: Path, *, port: int, folder: Path) -> Iterator[RunningEdge]:
    """
    Run nginx with a configuration; a program that is missing fails the test.
    """
    with (folder / "nginx.out").open("ab") as out:
        process = subprocess.Popen(
            ["nginx", "-c", str(config)],
            env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def answers() -> bool:
        if process.poll() is not None:
            raise AssertionError((folder / "nginx.out").read_text())
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers, within_s=READY_WITHIN_S, what="nginx")
        yield RunningEdge(port=port, folder=folder, config=config, process=process)
    finally:
        process.terminate()
        try:
            process.wait(timeout=STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            for worker in psutil.Process(process.pid).children():
                worker.kill()
            process.kill()
            process.wait()
