"""
What tests use of npm: installed once on a machine, for all processes of tests.
"""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

CACHE: Final = Path.home() / ".cache" / "hv-tests"


def npm_packages(*packages: str) -> Path:
    """
    Return a ``node_modules`` folder with these packages, such as ``name@1.2.3``.

    Nobody may write into it.
    """
    npm = shutil.which("npm")
    assert npm, "npm is needed to install what is tested with"
    name = packages[0].replace("/", "-")
    if len(packages) > 1:
        name += "-" + hashlib.sha256(" ".join(packages).encode()).hexdigest()[:8]
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    # Several processes of tests begin at once.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(
                [*command, "--prefix", str(folder), *packages],
                check=True,
                capture_output=True,
                timeout=300,
            )
            (folder / "done").touch()
    return folder / "node_modules"
