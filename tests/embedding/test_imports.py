"""An import of hvcore in a host program: what it loads, and what it leaves alone."""

import subprocess
import sys
from typing import Final

CHANGED: Final = """
import logging, pkgutil, sys, importlib
changed = []

def noting(name):
    method = getattr(logging.Logger, name)

    def note(logger, *values):
        caller = sys._getframe(1).f_globals["__name__"]
        ours = ("hvcore", "hv_")
        if caller.startswith(ours) and not logger.name.startswith(ours):
            changed.append(f"{caller} calls {name} of {logger.name}")
        return method(logger, *values)

    setattr(logging.Logger, name, note)

for name in ("setLevel", "addHandler", "addFilter"):
    noting(name)
for package in sys.argv[1:]:
    paths = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(paths, package + "."):
        if ".testing" not in found.name and ".migrations" not in found.name:
            importlib.import_module(found.name)
print(*changed, sep="\\n", end="")
"""
IMPORTED: Final = """
import sys, hvcore.embedding
heavy = ("sqlalchemy", "jwt", "urllib3", "cryptography", "hvcore.assembly")
print(*[name for name in heavy if name in sys.modules], end="")
"""


def printed(program: str, *args: str) -> str:
    command = [sys.executable, "-c", program, *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_an_import_changes_no_logger_of_others() -> None:
    assert printed(CHANGED, "hvcore", "hvcore_storage_obstore") == ""


def test_an_import_of_the_embedding_loads_no_service_and_no_database_driver() -> None:
    assert printed(IMPORTED) == ""
