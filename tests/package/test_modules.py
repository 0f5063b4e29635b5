"""
Every module loads, under each Python of the tox matrix.

The runs under newer interpreters try a part of the tests, which loads a part of the modules.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.test_tree import ROOT, sources

# Only Alembic can load it, in the midst of a migration.
LOADED_BY_ALEMBIC = "hvcore.persistence.migrations.env"
LOAD_EACH = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException as fault:
        print(f"{name}: {fault!r}")
"""


def modules() -> list[str]:
    return sorted(
        name
        for name in sources()
        if not name.endswith("__main__") and name != LOADED_BY_ALEMBIC
    )


def test_every_module_loads_under_this_python(tmp_path: Path) -> None:
    # In a process of its own: what it loads would stay.
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", LOAD_EACH, *modules()],
        cwd=tmp_path,
        # Two distributions of contrib are not installed.
        env={**os.environ, "PYTHONPATH": str(ROOT / "contrib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
