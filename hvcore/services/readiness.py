"""Check within two seconds whether this process can serve requests now."""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from hvcore.errors import UnavailableError

WITHIN_S: Final = 1.5
"""The time for all checks: monitors are promised an answer within 2 s, whatever hangs."""
RETRY_AFTER_S: Final = 5
FAILURES: Final = 2
"""Failures in a row that count; with one, a hiccup of a shared component would take all hosts out of a load balancer."""

_log = logging.getLogger(__name__)


class _Question:
    """One question at a time to what may hang; whoever asks meanwhile waits for that one."""

    def __init__(self, ping: Callable[[], None]) -> None:
        self._ping = ping
        self._lock = threading.Lock()
        self._asked: _Asked | None = None
        self._logged = ""

    def ask(self, name: str) -> "_Asked":
        with self._lock:
            if self._asked is None or self._asked.is_over.is_set():
                self._asked = _Asked()
                # A daemon: one that hangs holds up no exit.
                thread = threading.Thread(
                    target=self._answer,
                    args=(self._asked, name),
                    name=name,
                    daemon=True,
                )
                try:
                    thread.start()
                except RuntimeError:
                    # Or this question would never be over, and no other one be asked.
                    self._asked.why_not = "The machine has no thread to ask it."
                    self._asked.is_over.set()
            return self._asked

    def _answer(self, asked: "_Asked", name: str) -> None:
        try:
            self._ping()
        except UnavailableError as error:
            asked.why_not = error.detail
        except Exception as error:  # noqa: BLE001 - of any backend; it cannot serve
            asked.why_not = f"It fails ({type(error).__name__})."
            # Callers see no more than the type. Logged once, and not for each of them.
            if repr(error) != self._logged:
                _log.exception("a component fails", extra={"hv_question": name})
            self._logged = repr(error)
        finally:
            asked.is_over.set()


@attrs.define(eq=False)
class _Asked:
    why_not: str = ""
    is_over: threading.Event = attrs.field(factory=threading.Event)


class _Failures:
    """A count of failures in a row; a service that was never there fails at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = FAILURES - 1
        self._noted_at_s = -math.inf

    def note(self, *, failed: bool, began_at_s: float) -> bool:
        """
        Note an answer; return whether it is one failure too many.

        Args:
            began_at_s: When it was asked for. Who asked before the last failure was
                noted has seen the same one.
        """
        with self._lock:
            if not failed:
                self._count = 0
            elif began_at_s >= self._noted_at_s:
                self._count += 1
                self._noted_at_s = time.monotonic()
            return self._count >= FAILURES


class Readiness:
    """
    Check the components that every request needs; thread-safe.

    Args:
        pings: A function for each component by name; it raises UnavailableError if the component does
            not answer, and may take as long as it likes.
        within_s: The time for all pings together, in seconds.
    """

    def __init__(
        self, pings: Mapping[str, Callable[[], None]], *, within_s: float = WITHIN_S
    ) -> None:
        self._questions = {name: _Question(ping) for name, ping in pings.items()}
        self._failures = {name: _Failures() for name in pings}
        self._within_s = within_s

    def check(self) -> None:
        """
        Return if every component answers; one failure of a component is forgiven.

        A component that has never answered is not forgiven.

        Raises:
            UnavailableError: A component has not answered twice in a row, or never; the
                text says which.
        """
        began_at_s = time.monotonic()
        until = began_at_s + self._within_s
        asked = {
            name: question.ask(f"ready-{name}")
            for name, question in self._questions.items()
        }
        for name, one in asked.items():
            left_s = max(until - time.monotonic(), 0.0)
            why_not = one.why_not if one.is_over.wait(left_s) else "It does not answer."
            failed = self._failures[name].note(
                failed=bool(why_not), began_at_s=began_at_s
            )
            if failed:
                raise UnavailableError(
                    f"This process cannot serve now: {name}: {why_not}",
                    retry_after_s=RETRY_AFTER_S,
                )
