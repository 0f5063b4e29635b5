"""
Read the changes file, by which the processes of a machine notice that cached answers may be stale.

The file has eight bytes, which every process of this machine overwrites before it answers
that something may no longer be served (:mod:`hvcore.services.playback.changes`). One system
call shows whether cached answers may be stale. An edge's script reads it in
the same way (``hv_edge_changes.lua``).
"""

import logging
import os
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

_log = logging.getLogger(__name__)

CHANGES_FILE: Final = "changes"
"""In the folder of the edge."""
CHANGES_BYTES: Final = 8
REOPENED_EVERY_S: Final = 0.5
"""One that was replaced would never change again."""
CACHE_TTL_S: Final = 0.9
"""
How long an answer may be cached, also by an edge, counted from before the
question. So deletes by other machines are obeyed within a second.
"""
RENEWED_AFTER_S: Final = 0.7
"""From then on it is asked for again, while the cached answer is still used."""
_READ: Final = os.O_RDONLY | os.O_CLOEXEC
_REPLACE: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class ChangesFile:
    """
    The changes file of a machine: its content differs after each change of what may be served, such as a deletion; thread-safe.

    The first call of ``latest`` makes the file if there is none. A process that runs
    as root gives it to the owner of its folder, because another user may have
    to write to it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Always the same number, so that no thread reads from one that another
        # has closed. Nothing can be read from it until it is the file's.
        self._descriptor = os.open(os.devnull, _READ)
        weakref.finalize(self, os.close, self._descriptor)
        self._reopens_at_s = 0.0
        self._is_there = True

    def latest(self) -> bytes | None:
        """
        Return the content of the changes file, which differs after every change of what may be served.

        None if it cannot be read; then no earlier answer may be used.
        """
        now_s = time.monotonic()
        if now_s >= self._reopens_at_s:
            self._reopens_at_s = now_s + REOPENED_EVERY_S
            self._reopen()
        with suppress(OSError):
            found = os.pread(self._descriptor, CHANGES_BYTES, 0)
            if len(found) == CHANGES_BYTES:
                return found
        return None

    def _reopen(self) -> None:
        try:
            opened = self._open()
        except OSError as exc:
            if self._is_there:
                _log.error(
                    "changes on this machine cannot be seen: every segment costs a"
                    " query; let the service write this file",
                    extra={"hv_file": str(self._path), "hv_error": str(exc)},
                )
            self._is_there = False
            opened = os.open(os.devnull, _READ)
        else:
            self._is_there = True
        os.dup2(opened, self._descriptor, inheritable=False)
        os.close(opened)

    def _open(self) -> int:
        with suppress(FileNotFoundError):
            opened = os.open(self._path, _READ)
            if os.fstat(opened).st_size >= CHANGES_BYTES:
                return opened
            # The process that made it was killed before it was filled.
            os.close(opened)
        if not self._path.parent.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _give(self._path.parent)
        made = os.open(self._path, _REPLACE, 0o644)
        try:
            # Twice is as good as once: whoever looks finds that it has changed.
            os.pwrite(made, os.urandom(CHANGES_BYTES), 0)
            _give(self._path)
        except OSError:
            os.close(made)
            raise
        return made


def _give(path: Path) -> None:
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
