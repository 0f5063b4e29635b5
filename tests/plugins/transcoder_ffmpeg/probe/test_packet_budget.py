"""
How many packets a track may have.
"""

import pytest

from hvcore.plugin_api import UnusableSourceError
from hvcore_transcoder_ffmpeg.probe.packet_budget import PACKETS_AT_ONCE
from hvcore_transcoder_ffmpeg.probe.timestamps import TimelineReader

HOUR_S = 3600


def read(packets_per_s: float, seconds: float, stream: int = 1) -> None:
    """
    List packets of a track, beside a picture a second.
    """
    reader = TimelineReader(0.0, 0)
    for second in range(int(seconds)):
        lines = [f"0,{second},{second},1.0,K_\n"]
        for number in range(int(packets_per_s)):
            at_s = second + number / packets_per_s
            lines.append(f"{stream},{at_s:.6f},{at_s:.6f},0.001,K_\n")
        reader.feed("".join(lines).encode())


@pytest.mark.parametrize("packets_per_s", [47, 750, 1200, 2400, 4800])
def test_what_honest_sound_is_made_of_is_read_to_the_end(packets_per_s: int) -> None:
    read(packets_per_s, seconds=60)


@pytest.mark.parametrize("stream", [0, 1, 7])
def test_every_track_has_its_bound(stream: int) -> None:
    with pytest.raises(UnusableSourceError, match="more than 5,000 packets a second"):
        read(10_000, seconds=60, stream=stream)


def test_a_burst_in_a_badly_mixed_file_is_no_fault() -> None:
    reader = TimelineReader(0.0, 0)

    # Ten minutes of sound, all before the first picture.
    reader.feed(b"".join(b"1,%d,%d,1,K_\n" % (n // 47, n // 47) for n in range(28_200)))
    reader.feed(b"0,0.0,0.0,0.04,K_\n0,0.04,0.04,0.04,__\n")

    assert reader.timeline().count == 2


def test_a_packet_that_claims_to_be_late_buys_no_flood() -> None:
    reader = TimelineReader(0.0, 0)
    reader.feed(b"1,43000.0,43000.0,1,K_\n" * 1024)

    with pytest.raises(UnusableSourceError, match="more than 5,000 packets a second"):
        reader.feed(b"1,1.0,1.0,0.001,K_\n" * (PACKETS_AT_ONCE + 2048))


def test_packets_without_a_time_are_counted_too() -> None:
    reader = TimelineReader(0.0, 0)

    with pytest.raises(UnusableSourceError, match="more than 5,000 packets a second"):
        reader.feed(b"1,N/A,N/A,N/A,__\n" * (PACKETS_AT_ONCE + 2048))
