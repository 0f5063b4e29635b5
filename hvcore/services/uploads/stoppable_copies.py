"""Copy an object within the store, without having to wait for a slow copy to end."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Thread
from typing import Final

import attrs

from hvcore.ports.storage import ObjectInfo

LOOKS_EVERY_S: Final = 0.5


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
        """
        check()
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
        Thread(target=work, name="copy", daemon=True).start()
        try:
            while not made.done():
                check()
                wait((made,), timeout=LOOKS_EVERY_S)
        except BaseException:
            is_left.set()
            raise
        return made.result()
