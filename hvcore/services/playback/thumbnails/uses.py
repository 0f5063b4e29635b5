"""
Remember the thumbnail sizes that were requested, so that wanted sizes stay stored.

One client that asks for many sizes once each displaces no other client's size: sizes that
two clients want are removed last.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

import attrs

from hvcore.ports.storage import ObjectInfo

MAX_REMEMBERED: Final = 4096
"""Thumbnail sizes of all videos that are remembered, about 1 MB."""


@attrs.define
class _Use:
    """
    The use of a thumbnail size, as this process saw it.

    Attributes:
        client: The first client; forgotten together with the size.
    """

    client: int
    is_shared: bool
    at_s: float


class ThumbnailUses:
    """Remember the last requests for thumbnail sizes, of all videos; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._uses: OrderedDict[str, _Use] = OrderedDict()

    def note(self, path: str, client: str) -> None:
        """Record that a client requested the thumbnail at a storage path."""
        who = hash(client)
        with self._lock:
            use = self._uses.pop(path, None) or _Use(
                client=who, is_shared=False, at_s=0
            )
            use.is_shared |= use.client != who
            use.at_s = time.monotonic()
            self._uses[path] = use
            if len(self._uses) > MAX_REMEMBERED:
                self._uses.popitem(last=False)

    def least_used(self, paths: Iterable[ObjectInfo], count: int) -> list[str]:
        """Return the paths of the ``count`` stored thumbnails that were requested least."""
        with self._lock:
            return [info.path for info in sorted(paths, key=self._rank)[:count]]

    def _rank(self, info: ObjectInfo) -> tuple[bool, float, float]:
        use = self._uses.get(info.path)
        age = info.modified_at.timestamp()
        # What this process was never asked for goes first, the oldest first.
        return (use.is_shared, use.at_s, age) if use else (False, float("-inf"), age)
