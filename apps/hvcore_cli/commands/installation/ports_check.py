"""The check of ``hv doctor`` for the ports of ``hv up``."""

import socket
from collections.abc import Sequence

from hvcore.domain.health_findings import WARNING, HealthFinding, healthy
from hvcore_cli.data_folder import DataFolder


def ports(folder: DataFolder, port: int) -> Sequence[HealthFinding]:
    """Check that the two ports of ``hv up`` are free, or used by an ``hv up`` on this data folder."""
    if folder.is_in_use():
        return [healthy("ports", "the service runs")]
    taken = []
    for wanted in (port, port + 1):
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind(("127.0.0.1", wanted))
            except OSError:
                taken.append(str(wanted))
    if taken:
        fix = "Stop what has them, or choose others with hv up --port."
        found = f"taken: {', '.join(taken)}"
        return [HealthFinding(state=WARNING, check="ports", found=found, fix=fix)]
    return [healthy("ports", f"{port} and {port + 1} are free")]
