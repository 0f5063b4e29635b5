"""Try now and then whether the disks of this host are full, for all of its processes."""

import fcntl
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeGuard

import attrs

from hvcore.errors import NoRoomError, UnavailableError

TRIED_EVERY_S: Final = 30.0
"""How long the result of a trial is given to all who ask."""
_TRIAL_BYTES: Final = 1024
"""Written over in place, which needs no room."""


@attrs.frozen(kw_only=True)
class RoomTrial:
    """
    The result of trying whether this host has room to write.

    Attributes:
        tried_at_s: The time of the trial, by the machine's clock that only goes forward.
        why_not: The reason why the host has no room; empty if it has room.
    """

    tried_at_s: float
    why_not: str


@attrs.define(kw_only=True)
class RoomToWrite:
    """
    Try whether this host has room to write, at most twice a minute; thread-safe.

    Attributes:
        trials: Functions that each try one disk or database, and raise NoRoomError if
            it is full.
        note: The file in which the processes of this host share the last result.
    """

    trials: Sequence[Callable[[], None]]
    note: Path
    elapsed_s: Callable[[], float] = time.monotonic
    _own: RoomTrial | None = None

    def check(self) -> None:
        """
        Check that this host has room to write, by a trial that is at most a minute old.

        Raises:
            NoRoomError: There is no room; the text says where.
        """
        found = self._own
        if not self._is_fresh(found):
            found = self._shared()
        if found.why_not:
            raise NoRoomError(found.why_not)

    def _shared(self) -> RoomTrial:
        try:
            descriptor = os.open(
                self.note, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
        except OSError:
            # A file needs room, too.
            return self._tried()
        try:
            found = _read(descriptor)
            if self._is_fresh(found):
                return found
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                # Another process is trying, or was frozen while it did.
                return found if self._is_fresh(found, 2) else self._tried()
            found = self._tried()
            with suppress(OSError):
                _write(descriptor, found)
            return found
        finally:
            os.close(descriptor)

    def _tried(self) -> RoomTrial:
        self._own = RoomTrial(tried_at_s=self.elapsed_s(), why_not=self._why_not())
        return self._own

    def _why_not(self) -> str:
        for trial in self.trials:
            try:
                trial()
            except NoRoomError as error:
                return error.detail
            except UnavailableError:
                # Of another kind; another check says so.
                continue
        return ""

    def _is_fresh(self, note: RoomTrial | None, times: int = 1) -> TypeGuard[RoomTrial]:
        # Of a time before the last start of the machine, it is ahead of now.
        return note is not None and (
            0 <= self.elapsed_s() - note.tried_at_s < TRIED_EVERY_S * times
        )


def _read(descriptor: int) -> RoomTrial | None:
    try:
        return RoomTrial(**json.loads(os.pread(descriptor, _TRIAL_BYTES, 0)))
    except (OSError, ValueError, TypeError):
        # New, or of a process that was killed.
        return None


def _write(descriptor: int, note: RoomTrial) -> None:
    text = json.dumps(attrs.asdict(note)).encode()
    os.pwrite(descriptor, text.ljust(_TRIAL_BYTES)[:_TRIAL_BYTES], 0)
