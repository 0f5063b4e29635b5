"""
Count lines of the edge's log by place, minute and UTC day.

Whole lines are counted without making an object of each, and read once where many
say the same: all that it takes nginx to serve a segment of 300 kB is only some twenty
times what it takes to read its line.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import attrs

from hv_edge.served_lines import (
    SESSION,
    ServedNote,
    counted_in,
    is_note,
    places_of,
    read_served,
)
from hvcore.domain.analytics import MinuteCount, SegmentPlace, ServedCount
from hvcore.spool.lines import encode
from hvcore.spool.tally import PlaceTally, read_lines

_DIGITS_ALIKE: Final = bytes.maketrans(b"0123456789", b"0" * 10)
_HEX_ALIKE: Final = bytes.maketrans(b"0123456789abcdef", b"0" * 16)
_HEAD: Final = b"hv0 0000000000.000 "
"""The beginning of each line, all digits alike: its kind, and its moment."""
_TAIL: Final = b" " + b"0" * 32
"""The end of each line, its number, likewise."""
_HEAD_AT: Final = slice(len(_HEAD))
_MOMENT_AT: Final = slice(4, -1)
"""Of a beginning: seconds with their thousandths."""
_SECONDS_AT: Final = slice(4, 14)
_SAID_AT: Final = slice(len(_HEAD), -len(_TAIL))
_TAIL_AT: Final = slice(-len(_TAIL), None)
_MINUTE_S: Final = 60
_LAST_S: Final = 9_999_999_999
"""With one more it would have more digits than all others."""
_MINUTES_OF_A_DAY: Final = 1_440
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.frozen(kw_only=True)
class ServedCounts:
    """
    What some lines say, together.

    Attributes:
        counts: By place and UTC day.
        minutes: The same segments by place and minute.
        notes: What is to be noted of some of them besides.
        damaged: Lines that nginx has not written so.
    """

    counts: tuple[ServedCount, ...]
    minutes: tuple[MinuteCount, ...]
    notes: tuple[ServedNote, ...] = ()
    damaged: int = 0


def count_served(data: bytes) -> ServedCounts:
    """
    Count whole lines, each with its end.
    """
    found = _count_together(data)
    return _count_one_by_one(data) if found is None else found


def _count_one_by_one(data: bytes) -> ServedCounts:
    found = read_served(data.removesuffix(b"\n").split(b"\n") if data else ())
    noted = read_lines([encode(one).rstrip(b"\n") for one in found.served])
    return ServedCounts(
        counts=noted.counts,
        minutes=noted.minutes,
        notes=found.notes,
        damaged=found.damaged,
    )


def _count_together(data: bytes) -> ServedCounts | None:
    """
    Return what lines say; None if some must be looked at one by one.

    Beginning and end of all of them are compared at once, and what stands in between
    is read once for all lines that say the same.
    """
    lines = data.split(b"\n")
    if lines.pop():
        # The last one has no end.
        return None
    count = len(lines)
    heads = [line[_HEAD_AT] for line in lines]
    joined = b"".join(heads)
    if (
        joined.translate(_DIGITS_ALIKE) != _HEAD * count
        # The digit that is none of a moment.
        or joined[2 :: len(_HEAD)] != b"1" * count
    ):
        return None
    joined = b"".join([line[_TAIL_AT] for line in lines])
    if joined.translate(_HEX_ALIKE) != _TAIL * count:
        return None
    return _read(heads, [line[_SAID_AT] for line in lines])


def _read(heads: Sequence[bytes], texts: Sequence[bytes]) -> ServedCounts | None:
    """
    Find out what lines say, of which the ends are good; None as above.
    """
    known: dict[bytes, tuple[bytes, bytes]] = {}
    minutes: dict[int, dict[bytes, PlaceTally]] = {}
    notes: list[ServedNote] = []
    for minute, moments, said in _by_minute(heads, texts):
        current = minutes[minute] = {}
        # The last of those that are alike stays.
        first = dict(zip(reversed(said), reversed(moments), strict=True))
        last = dict(zip(said, moments, strict=True))
        for text, segments in Counter(said).items():
            # All but the mark of a session is soon known.
            alike, mark, rest = text.partition(SESSION)
            read = known.get(alike) or counted_in(alike)
            if read is None or (mark and (read[1] or not is_note(mark + rest))):
                return None
            place, told = known[alike] = read
            if not place:
                continue
            if mark or told:
                note = told or mark + rest
                notes.append(ServedNote(last[text][_MOMENT_AT], place, note, segments))
            have = current.get(place)
            if have is None:
                current[place] = PlaceTally(first[text], last[text], segments)
                continue
            have.segments += segments
            have.first = min(have.first, first[text])
            have.last = max(have.last, last[text])
    return _meant(minutes, notes)


def _by_minute(
    heads: Sequence[bytes], texts: Sequence[bytes]
) -> Iterator[tuple[int, Sequence[bytes], Sequence[bytes]]]:
    """
    Part lines by minute, each in the order of their moments.
    """
    # Moments of one length are in the order of their digits. Several workers write,
    # and not always in turn.
    if sorted(heads) != heads:
        pairs = sorted(zip(heads, texts, strict=True))
        heads, texts = [at for at, _ in pairs], [text for _, text in pairs]
    start = 0
    while start < len(heads):
        minute = int(heads[start][_SECONDS_AT]) // _MINUTE_S
        last_s = min((minute + 1) * _MINUTE_S - 1, _LAST_S)
        end = bisect_right(heads, b"hv1 %010d.999 " % last_s, start)
        yield minute, heads[start:end], texts[start:end]
        start = end


def _meant(
    minutes: Mapping[int, Mapping[bytes, PlaceTally]], notes: Sequence[ServedNote]
) -> ServedCounts:
    places = places_of(text for some in minutes.values() for text in some)
    by_minute: list[MinuteCount] = []
    days: dict[tuple[int, bytes], PlaceTally] = {}
    for minute, some in minutes.items():
        for text, have in some.items():
            by_minute.append(
                MinuteCount(place=places[text], minute=minute, segments=have.segments)
            )
            day = days.setdefault(
                (minute // _MINUTES_OF_A_DAY, text),
                PlaceTally(have.first, have.last, 0),
            )
            day.segments += have.segments
            day.first = min(day.first, have.first)
            day.last = max(day.last, have.last)
    return ServedCounts(
        counts=tuple(_count(places[text], have) for (_, text), have in days.items()),
        minutes=tuple(by_minute),
        notes=tuple(notes),
    )


def _count(place: SegmentPlace, have: PlaceTally) -> ServedCount:
    first_at = _moment(have.first)
    return ServedCount(
        place=place,
        day=first_at.date(),
        segments=have.segments,
        first_at=first_at,
        last_at=_moment(have.last),
    )


def _moment(at: bytes) -> datetime:
    return _EPOCH + timedelta(milliseconds=int(at[_MOMENT_AT].replace(b".", b"")))
