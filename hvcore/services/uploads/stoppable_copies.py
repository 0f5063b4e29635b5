"""Copy an object within the store, without having to wait for a slow copy to end."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Lock, Thread
from typing import Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectInfo

LOOKS_EVERY_S: Final = 0.5
MOST_LEFT: Final = 16
"""Copies of a process that may go on without anybody who waits; in a store that hangs, each attempt of a task leaves one."""

_left: Final[set[Thread]] = set()
_left_lock: Final = Lock()


@attrs.frozen(kw_only=True)
class StoppableCopy:
    """
    Run a copy in its own thread, which the caller can stop waiting for.

    Attributes:
        copy: Makes the copy; a store may take half an hour for it.
        undo: Removes the copy; called when the copy ends after the caller stopped waiting.
    """

    copy: Callable[[], ObjectInfo]
    undo: Callable[[], None]

    def run(self, check: Callable[[], None]) -> ObjectInfo:
        """
        Make the copy, wait for it, and return the copied object's info.

        Args:
            check: Called before the copy and twice a second; an exception that it raises ends
                the waiting.

        Raises:
            UnavailableError: The store hangs: too many copies that nobody waits for have not
                ended.
        """
        check()
        if _count_left() >= MOST_LEFT:
            raise UnavailableError(
                f"{MOST_LEFT} copies in the store have not ended; it seems to hang."
            )
        made, is_left = Future[ObjectInfo](), Event()

        def work() -> None:
            try:
                made.set_result(self.copy())
            except BaseException as error:  # noqa: BLE001 - raised by who waits
                made.set_exception(error)
            # Who left removes what is there by then; this is what came after.
            if is_left.is_set():
                self.undo()

        # A daemon: a process that is to end does not wait for a store that hangs.
        thread = Thread(target=work, name="copy", daemon=True)
        thread.start()
        try:
            while not made.done():
                check()
                wait((made,), timeout=LOOKS_EVERY_S)
        except BaseException:
            is_left.set()
            with _left_lock:
                _left.add(thread)
            raise
        return made.result()


def _count_left() -> int:
    """Return the number of running copies whose caller has given up waiting."""
    with _left_lock:
        _left.difference_update([one for one in _left if not one.is_alive()])
        return len(_left)
