"""
The edge with all that belongs to it: its nginx, delivery, and who counts.
"""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil

from hvcore_edge.config import CONFIG_FILE
from tests.benchmarks.delivery.servers import (
    STARTS_WITHIN_S,
    Server,
    ended_later,
    running_delivery,
)
from tests.support.hv_processes import HV
from tests.support.live import free_ports, until
from tests.support.network.edge import running_nginx

EDGE: Final = "edge"
AUTO: Final = "worker_processes auto;"


@contextmanager
def running_edge(
    environ: Mapping[str, str], folder: Path, log: Path, *, workers: int = 1
) -> Iterator[Server]:
    """
    Run nginx as ``hv edge nginx`` sets it up, in front of ``hv delivery``.

    Args:
        folder: For configuration and script.
        workers: Of nginx, and of delivery.
    """
    port = free_ports()
    with running_delivery(environ, log, workers=workers) as behind:
        environ = {
            **environ,
            "HV_EDGE__LISTEN": f"127.0.0.1:{port}",
            "HV_EDGE__SERVICE": f"127.0.0.1:{behind.port}",
        }
        subprocess.run(
            [*HV, "edge", "nginx", "--out", str(folder)],
            env=environ,
            check=True,
            capture_output=True,
        )
        config = folder / CONFIG_FILE
        text = config.read_text()
        if AUTO not in text:
            raise SystemExit(f"{AUTO} does not stand in {config} any more.")
        # As many as of everything else that is measured.
        config.write_text(text.replace(AUTO, f"worker_processes {workers};"))
        state = Path(environ["HV_DATA"]) / "edge"
        with (
            running_nginx(config, port=port, folder=state) as nginx,
            _counting(environ, log, state) as counting,
        ):
            yield Server(
                name=EDGE,
                port=port,
                roots=[psutil.Process(nginx.process.pid)],
                beside=[*behind.roots, counting],
            )


@contextmanager
def _counting(
    environ: Mapping[str, str], log: Path, state: Path
) -> Iterator[psutil.Process]:
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*HV, "edge", "ingest"], env=environ, stdout=out, stderr=out
        )

    made = psutil.Process(process.pid)

    def reads() -> bool:
        return any(Path(file.path).parent == state for file in made.open_files())

    with ended_later(process):
        # What it costs to start is no cost of what is served.
        until(reads, within_s=STARTS_WITHIN_S, what="hv edge ingest")
        yield made
