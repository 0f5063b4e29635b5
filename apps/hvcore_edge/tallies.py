"""
Read tally files, in which nginx's workers count the segments that they serve.

A worker maps one into memory and locks it (``nginx/hv_edge_tally.lua``); what stands in
it when the lock is gone is all that it will ever have. Numbers are unsigned, of 32 bits,
the lowest byte first::

    hvtally1 | minute | 0
    text's bytes | segments | first | last | text, filled up to a multiple of 8
    …
    0

The minute is counted from 1970 on; the first and the last of a record's segments are
milliseconds of it. A text is the place of a segment and, behind it, what
else is to be noted of its viewer, if anything is::

    org_a env_1 vid_… 720 s=0123456789abcdef0123 c=DE r=example.com

The mark of a session (:mod:`hvcore.services.counting.sessions`), or ``-`` if there are more
sessions than are followed; the country, and the host of the page; each may be missing. Of
answers that are not counted, the reason stands there, and nothing else::

    org_a env_1 vid_… 720 n=too-few-bytes

A worker that was killed may have left a record without
segments at the end.
"""

import fcntl
import os
import re
import struct
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import attrs

from hvcore.domain.analytics.breakdown import MAX_HOST_CHARS
from hvcore.domain.analytics.ignored import (
    IgnoredCount,
    IgnoredPlace,
    IgnoredReason,
)
from hvcore.domain.analytics.segments import MinuteCount, SegmentPlace, ServedCount
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.services.counting.sessions import MARK_DIGITS

SUFFIX: Final = ".tally"
NEW_SUFFIX: Final = ".new"
"""The suffix of a new tally file that is not locked yet and is empty."""
DAMAGED_SUFFIX: Final = ".damaged"
"""The suffix of a tally file that could not be read completely; it is kept for inspection."""
UNREAD_FOR_S: Final = 60.0
"""The age in seconds from which a finished tally file counts as left unread; normally
``hv edge ingest`` reads it long before."""
SESSION: Final = b" s="
"""The text before the mark of a viewer session in a note."""
UNFOLLOWED: Final = "-"
"""The mark of viewer sessions that are not followed."""

FILE_BYTES: Final = 8 * 1024 * 1024
"""
As long as a worker makes each of them, so that there is room for all that it may be
serving (``FREE_RESERVE_BYTES`` in ``nginx/hv_edge_tally.lua``) and for what came before.
"""
MARK: Final = b"hvtally1"
"""The first bytes of a tally file; they change with the format."""
HEAD: Final = struct.Struct("<8sII")
RECORD: Final = struct.Struct("<IIII")
ALIGNED_BYTES: Final = 8
LAST_MS: Final = 59_999
"""The last millisecond of a minute."""

