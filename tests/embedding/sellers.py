"""Programs that sell films until they are killed, and what is left of their orders."""

import os
import random
import signal
from collections.abc import Callable
from typing import Final

Sell = Callable[[int], None]
"""Sells without end; writes a byte to a pipe for each sold film."""

MOST_S: Final = 0.01
"""The time of a few orders: a kill comes at any moment of one."""


def kill_a_seller(sell: Sell, chance: random.Random) -> int:
    """
    Kill one after a few sales, at any moment; return how many it told of.
    """
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sell(told)
        finally:
            os._exit(1)
    os.close(told)
    with os.fdopen(heard, "rb", buffering=0) as pipe:
        sales = len(pipe.read(1))
        for _ in range(chance.randrange(3)):
            sales += len(pipe.read(1))
        signal.sigtimedwait([], chance.uniform(0, MOST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return sales + len(pipe.read())
