"""
Python programs that tests use and that are no library of ours: installed once on a
machine, in an environment of their own.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

from tests.support.npm_packages import CACHE


def python_programs(*packages: str) -> Path:
    """
    Return the folder of an environment with these packages, such as ``name==1.2.3``.

    Nobody may write into it.
    """
    name = hashlib.sha256(" ".join((sys.version, *packages)).encode()).hexdigest()[:12]
    folder = CACHE / f"python-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    # Several processes of tests begin at once.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            python = str(folder / "bin" / "python")
            environ = dict(os.environ)
            # Of tox, for what we install of our own.
            environ.pop("UV_CONSTRAINT", None)
            for command in (
                ["venv", "--python", sys.executable, "--allow-existing", str(folder)],
                ["pip", "install", "--python", python, *packages],
            ):
                subprocess.run(
                    [find_uv_bin(), "--quiet", *command],
                    env=environ,
                    check=True,
                    capture_output=True,
                    timeout=600,
                )
            (folder / "done").touch()
    return folder
