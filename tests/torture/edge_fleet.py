"""
An edge whose processes are killed: nginx's workers, and what reads their counts.

nginx itself starts other workers; ``hv edge ingest`` is started again as an init would.
"""

import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs
import psutil

from hvcore_edge.tallies import tally_files
from tests.support.hv_processes import HV
from tests.support.live import until
from tests.support.network.edge import RunningEdge, running_edge

WORKERS_WITHIN_S: Final = 10
READ_WITHIN_S: Final = 120
MANY_CONNECTIONS: Final = "60000"
"""With a limit of 24, some answers were 503 once workers had been killed; never else."""


@attrs.define(kw_only=True)
class EdgeFleet:
    """
    A running nginx and a running ``hv edge ingest``.

    Attributes:
        reached: The folder in which points of failure leave their marks.
        dealt: What was done to it, by kind.
    """

    edge: RunningEdge
    environ: Mapping[str, str] = attrs.field(repr=False)
    log: Path
    reached: Path
    dealt: Counter[str] = attrs.field(factory=Counter)
    ends: list[int] = attrs.field(factory=list)
    _ingest: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        """
        Where nginx serves.
        """
        return self.edge.port

    def tend(self) -> None:
        """
        Start what reads the counts, if it is not there.
        """
        if self._ingest is not None and self._ingest.poll() is not None:
            self.ends.append(self._ingest.returncode)
            self._ingest = None
        if self._ingest is None:
            with self.log.open("ab") as out:
                self._ingest = subprocess.Popen(
                    [*HV, "edge", "ingest"],
                    env=dict(self.environ),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                )

    def kill_a_worker(self, chance: random.Random) -> None:
        """
        Kill one of nginx's workers.
        """
        until(self.edge.workers, within_s=WORKERS_WITHIN_S, what="a worker of nginx")
        with suppress(psutil.NoSuchProcess, IndexError):
            workers = sorted(self.edge.workers(), key=lambda one: one.pid)
            chance.choice(workers).kill()
            self.dealt["worker of nginx"] += 1

    def kill_ingest(self, _chance: random.Random) -> None:
        """
        Kill what reads the counts.
        """
        if self._ingest is not None and self._ingest.poll() is None:
            self._ingest.kill()
            self.dealt["ingest"] += 1

    def reload(self, _chance: random.Random) -> None:
        """
        Have other workers take over gracefully.
        """
        self.edge.reload()
        self.dealt["reload"] += 1

    def end_ingest(self) -> None:
        """
        Kill what reads the counts, for good.
        """
        if self._ingest is not None:
            self._ingest.kill()
            self.ends.append(self._ingest.wait())
            self._ingest = None

    def read_the_rest(self) -> None:
        """
        Read what is left once nginx has ended.
        """
        words, status = [*HV, "edge", "ingest", "--once"], -signal.SIGKILL
        while status == -signal.SIGKILL:
            # At points of failure it dies so many times and no more.
            status = subprocess.run(
                words, env=dict(self.environ), check=False, timeout=READ_WITHIN_S
            ).returncode
        assert status == 0
        assert tally_files(self.edge.folder) == []
        assert set(self.ends) == {-signal.SIGKILL}, self.log.read_text()[-2000:]


@contextmanager
def edge_fleet(
    folder: Path, environ: Mapping[str, str], *, service_port: int, points: str
) -> Iterator[EdgeFleet]:
    """
    Run an edge until the block ends.

    Args:
        points: What HV_FAILPOINTS shall be for ``hv edge ingest``.
    """
    reached = folder / "reached-by-ingest"
    reached.mkdir()
    own = {"HV_FAILPOINTS": points, "HV_FAILPOINTS_DIR": str(reached)}
    with running_edge(
        environ,
        folder / "out",
        service=f"127.0.0.1:{service_port}",
        HV_EDGE__CONNECTIONS_PER_CLIENT=MANY_CONNECTIONS,
    ) as edge:
        fleet = EdgeFleet(
            edge=edge,
            environ={**environ, **own},
            log=folder / "ingest.log",
            reached=reached,
        )
        try:
            yield fleet
        finally:
            fleet.end_ingest()
