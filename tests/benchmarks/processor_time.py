"""
Processor time of processes and all that they have started.
"""

from collections.abc import Iterable

import psutil


def cpu_s(processes: Iterable[psutil.Process]) -> float:
    """
    Return their user and system time so far, and that of their ended children.
    """
    total_s = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            # It ended this moment: its parent has its time, or soon will.
            continue
        total_s += times.user + times.system
        total_s += times.children_user + times.children_system
    return total_s
