"""
What the type checker says of a survivor: a usual run checks types, too, and is red with it.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.mutation.faults import Fault

OF_THE_FORM: Final = frozenset({"unreachable", "redundant-expr", "truthy-bool"})
"""Errors about how the fault is written (``if False``): who forgets a check leaves no such line."""
ERROR: Final = re.compile(
    r"^(?P<place>\S+:\d+): error: (?P<says>.*)  \[(?P<code>[a-z-]+)\]$"
)


def first_type_error(fault: Fault, root: Path) -> str | None:
    """
    Check the types of the fault's file, with the fault, and take the fault out again.

    The first check reads what the file imports; later ones read again what has changed.

    Args:
        root: A copy of the tree without a fault, whose settings of mypy are followed.

    Returns:
        The first error as mypy words it, or None if the types are right.
    """
    path = root / fault.file
    sound = path.read_bytes()
    path.write_bytes(fault.plant(sound))
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "mypy", "--no-error-summary", fault.file],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_bytes(sound)
    if ran.returncode not in {0, 1}:
        raise ValueError(f"mypy does not answer: {ran.stdout}{ran.stderr}")
    return next(errors_of(ran.stdout), None)


def errors_of(output: str) -> Iterator[str]:
    """Yield the errors in an output of mypy, without those of a fault's form."""
    for line in output.splitlines():
        found = ERROR.match(line)
        if found and found["code"] not in OF_THE_FORM:
            yield f"{found['place']}: {found['says']}"
