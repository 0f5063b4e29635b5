"""Copies of the tree, and environments in which nothing but one distribution is installed."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
UV: Final = (sys.executable, "-m", "uv", "-q")


def copied_tree(target: Path) -> Path:
    """Copy the files that git knows or would add, and the ones that npm has brought."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    vendored = [path.relative_to(ROOT) for path in ROOT.glob("apps/*/static/vendor/*")]
    for name in [*listed.stdout.splitlines(), *map(str, vendored)]:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    return target


def empty_environment(folder: Path) -> Path:
    """Make a virtual environment without packages, and return its Python."""
    subprocess.run([*UV, "venv", folder, "-p", sys.executable], check=True)
    return folder / "bin" / "python"


def install(python: Path, *wanted: str) -> None:
    """Install packages at the versions of constraints.txt."""
    constraints = ("-c", ROOT / "constraints.txt")
    command = [*UV, "pip", "install", "-p", python, *constraints, *wanted]
    subprocess.run(command, check=True)
