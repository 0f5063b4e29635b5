"""Make the names of processes that the database records."""

import hashlib
import os
import socket
from pathlib import Path


def host_prefix(data_dir: Path) -> str:
    """Return the prefix that the names of all processes of this machine and data folder have in the database."""
    digest = hashlib.sha256(str(data_dir.absolute()).encode()).hexdigest()[:8]
    return f"{socket.gethostname()}:{digest}:"


def process_name(data_dir: Path) -> str:
    """Return the name of the calling process in the database: machine, data folder and process id."""
    return f"{host_prefix(data_dir)}{os.getpid()}"
