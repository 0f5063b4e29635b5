"""
Delivery processes that are killed, and started again as an init would.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket
from typing import Final

import attrs
import psutil

from hvcore_server.listening import listen
from tests.support.live import request, until

PROCESSES: Final = 2
"""Side by side: the counts of both meet in one folder."""
STARTS_WITHIN_S: Final = 60
ENDS_WITHIN_S: Final = 20


@attrs.define(kw_only=True)
class DeliveryFleet:
    """
    Several ``hv delivery`` on one port, each with its flusher.

    The port stays open while they are away: who connects then waits.

    Attributes:
        reached: The folder in which points of failure leave their marks.
    """

    environ: Mapping[str, str] = attrs.field(repr=False)
    log: Path
    reached: Path
    listener: socket
    dealt: Counter[str] = attrs.field(factory=Counter)
    _running: list[subprocess.Popen[bytes]] = attrs.field(factory=list)

    @property
    def port(self) -> int:
        """
        Where it serves.
        """
        return int(self.listener.getsockname()[1])

    @property
    def deaths(self) -> int:
        """
        How many servers were killed, by blows and at points of failure.
        """
        return sum(self.dealt.values()) + len(list(self.reached.iterdir()))

    def start(self) -> None:
        """
        Start all of them, and wait until one answers.
        """
        self._running = [self._start() for _ in range(PROCESSES)]
        until(self._answers, within_s=STARTS_WITHIN_S, what="the start of delivery")

    def tend(self) -> None:
        """
        Start again what has ended.
        """
        for number, process in enumerate(self._running):
            if process.poll() is not None:
                self._running[number] = self._start()

    def kill_one(self, chance: random.Random) -> None:
        """
        Kill one of them, which takes its children along.
        """
        chance.choice(self._running).kill()
        self.dealt["delivery"] += 1

    def kill_a_child(self, chance: random.Random) -> None:
        """
        Kill a process that one of them has started: what serves, or what flushes.
        """
        there = []
        for process in self._running:
            with suppress(psutil.NoSuchProcess):
                there += psutil.Process(process.pid).children(recursive=True)
        if not there:
            # It is just starting.
            self.kill_one(chance)
            return
        with suppress(psutil.NoSuchProcess):
            chance.choice(sorted(there, key=lambda child: child.pid)).kill()
            self.dealt["child of delivery"] += 1

    def stop(self) -> list[int]:
        """
        Ask all of them to end; return their exit statuses.
        """
        for process in self._running:
            process.send_signal(signal.SIGTERM)
        try:
            return [process.wait(timeout=ENDS_WITHIN_S) for process in self._running]
        finally:
            for process in self._running:
                process.kill()
                process.wait()
            self._running.clear()

    def _start(self) -> subprocess.Popen[bytes]:
        words = ["-m", "hvcore_cli", "delivery", "--fd", str(self.listener.fileno())]
        with self.log.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, *words],
                env=dict(self.environ),
                pass_fds=[self.listener.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

    def _answers(self) -> bool:
        self.tend()
        with suppress(OSError):
            url = f"http://127.0.0.1:{self.port}/health/live"
            return request("GET", url).status == 200
        return False


@contextmanager
def delivery_fleet(
    folder: Path, environ: Mapping[str, str], *, points: str = ""
) -> Iterator[DeliveryFleet]:
    """
    Run delivery until the block ends.

    Args:
        points: What HV_FAILPOINTS shall be.
    """
    reached = folder / "reached"
    reached.mkdir()
    own = {"HV_FAILPOINTS": points, "HV_FAILPOINTS_DIR": str(reached)}
    with listen("127.0.0.1", 0) as listener:
        fleet = DeliveryFleet(
            environ={**environ, **own},
            log=folder / "delivery.log",
            reached=reached,
            listener=listener,
        )
        fleet.start()
        try:
            yield fleet
        finally:
            fleet.stop()


def plain_environ(data: Path, **settings: str) -> dict[str, str]:
    """
    Return the environment of a service's processes.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    return {**inherited, "HV_DATA": str(data), **settings}
