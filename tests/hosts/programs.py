"""
The programs of all hosts, started again when they end, as their init would.
"""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.hosts.network import Host

AGAIN_AFTER_S: Final = 1.0
LOOKS_EVERY_S: Final = 0.2
ROOT: Final = Path(__file__).parents[2]


@attrs.define(kw_only=True)
class Program:
    """
    What runs on a host, and how often it had to be started again.
    """

    name: str
    host: Host
    command: Sequence[str]
    environ: Mapping[str, str] | None = attrs.field(repr=False)
    log: Path
    process: subprocess.Popen[bytes]
    ended_at_s: float | None = None
    restarts: int = 0

    def processes(self) -> list[psutil.Process]:
        """
        Return its processes, the first one first.
        """
        with suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def wake(self) -> None:
        """Resume the ``nsenter`` of a thawed program, which waits out here."""
        # It stops itself when its program does.
        self.process.send_signal(signal.SIGCONT)

    def run(self) -> subprocess.Popen[bytes]:
        """
        Start it.
        """
        with self.log.open("ab") as out:
            return subprocess.Popen(
                self.command,
                env=self._whole_environ(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                # Linux divides the processor by sessions: a host has a share of its own.
                start_new_session=True,
            )

    def _whole_environ(self) -> dict[str, str]:
        # Some are programs of the tests, which are installed nowhere.
        known = dict(os.environ if self.environ is None else self.environ)
        places = [str(ROOT), *filter(None, [known.get("PYTHONPATH")])]
        return {**known, "PYTHONPATH": os.pathsep.join(places)}


class Programs:
    """
    Keeps programs running, in a thread of its own.

    Args:
        logs: The folder of what they print.
    """

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._lock = threading.Lock()
        self._running: dict[str, Program] = {}
        self._down: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="init", daemon=True)

    def __getitem__(self, name: str) -> Program:
        return self._running[name]

    def of(self, host: Host) -> list[Program]:
        """
        Return the programs of a host.
        """
        with self._lock:
            return [one for one in self._running.values() if one.host == host]

    def restarts(self) -> Counter[str]:
        """
        Return how often each was started again.
        """
        with self._lock:
            found = {n: p.restarts for n, p in self._running.items() if p.restarts}
        return Counter(found)

    def start(
        self,
        name: str,
        host: Host,
        words: Sequence[str | Path],
        environ: Mapping[str, str] | None = None,
        uid: int = 0,
    ) -> None:
        """
        Start a program, and keep it running.
        """
        program = Program(
            name=name,
            host=host,
            command=host.within(words, uid),
            environ=environ,
            log=self._logs / f"{name}.log",
            process=None,  # type: ignore[arg-type]  # started at once
        )
        program.process = program.run()
        with self._lock:
            self._running[name] = program

    @contextmanager
    def down(self, host: Host) -> Iterator[None]:
        """
        Start nothing on a host until the block ends.
        """
        with self._lock:
            self._down.add(host.name)
        try:
            yield
        finally:
            with self._lock:
                self._down.discard(host.name)

    def freeze(self, host: Host) -> None:
        """
        Freeze a host.
        """
        host.freeze()

    def thaw(self, host: Host) -> None:
        """
        End ``freeze``, also of what waits for its programs out here.
        """
        host.thaw()
        for program in self.of(host):
            program.wake()

    def terminate(self, name: str, *, within_s: float) -> int:
        """
        Ask a program to end, for good; return its exit status.
        """
        with self._lock:
            program = self._running.pop(name)
        for first in psutil.Process(program.process.pid).children():
            first.terminate()
        return program.process.wait(timeout=within_s)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """
        Start again what ends, until the block ends.
        """
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()

    @contextmanager
    def ended(self) -> Iterator[None]:
        """
        After a block that ends all hosts, wait until nothing runs any more.
        """
        try:
            yield
        finally:
            for program in self._running.values():
                program.process.send_signal(signal.SIGCONT)
                program.process.wait()

    def _run(self) -> None:
        while not self._over.wait(LOOKS_EVERY_S):
            with self._lock:
                for program in self._running.values():
                    self._look(program)

    def _look(self, program: Program) -> None:
        if program.process.poll() is None:
            return
        now_s = time.monotonic()
        if program.ended_at_s is None:
            program.ended_at_s = now_s
        is_up = program.host.name not in self._down
        if is_up and now_s - program.ended_at_s >= AGAIN_AFTER_S:
            program.process = program.run()
            program.ended_at_s = None
            program.restarts += 1
