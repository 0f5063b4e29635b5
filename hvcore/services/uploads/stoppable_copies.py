"""A copy within the store that need not be waited for to its end."""

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
    Copies in a thread of its own, which a stop leaves behind.

    Attributes:
        copy: Makes the copy; a store may take half an hour for it.
        undo: Removes it; called if it was made although nobody waited any more.
    """

    copy: Callable[[], ObjectInfo]
    undo: Callable[[], None]

    def run(self, check: Callable[[], None]) -> ObjectInfo:
        """
        Return the copy once it is made.

        Args:
            check: Called before it and twice a second; what it raises passes.
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
