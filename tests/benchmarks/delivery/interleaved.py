"""
Processor time per request of several servers, compared within one time.

A machine that others use is a tenth faster in one moment than in the next, which
hides a difference of that size between loads of seconds. Here every server has
its load from the beginning to the end, and of these loads all but one stand still:
they go on by turns of a twentieth of a second, so that what changes, changes for
all. Two servers that are alike differ by some 2 % in 20 s at 300 kB, and by up to 6 at
4 MB; by twice as much while more processes want the machine than it has cores.

Rates and latencies are not told by it, and neither is what goes by the clock: in a
third of the time a server gets a third of the requests, but renews what it keeps
as often as ever.
"""

import random
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from tests.benchmarks.delivery.data import Case
from tests.benchmarks.delivery.load import answered, wrk
from tests.benchmarks.delivery.servers import Server

TURN_S: Final = 0.05
"""The shorter, the less they differ by chance. Of several servers each has its turn
before the edge's authorizations, renewed after 0.7 s, are too old after 0.9: to fetch them
one by one is no part of what goes on."""
SPARE_S: Final = 60
"""No load ends by itself while it is needed."""


def interleaved_us(
    servers: Sequence[Server], case: Case, *, seconds: float
) -> list[float]:
    """
    Return what a request costs the processes of each server that answer.

    Args:
        seconds: For which each of them has a load; some were asked before, as
            for ``compare``.
    """
    total_s = seconds * len(servers)
    with ExitStack() as stack:
        loads = [
            stack.enter_context(_standing(server, case, seconds=total_s + SPARE_S))
            for server in servers
        ]
        before_s = [server.answering_s() for server in servers]
        _take_turns(loads, seconds=total_s)
        counts = [
            _end(server, load) for server, load in zip(servers, loads, strict=True)
        ]
    return [
        (server.answering_s() - began_s) / count * 1e6
        for server, began_s, count in zip(servers, before_s, counts, strict=True)
    ]


def _take_turns(loads: Sequence["subprocess.Popen[str]"], *, seconds: float) -> None:
    chance, order = random.Random(4), list(loads)  # noqa: S311 - an order of turns
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        # Who comes after whom makes no difference, since that changes.
        chance.shuffle(order)
        for load in order:
            load.send_signal(signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                load.wait(timeout=TURN_S)
                raise SystemExit(f"wrk ended too soon, with status {load.returncode}")
            load.send_signal(signal.SIGSTOP)


def _end(server: Server, load: "subprocess.Popen[str]") -> int:
    load.send_signal(signal.SIGCONT)
    # Not before all of its threads go on, or another than the one that sleeps gets it.
    time.sleep(TURN_S)
    # It ends as if its time were over.
    load.send_signal(signal.SIGINT)
    return answered(server, load)


@contextmanager
def _standing(
    server: Server, case: Case, *, seconds: float
) -> Iterator["subprocess.Popen[str]"]:
    paths = case.plain if server.serves_plain else case.ours
    process = subprocess.Popen(
        wrk(server, paths, seconds=seconds), stdout=subprocess.PIPE, text=True
    )
    process.send_signal(signal.SIGSTOP)
    with process:
        try:
            yield process
        finally:
            # What stands still obeys nothing else.
            process.kill()
