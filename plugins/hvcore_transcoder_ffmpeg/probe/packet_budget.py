"""
Limit the number of packets that a track may have.

Each packet takes some microseconds to read, and more if it is damaged: 100 MB of packets of
one byte, in a video of two seconds, kept an encoder busy for minutes.
"""

from typing import Final

from hvcore.plugin_api import MAX_SOURCE_DURATION_S, UnusableSourceError
from hvcore_transcoder_ffmpeg.reasons import CONVERT

PACKETS_PER_S: Final = 5000
"""The packets a second that a track may have on average. TrueHD has 1,200, QuickTime's ADPCM
750; sound rarely has more than a packet for each millisecond, and PCM packets have a
thousand samples."""
PACKETS_AT_ONCE: Final = 50_000
"""The packets that a track may have beyond the average; reading them takes half a second."""
LOOKS_EVERY: Final = 1024

TOO_MANY: Final = (
    f"A track of the file consists of more than {PACKETS_PER_S:,} packets a second, "
    f"which takes too long to read. {CONVERT}"
)


class PacketBudget:
    """
    Count the packets of one track while they are listed, and refuse too many.

    The budget grows with the times of the packets, up to PACKETS_AT_ONCE: a packet that
    claims a late time gains no more than that.
    """

    def __init__(self, start_s: float) -> None:
        self._count = 0
        self._left = float(PACKETS_AT_ONCE)
        self._position_s = start_s
        self._end_s = start_s + MAX_SOURCE_DURATION_S

    def take(self) -> bool:
        """Count a packet of the track; return whether ``look`` must be called now."""
        self._count += 1
        return self._count % LOOKS_EVERY == 0

    def look(self, now_s: float) -> None:
        """
        Take the packets since the last call from the budget.

        Args:
            now_s: The latest time of the file's packets so far.

        Raises:
            UnusableSourceError: The packets are too many.
        """
        now_s = min(now_s, self._end_s)
        gained = max(0.0, now_s - self._position_s) * PACKETS_PER_S
        self._left = min(PACKETS_AT_ONCE, self._left + gained) - LOOKS_EVERY
        self._position_s = max(self._position_s, now_s)
        if self._left < 0:
            raise UnusableSourceError(TOO_MANY)
