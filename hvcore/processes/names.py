"""The names of processes in the database."""

import hashlib
import os
import socket
from pathlib import Path


def host_prefix(data_dir: Path) -> str:
    """Return the prefix of the names of all processes of this machine and folder."""
    digest = hashlib.sha256(str(data_dir.absolute()).encode()).hexdigest()[:8]
    return f"{socket.gethostname()}:{digest}:"


def process_name(data_dir: Path) -> str:
    """Return the name of this process."""
    return f"{host_prefix(data_dir)}{os.getpid()}"