_BLOCK_BYTES: Final = 64 * 1024
_ZEROS: Final = bytes(1024)
_PLACE: Final = re.compile(
    rb"([A-Za-z0-9_-]{1,64}) ([A-Za-z0-9_-]{1,64}) (vid_[A-Za-z0-9]+)"
    rb" (0|[1-9][0-9]{0,4})"
)
_TEXT: Final = re.compile(
    rb"(?P<place>%s)"
    rb"(?: n=(?P<reason>[a-z-]{1,32})"
    rb"|(?P<note>(?: s=(?:[0-9a-f]{%d}|-))?(?: c=[A-Z]{2})?(?: r=[a-z0-9._-]{1,%d})?))"
    % (_PLACE.pattern, MARK_DIGITS, MAX_HOST_CHARS)
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MINUTE: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(
    minutes=1
)


class ServedNote(NamedTuple):
    """
    A note in a tally file about the viewer of some segments.

    Attributes:
        at: The time when the last of these segments had been served.
        place: The organization, environment, video and height of the segments, as text.
        text: The note's text, with the space before it.
        segments: The number of segments.
    """

    at: datetime
    place: bytes
    text: bytes
    segments: int


@attrs.frozen(kw_only=True)
class EdgeTally:
    """
    The counts of segments in a tally file of an nginx worker.

    A place is an organization, environment, video and height.

    Attributes:
        counts: The segments served, by place.
        minutes: The segments served in the file's minute, by place.
        ignored: The answers that are not counted, by place and reason.
        notes: The notes about the viewers of segments.
        damaged: Whether the file has content that nginx does not write.
    """

    counts: tuple[ServedCount, ...] = ()
    minutes: tuple[MinuteCount, ...] = ()
    ignored: tuple[IgnoredCount, ...] = ()
    notes: tuple[ServedNote, ...] = ()
    damaged: bool = False


@attrs.define
class _Count:
    segments: int
    first_ms: int
    last_ms: int


class _Record(NamedTuple):
    text: bytes
    segments: int
    first_ms: int
    last_ms: int


def tally_files(folder: Path) -> Sequence[Path]:
    """Return the paths of the tally files in a folder, of running and of ended nginx workers."""
    return sorted(folder.glob(f"edge-*{SUFFIX}"))


def unread_files(folder: Path) -> Sequence[Path]:
    """Return the tally files that workers finished long ago and that no process has read."""
    return [path for path in tally_files(folder) if _is_unread(path)]


def used_bytes(file: BinaryIO) -> bytes:
    """Return the bytes of a tally file that hold records; the rest of the file is empty room."""
    data = b""
    while block := file.read(_BLOCK_BYTES):
        data += block
        # No record has as many of them.
        if block.endswith(_ZEROS):
            break
    return data


def read_tally(data: bytes) -> EdgeTally:
    """Return the content of a tally file, from its used bytes."""
    minute = _minute_of(data)
    if minute is None:
        return EdgeTally(damaged=True)
    began = _EPOCH + timedelta(minutes=minute)
    by_place: dict[bytes, _Count] = {}
    notes: list[ServedNote] = []
    ignored: Counter[tuple[bytes, bytes]] = Counter()
    damaged = False
    for record in _records(data):
        match = record and _TEXT.fullmatch(record.text)
        if not record or not match:
            damaged = True
            continue
        place, note, reason = match.group("place", "note", "reason")
        if reason:
            ignored[place, reason] += record.segments
            continue
        if note:
            at = began + timedelta(milliseconds=record.last_ms)
            notes.append(ServedNote(at, place, note, record.segments))
        have = by_place.get(place)
        if have is None:
            by_place[place] = _Count(*record[1:])
            continue
        have.segments += record.segments
        have.first_ms = min(have.first_ms, record.first_ms)
        have.last_ms = max(have.last_ms, record.last_ms)
    places = [(place_of(text), have) for text, have in by_place.items()]
    return EdgeTally(
        counts=tuple(_served_count(place, have, began) for place, have in places),
        minutes=tuple(
            MinuteCount(place=place, minute=minute, segments=have.segments)
            for place, have in places
        ),
        ignored=tuple(_ignored(ignored, began.date())),
        notes=tuple(notes),
        damaged=damaged,
    )


def place_of(text: bytes) -> SegmentPlace:
    """
    Return the place of a segment (organization, environment, video, height) in a record's text.

    Raises:
        ValueError: The text does not name a place.
    """
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError(f"no place of a segment: {text!r}")
    org, env, video, height = (part.decode("ascii") for part in match.groups())
    return SegmentPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=int(height),
    )


def _ignored(
    found: Mapping[tuple[bytes, bytes], int], day: date
) -> Iterator[IgnoredCount]:
    known = {reason.value: reason for reason in IgnoredReason}
    for (text, name), requests in found.items():
        reason = known.get(name.decode())
        # One of a newer version, perhaps.
        if reason is not None:
            where = place_of(text)
            place = IgnoredPlace(
                org_id=where.org_id,
                env_id=where.env_id,
                video_id=where.video_id,
                height_px=where.height_px,
                reason=reason,
            )
            yield IgnoredCount(place=place, day=day, requests=requests)


def _is_unread(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if time.time() - os.fstat(file.fileno()).st_mtime < UNREAD_FOR_S:
                return False
            # Shared, so that several may ask. A worker's is exclusive.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # A worker has it, it was read meanwhile, or another may not look.
        return False
    return True


def _minute_of(data: bytes) -> int | None:
    if len(data) < HEAD.size:
        return None
    mark, minute, _ = HEAD.unpack_from(data)
    return int(minute) if mark == MARK and minute <= _LAST_MINUTE else None


def _records(data: bytes) -> Iterator[_Record | None]:
    """Give a tally file's records with segments; None for an unreadable one."""
    at = HEAD.size
    while at + RECORD.size <= len(data):
        size, segments, first_ms, last_ms = RECORD.unpack_from(data, at)
        if not size:
            if data[at:].strip(b"\0"):
                # A hole, after a power cut.
                yield None
            return
        text = data[at + RECORD.size : at + RECORD.size + size]
        at += RECORD.size + size
        at += -at % ALIGNED_BYTES
        if at > len(data):
            yield None
            return
        if segments:
            # Of another minute only if the file is damaged.
            yield _Record(text, segments, min(first_ms, LAST_MS), min(last_ms, LAST_MS))


def _served_count(place: SegmentPlace, have: _Count, began: datetime) -> ServedCount:
    first_at = began + timedelta(milliseconds=have.first_ms)
    return ServedCount(
        place=place,
        day=began.date(),
        segments=have.segments,
        first_at=first_at,
        last_at=began + timedelta(milliseconds=have.last_ms),
    )
