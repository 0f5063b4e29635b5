"""The minimum pace that a sender of an upload must keep, in bytes per second."""

from collections import deque
from collections.abc import Callable
from typing import Final

from hvcore_upload.bodies import CutOffError

GRACE_S: Final = 60.0
MIN_BYTES_PER_S: Final = 8 * 1024
"""The slowest pace of a sender: a sender that stays below it after GRACE_S is ended, because it
keeps others out."""
WINDOW_S: Final = 60.0
MIN_BYTES_PER_S_WHILE_SCARCE: Final = 128 * 1024
"""The slowest pace of a sender in a window while others wait; 5 GiB take 11 hours at this
pace."""
STALLED_S: Final = 10.0
"""The seconds below MIN_BYTES_PER_S after which a sender counts as standing still, while others
wait."""


class SenderPace:
    """
    Checks that the sender of an upload sends fast enough for the slot and disk space it holds.

    Args:
        started_s: The time at which the upload began, on a clock that only goes forward.
        is_scarce: Returns whether other uploads wait for a slot or for disk space.
    """

    def __init__(self, started_s: float, *, is_scarce: Callable[[], bool]) -> None:
        self._started_s = started_s
        self._is_scarce = is_scarce
        self._seen = deque([(started_s, 0)])

    def check(self, received: int, now_s: float) -> None:
        """
        Refuse a sender that is too slow, more strictly while other uploads wait.

        Args:
            received: The number of bytes received since the upload began.
            now_s: The present time on the same clock as ``started_s``.

        Raises:
            CutOffError: The sender was too slow.
        """
        elapsed_s = now_s - self._started_s
        if elapsed_s > GRACE_S and received < elapsed_s * MIN_BYTES_PER_S:
            raise CutOffError("The upload was too slow and was cut off; send it again.")
        # One a second is enough.
        if now_s - self._seen[-1][0] < 1:
            return
        self._seen.append((now_s, received))
        is_slow = self._is_below(
            MIN_BYTES_PER_S_WHILE_SCARCE, WINDOW_S, received, now_s
        ) or self._is_below(MIN_BYTES_PER_S, STALLED_S, received, now_s)
        if is_slow and self._is_scarce():
            raise CutOffError(
                "The upload was slow while others waited, and was cut off; send it again."
            )
        while len(self._seen) > 1 and now_s - self._seen[1][0] >= WINDOW_S:
            self._seen.popleft()

    def _is_below(
        self, bytes_per_s: int, window_s: float, received: int, now_s: float
    ) -> bool:
        # The last moment before the window, or the first one there is.
        since_s, before = self._seen[0]
        for at_s, count in self._seen:
            if now_s - at_s < window_s:
                break
            since_s, before = at_s, count
        if now_s - since_s < window_s:
            return False
        return received - before < (now_s - since_s) * bytes_per_s
