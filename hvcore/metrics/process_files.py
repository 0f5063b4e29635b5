"""
Keep the metrics of a machine in files, one of each kind for each process.

The files are the Prometheus client library's ("multiprocess mode"), and mapped into memory:
the counts survive the process, even if it is killed.
"""

import os
from pathlib import Path
from typing import Final

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FIRST_BYTES: Final = 1 << 16
"""As the library has it; twice as much whenever that is full."""
MOST_ENDED: Final = 64
"""Files of processes that have ended, before they become one of each kind."""
_ENTRY_BYTES: Final = 64
"""What an entry takes beside its key, and a little more."""
_ENDED: Final = "ended"


class AllocatedDict(MmapedDict):
    """
    The values of a metrics file, for which disk space is allocated before they are written.

    The library's own files have holes: a write into a hole while the disk is full kills the
    process (SIGBUS).
    """

    def __init__(self, filename: str, read_mode: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's
        if not read_mode:
            _allocate(filename)
        super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        needed = self._used + len(key.encode()) + _ENTRY_BYTES
        capacity = self._capacity
        while needed > capacity:
            capacity *= 2
        if capacity > self._capacity:
            os.posix_fallocate(self._f.fileno(), 0, capacity)
        super()._init_value(key)  # type: ignore[no-untyped-call]


def use_files() -> None:
    """Have the Prometheus client library keep the metrics of this process in files."""
    # Explicitly: something else may have loaded it before the folder was known.
    values.MmapedDict = AllocatedDict  # type: ignore[attr-defined]
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]


def join_ended(folder: Path, *, most: int = MOST_ENDED) -> None:
    """
    Join the metrics files of ended processes into one file of each kind, once there are more than ``most`` files.

    The sums over all files stay the same: Prometheus takes a counter that falls for a restart.
    """
    ended = [path for path in sorted(folder.glob("*.db")) if _has_ended(path)]
    if len(ended) <= most:
        return
    for path in ended:
        kind = path.stem.rpartition("_")[0]
        total = AllocatedDict(str(path.with_name(f"{kind}_{_ENDED}.db")))
        for key, value, _, _ in MmapedDict.read_all_values_from_file(path):  # type: ignore[no-untyped-call]
            before, _ = total.read_value(key)  # type: ignore[no-untyped-call]
            total.write_value(key, before + value, 0.0)  # type: ignore[no-untyped-call]
        total.close()  # type: ignore[no-untyped-call]
        path.unlink(missing_ok=True)


def _has_ended(path: Path) -> bool:
    number = path.stem.rpartition("_")[2]
    if not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        # Somebody else's now, or in any case running.
        return False
    return False


def _allocate(filename: str) -> None:
    path = Path(filename)
    with path.open("ab") as file:
        path.chmod(0o600)
        if file.tell() >= FIRST_BYTES:
            return
        try:
            os.posix_fallocate(file.fileno(), 0, FIRST_BYTES)
        except OSError:
            # One of half the size would be believed to be whole.
            path.unlink(missing_ok=True)
            raise
