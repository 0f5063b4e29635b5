"""
Show a data folder's running workers by files in it, and tell workers by files to leave.

Signals would not do: containers that share a folder do not see each other's processes.
Each worker has a file and holds its lock, so a file without a lock belongs to a worker that
is gone. Another file beside it tells the worker to leave.
"""

import fcntl
import os
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore_worker.stopping import Stopping

LOOKS_EVERY_S: Final = 0.25
_FOLDER: Final = "run"
_PREFIX: Final = "worker-"
_PRESENT: Final = ".present"
_LEAVE: Final = ".leave"


@attrs.frozen
class PresentWorker:
    """
    A running worker, found by its file in the data folder.

    Attributes:
        name: The worker's host and process, as shown to operators.
        is_kept: Whether ``hv up`` starts the worker again when it ends.
    """

    name: str
    is_kept: bool
    _file: Path

    def tell_to_leave(self, *, hands_back_after_s: float) -> None:
        """
        Tell the worker to take no more tasks, and to end.

        Args:
            hands_back_after_s: The seconds for which it may go on with running tasks;
                then it hands them back.
        """
        asked = self._file.with_suffix(_LEAVE)
        made = asked.with_suffix(".new")
        made.write_text(str(hands_back_after_s))
        made.replace(asked)

    def is_here(self) -> bool:
        """Return whether the worker still runs."""
        return _is_locked(self._file)


def workers_here(data_dir: Path) -> Sequence[PresentWorker]:
    """
    Return the running workers of a data folder, and remove the files of workers that are gone.

    Raises:
        OSError: The folder cannot be read.
    """
    found = []
    for file in sorted((data_dir / _FOLDER).glob(f"{_PREFIX}*{_PRESENT}")):
        if _is_locked(file):
            name, _, kept = file.read_text().partition("\n")
            found.append(PresentWorker(name, kept.strip() == "kept", file))
        else:
            _remove(file)
    return found


@contextmanager
def present(
    data_dir: Path, stopping: Stopping, *, name: str, is_kept: bool
) -> Iterator[None]:
    """
    Within the ``with`` block, list this process among the workers of the data folder.

    If a file tells this worker to leave, ``stopping`` is told.

    Args:
        stopping: The object that is told to leave, and later to hand tasks back.
        name: The worker's host and process, as shown to operators.
        is_kept: Whether ``hv up`` starts the worker again when it ends.
    """
    folder = data_dir / _FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{_PREFIX}{uuid.uuid4().hex}{_PRESENT}"
    over = threading.Event()
    # Locked before anybody sees it: one without a lock is removed.
    unseen = file.with_suffix(".starting")
    with unseen.open("w") as own:
        fcntl.flock(own, fcntl.LOCK_EX)
        own.write(f"{name}\n{'kept' if is_kept else ''}")
        own.flush()
        unseen.rename(file)
        looking = threading.Thread(
            target=_look, args=(file, stopping, over), name="presence", daemon=True
        )
        looking.start()
        try:
            yield
        finally:
            over.set()
            looking.join()
            _remove(file)


def _look(file: Path, stopping: Stopping, over: threading.Event) -> None:
    asked = file.with_suffix(_LEAVE)
    while not over.wait(LOOKS_EVERY_S):
        try:
            wait_s = float(asked.read_text())
        except (OSError, ValueError):
            continue
        stopping.leave()
        if not over.wait(max(wait_s, 0.0)):
            stopping.hand_back()
        return


def _is_locked(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _remove(file: Path) -> None:
    for one in (file, file.with_suffix(_LEAVE)):
        one.unlink(missing_ok=True)
