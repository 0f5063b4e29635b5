"""Processor time and memory of the processes that make captions."""

import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import attrs
import psutil

from tests.support.live import LiveService, words_of

_LOOKS_EVERY_S: Final = 0.5
_OWN: Final = ("Private_Clean:", "Private_Dirty:")


def processor_s(service: LiveService) -> float:
    """Return the processor time of the encode workers of a service so far, with that of their ended children."""
    return sum(
        times.user + times.system + times.children_user + times.children_system
        for times in (worker.cpu_times() for worker in encode_workers(service))
    )


def encode_workers(service: LiveService) -> list[psutil.Process]:
    """Return the encode workers of a service, without their children."""
    root = psutil.Process(service.supervisor.pid)
    found = []
    for process in root.children():
        try:
            words = words_of(process)
        except psutil.Error:
            continue
        if {"worker", "encode"} <= set(words):
            found.append(process)
    return found


def listeners(service: LiveService) -> list[psutil.Process]:
    """Return the children of encode workers that transcribe: each has its parent's command line."""
    found = []
    for worker in encode_workers(service):
        try:
            command = worker.cmdline()
            found += [
                child for child in worker.children() if child.cmdline() == command
            ]
        except psutil.Error:
            continue
    return found


@attrs.define
class ListenerWatch:
    """
    Watches the transcribing children of a service until the block ends.

    Attributes:
        most_bytes: The most memory that one of them had beside what it shares with others.
        longest_s: The longest time for which one of them was seen.
    """

    service: LiveService
    most_bytes: int = 0
    longest_s: float = 0.0
    _ended: threading.Event = attrs.field(init=False, factory=threading.Event)
    _watch: threading.Thread = attrs.field(init=False)
    _first_seen_s: dict[int, float] = attrs.field(init=False, factory=dict)

    def __enter__(self) -> Self:
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._ended.wait(_LOOKS_EVERY_S):
            for child in listeners(self.service):
                self.most_bytes = max(self.most_bytes, _own_bytes(child.pid))
                began_s = self._first_seen_s.setdefault(child.pid, time.monotonic())
                self.longest_s = max(self.longest_s, time.monotonic() - began_s)


def _own_bytes(pid: int) -> int:
    try:
        parts = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in parts if line.startswith(_OWN))
