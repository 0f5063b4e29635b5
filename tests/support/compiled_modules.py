"""
Compiled modules of the tests' own Python, for environments that tests make.

A new environment has the same files, and compiles a thousand of them at its first start:
in each process that is started meanwhile, which takes longer than what is tried there.
"""

import os
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Final

OWN: Final = Path(sysconfig.get_path("purelib"))
COMPILED: Final = "__pycache__"


def share_compiled(environment: Path) -> None:
    """
    Link the compiled modules of the tests' own Python into a virtual environment of it.

    Python believes none of them whose source has another time or size, and replaces it.
    """
    packages = environment / OWN.relative_to(OWN.parents[2])
    for name, folders, files in os.walk(OWN):
        there = packages / Path(name).relative_to(OWN)
        if not there.parent.is_dir() or not (there.is_dir() or there.name == COMPILED):
            folders.clear()
        elif there.name == COMPILED:
            there.mkdir(exist_ok=True)
            for file in files:
                with suppress(FileExistsError):
                    os.link(Path(name, file), there / file)
