"""
How much memory the API's processes take while something is sent to them.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Final

import attrs
import psutil

from tests.support.live import LiveService, words_of

LOOKS_EVERY_S: Final = 0.02
DRAWS: Final = "hvcore.pictures.drawing"


@attrs.define
class Memory:
    """
    What a process takes, and what it takes at most while a block runs.

    Attributes:
        children_bytes: What its children take at most, together.
    """

    process: psutil.Process
    before_bytes: int = 0
    most_bytes: int = 0
    children_bytes: int = 0

    def now_bytes(self) -> int:
        """
        Return what the process takes now.
        """
        return int(self.process.memory_info().rss)

    @property
    def more_bytes(self) -> int:
        """
        How much more it took at most.
        """
        return self.most_bytes - self.before_bytes

    @contextmanager
    def watched(self) -> Iterator[None]:
        """
        Look until the block ends.
        """
        self.before_bytes = self.most_bytes = self.now_bytes()
        self.children_bytes = 0
        over = threading.Event()

        def look() -> None:
            while not over.wait(LOOKS_EVERY_S):
                self.most_bytes = max(self.most_bytes, self.now_bytes())
                children = sum(
                    _rss_bytes(one) for one in self.process.children(recursive=True)
                )
                self.children_bytes = max(self.children_bytes, children)

        with ThreadPoolExecutor(1) as pool:
            looking = pool.submit(look)
            try:
                yield
            finally:
                over.set()
            looking.result()


def api_process(service: LiveService) -> psutil.Process:
    """
    Return the process that answers for the API.
    """
    for root in psutil.Process(service.supervisor.pid).children():
        if "api" in words_of(root):
            workers = [one for one in root.children() if DRAWS not in words_of(one)]
            return workers[0]
    raise AssertionError("there is no process of the API")


def _rss_bytes(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(process.memory_info().rss)
    return 0
