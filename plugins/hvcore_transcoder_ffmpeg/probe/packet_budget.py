"""
Limit the number of packets that a track may have.

Each costs some microseconds to read, and to complain of where it is damaged: 100 MB
of packets of one byte, in a video of two seconds, kept an encoder for minutes.
"""

from typing import Final

from hvcore.plugin_api import MAX_SOURCE_DURATION_S, UnusableSourceError
from hvcore_transcoder_ffmpeg.reasons import CONVERT

PACKETS_PER_S: Final = 5000
"""TrueHD has 1,200 and QuickTime's ADPCM 750; sound is rarely cut more finely than
by the millisecond, and PCM into a thousand samples."""
PACKETS_AT_ONCE: Final = 50_000
"""More than the average; reading them takes half a second."""
LOOKS_EVERY: Final = 1024

TOO_MANY: Final = (
    f"A track of the file consists of more than {PACKETS_PER_S:,} packets a second, "
    f"which takes too long to read. {CONVERT}"
)


class PacketBudget:
    """
    Counts the packets of one track while they are listed, and refuses too many.

    What a track may have more than the average fills up as its time goes on, and
    no faster: a packet that claims to be late buys no more than PACKETS_AT_ONCE.
    """

    def __init__(self, start_s: float) -> None:
        self._count = 0
        self._left = float(PACKETS_AT_ONCE)
        self._position_s = start_s
        self._end_s = start_s + MAX_SOURCE_DURATION_S

    def take(self) -> bool:
        """Count a packet; return whether it is time to call ``look``."""
        self._count += 1
        return self._count % LOOKS_EVERY == 0

    def look(self, now_s: float) -> None:
        """
        Judge the number of packets taken since the last look.

        Args:
            now_s: How far the file is by the times of its packets.

        Raises:
            UnusableSourceError: They are too many.
        """
        now_s = min(now_s, self._end_s)
        gained = max(0.0, now_s - self._position_s) * PACKETS_PER_S
        self._left = min(PACKETS_AT_ONCE, self._left + gained) - LOOKS_EVERY
        self._position_s = max(self._position_s, now_s)
        if self._left < 0:
            raise UnusableSourceError(TOO_MANY)
