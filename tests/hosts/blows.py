"""
What befalls a host: it is killed, frozen, cut off, or its disk is full.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

import psutil

from tests.hosts.network import Host
from tests.hosts.programs import Program, Programs


class Blow(Enum):
    """
    What befalls a host.
    """

    KILLED = "killed"
    FROZEN = "frozen"
    CUT_OFF = "cut off"
    FULL = "full"

    @property
    def is_silent(self) -> bool:
        """
        Return whether nothing is refused: packets are lost, or taken and not answered.
        """
        return self in {Blow.FROZEN, Blow.CUT_OFF}


@contextmanager
def struck(programs: Programs, host: Host, blow: Blow) -> Iterator[None]:
    """
    Have a blow last until the block ends.
    """
    if blow is Blow.KILLED:
        with programs.down(host):
            host.kill()
            yield
    elif blow is Blow.FROZEN:
        programs.freeze(host)
        try:
            yield
        finally:
            programs.thaw(host)
    elif blow is Blow.CUT_OFF:
        host.cut_off()
        try:
            yield
        finally:
            host.join()
    else:
        host.fill()
        try:
            yield
        finally:
            host.empty()


@contextmanager
def stopped(program: Program, process: psutil.Process) -> Iterator[None]:
    """Have one process of a host stand still until the block ends."""
    process.suspend()
    try:
        yield
    finally:
        process.resume()
        program.wake()


@contextmanager
def apart(host: Host, other: Host) -> Iterator[None]:
    """
    Lose what goes from one host to another, and nothing else, until the block ends.
    """
    host.lose(other)
    try:
        yield
    finally:
        host.find(other)
