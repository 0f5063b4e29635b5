"""Measure the cost of an attempt at a task: processor time, or the time of the worker."""

import resource
import time
from collections.abc import Callable

import attrs


def process_time_s() -> float:
    """
    Return the processor time, in seconds, of this thread and of all ended child processes.

    The time of other threads belongs to other tasks: they run outbound tasks, which start no
    children.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


@attrs.define(kw_only=True)
class Meter:
    """
    Measure the cost of an attempt at a task, in the thread that makes it.

    Attributes:
        processor_s: A function that returns the processor time used until now, in
            seconds.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    processor_s: Callable[[], float] = process_time_s
    elapsed_s: Callable[[], float] = time.monotonic
    _began: tuple[float, float] = attrs.field(init=False)

    @_began.default
    def _now(self) -> tuple[float, float]:
        return self.processor_s(), self.elapsed_s()

    def cost_s(self) -> float:
        """
        Return the cost of the attempt until now, in seconds.

        The cost is the processor time. If another machine does the work, or this one waits, it is
        the elapsed time for which the worker was held: the larger of both.
        """
        processor_s, elapsed_s = self._began
        return max(self.processor_s() - processor_s, self.elapsed_s() - elapsed_s)
