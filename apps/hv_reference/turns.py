"""
Let a few requests of a process compute at a time; the others wait their turn.

Python runs one thread at a time. When many want to, each call to the database
or a socket hands the interpreter to another one, and back after a switch of
threads: with 16 busy threads a list of videos cost 2.4 ms of processor time,
with 4 of them 1.3 ms (docs/decisions/0014).
"""

from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, Final

App = Callable[..., Iterable[bytes]]

AT_A_TIME: Final = 1
"""One computes, others wait for the database or the limiter meanwhile."""
PATIENCE_S: Final = 0.05
"""Then a request goes on without a turn: those that have one may be stuck."""


def in_turns(
    app: App, *, at_a_time: int = AT_A_TIME, patience_s: float = PATIENCE_S
) -> App:
    """
    Give each request a turn, if it can be had soon.

    For apps whose answers are bytes and not streams: what is read from the
    answer later happens outside of the turn.
    """
    turns: SimpleQueue[None] = SimpleQueue()
    for _ in range(at_a_time):
        turns.put(None)

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        try:
            turns.get(timeout=patience_s)
        except Empty:
            return app(environ, start_response)
        try:
            return app(environ, start_response)
        finally:
            turns.put(None)

    return answer
