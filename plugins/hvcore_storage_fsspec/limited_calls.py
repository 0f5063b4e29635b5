"""Set a time limit for calls of functions that have none of their own."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class TimeLimitedCalls:
    """
    Runs calls in threads, and abandons those that take too long; thread-safe.

    It uses no pool of the standard library, whose threads keep a process from ending.

    Args:
        most: The most calls at a time, abandoned ones included.
    """

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    def call(self, limit_s: float, function: Callable[[], T]) -> T:
        """
        Call a function within a time limit, and return its result or raise its error.

        Raises:
            TimeoutError: The call has not ended in time, or too many calls are in
                progress, or no thread could be started.
        """
        ends_at = time.monotonic() + limit_s
        if not self._places.acquire(timeout=limit_s):
            raise TimeoutError("too many calls are not answered")
        outcome: Future[T] = Future()

        def run() -> None:
            try:
                outcome.set_result(function())
            except BaseException as exc:  # noqa: BLE001 - raised to the caller
                outcome.set_exception(exc)
            finally:
                self._places.release()

        try:
            threading.Thread(target=run, name="limited-call", daemon=True).start()
        except RuntimeError as exc:
            self._places.release()
            raise TimeoutError("the machine has no thread for a call") from exc
        return outcome.result(timeout=max(ends_at - time.monotonic(), 0.0))
