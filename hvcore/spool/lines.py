"""
The lines of spool files.

A line: milliseconds since 1970, organization, environment, video, height, and
a checksum of all that, separated by spaces. A line that begins with anything
but a digit is of another kind, perhaps of a newer version, and is skipped.
"""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from hvcore.domain.analytics import SegmentPlace, SegmentServed, ServedCount
from hvcore.domain.ids import EnvId, OrgId, VideoId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS: Final = 86_400_000
_CHECKSUM_BYTES: Final = 9
"""Eight digits, and the space before them."""


def encode(served: SegmentServed) -> bytes:
    """
    Return the line of a segment, with its end.
    """
    at_ms = (served.at - _EPOCH) // timedelta(milliseconds=1)
    place = served.place
    text = (
        f"{at_ms} {place.org_id} {place.env_id} {place.video_id} {place.height_px}"
    ).encode()
    return b"%s %08x\n" % (text, zlib.crc32(text))


def count(lines: Sequence[bytes]) -> tuple[tuple[ServedCount, ...], int]:
    """
    Count lines by place and UTC day, and those that are damaged.

    Equal to decoding each line and ``roll_up``, and quicker: what a place and
    a moment mean is found out once for each count.
    """
    days: dict[int, dict[bytes, list[int]]] = {}
    today: dict[bytes, list[int]] = {}
    begins_ms = ends_ms = 0
    damaged = 0
    checksum_of = zlib.crc32
    for line in lines:
        text = line[:-_CHECKSUM_BYTES]
        try:
            is_whole = int(line[-8:], 16) == checksum_of(text)
            at, _, place = text.partition(b" ")
            # Of another kind, unless it only begins like a segment.
            if not is_whole or not at.isdigit():
                damaged += not is_whole or at[:1].isdigit()
                continue
            at_ms = int(at)
        except ValueError:
            damaged += 1
            continue
        if not begins_ms <= at_ms < ends_ms:
            begins_ms = at_ms // _DAY_MS * _DAY_MS
            ends_ms = begins_ms + _DAY_MS
            today = days.setdefault(begins_ms, {})
        have = today.get(place)
        if have is None:
            today[place] = [1, at_ms, at_ms]
            continue
        have[0] += 1
        if at_ms > have[2]:
            have[2] = at_ms
        elif at_ms < have[1]:
            have[1] = at_ms
    counts = []
    for place, have in (item for places in days.values() for item in places.items()):
        try:
            counts.append(_meant(place, *have))
        except (ValueError, OverflowError):
            damaged += have[0]
    return tuple(counts), damaged


def _meant(place: bytes, segments: int, first_ms: int, last_ms: int) -> ServedCount:
    org_id, env_id, video_id, height_px = place.decode().split(" ")
    first_at = _EPOCH + timedelta(milliseconds=first_ms)
    return ServedCount(
        place=SegmentPlace(
            org_id=OrgId(org_id),
            env_id=EnvId(env_id),
            video_id=VideoId(video_id),
            height_px=int(height_px),
        ),
        day=first_at.date(),
        segments=segments,
        first_at=first_at,
        last_at=_EPOCH + timedelta(milliseconds=last_ms),
    )
