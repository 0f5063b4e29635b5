"""
The lines of the edge's log of served segments.

One for each answer that may count, written by nginx when the answer has ended::

    hv1 1767323045.678 200 1 750000 750000 org_a env_1 vid_… 720 3f9c…

When it ended, the status, whether all of it was handed over, the bytes of the
body that were, and those that it has; then the place, and a number that no
other line has. Counted is what was handed over whole.

Behind the place stands what else is to be noted of the viewer, if anything is::

    … 720 s=0123456789abcdef0123 c=DE r=example.com 3f9c…

The mark of a session (:mod:`hvcore.services.viewer_sessions`), the country, and
the host of the page; each may be missing. The number stays the end: so half a
line is never taken for a whole one.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import attrs

from hvcore.domain.analytics import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId

_PLACE_TEXT: Final = (
    rb"(?P<org>[A-Za-z0-9_-]{1,64}) (?P<env>[A-Za-z0-9_-]{1,64})"
    rb" (?P<video>vid_[A-Za-z0-9]+) (?P<height>0|[1-9][0-9]{0,4})"
)
_NOTE_TEXT: Final = rb"(?: s=[0-9a-f]{20})?(?: c=[A-Z]{2})?(?: r=[a-z0-9._-]{1,253})?"
_SAID_TEXT: Final = (
    rb"(?P<status>[0-9]{3}) (?P<whole>[01]) (?P<sent>[0-9]+) (?P<length>[0-9]+|-)"
    rb" (?P<place>%s)(?P<note>%s)" % (_PLACE_TEXT, _NOTE_TEXT)
)

_PLACE: Final = re.compile(_PLACE_TEXT)
_NOTE: Final = re.compile(_NOTE_TEXT)
_SAID: Final = re.compile(_SAID_TEXT)
_LINE: Final = re.compile(
    # No more digits than the calendar has years for.
    rb"hv1 (?P<s>[0-9]{1,11})\.(?P<ms>[0-9]{3}) %s (?P<id>[0-9a-f]{32})" % _SAID_TEXT
)
SESSION: Final = b" s="
"""Before the mark of a session, with which a note begins if it has one."""
_BEGINNING: Final = b"hv1 "
_ANSWERS: Final = (b"200", b"206")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ServedNote(NamedTuple):
    """
    What lines that count say besides, as it stands there.

    Attributes:
        at: When the last of them was written, in seconds.
        told: With the space before it.
        segments: How many lines of one minute say so.
    """

    at: bytes
    place: bytes
    told: bytes
    segments: int = 1


@attrs.frozen(kw_only=True)
class ServedLines:
    """
    What some lines say.

    Attributes:
        served: The segments that count.
        notes: What is to be noted of some of them.
        damaged: Lines that nginx has not written so; also if there was a
            whole one in them.
    """

    served: tuple[SegmentServed, ...]
    notes: tuple[ServedNote, ...]
    damaged: int


def read_served(lines: Iterable[bytes]) -> ServedLines:
    """
    Read lines, without their ends.
    """
    good: list[re.Match[bytes]] = []
    damaged = 0
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            damaged += 1
            good.extend(one for one in _whole_in(line) if _counts(one))
        elif _counts(match):
            good.append(match)
    return ServedLines(
        served=tuple(_segment(match) for match in good),
        notes=tuple(_note(match) for match in good if match["note"]),
        damaged=damaged,
    )


def place_of(text: bytes) -> SegmentPlace | None:
    """
    Read the place of a line; None if nginx has not written it so.
    """
    match = _PLACE.fullmatch(text)
    return None if match is None else _place(match)


def places_of(texts: Iterable[bytes]) -> dict[bytes, SegmentPlace]:
    """
    Read each place once; those that nginx has not written so are left out.
    """
    read = {text: place_of(text) for text in set(texts)}
    return {text: place for text, place in read.items() if place is not None}


def is_note(text: bytes) -> bool:
    """
    Tell whether a text may follow on the place of a line.
    """
    return _NOTE.fullmatch(text) is not None


def counted_in(text: bytes) -> tuple[bytes, bytes] | None:
    """
    Return the place and the note of what stands between moment and number of a line.

    The place is empty if the line does not count; None if nginx has not written it so.
    """
    match = _SAID.fullmatch(text)
    if match is None:
        return None
    return (match["place"] if _counts(match) else b"", match["note"])


def _whole_in(line: bytes) -> Iterator[re.Match[bytes]]:
    """
    Return what is whole in a line that another was begun and not ended in.

    A full disk takes half a line, and the next one follows on it.
    """
    for match in _LINE.finditer(line):
        rest = line[match.end() :]
        if not rest or rest.startswith(_BEGINNING):
            yield match


def _counts(match: re.Match[bytes]) -> bool:
    return (
        match["status"] in _ANSWERS
        and match["whole"] == b"1"
        and match["sent"] == match["length"]
    )


def _segment(match: re.Match[bytes]) -> SegmentServed:
    moment_ms = int(match["s"]) * 1000 + int(match["ms"])
    return SegmentServed(
        place=_place(match), at=_EPOCH + timedelta(milliseconds=moment_ms)
    )


def _note(match: re.Match[bytes]) -> ServedNote:
    return ServedNote(
        at=b"%s.%s" % (match["s"], match["ms"]),
        place=match["place"],
        told=match["note"],
    )


def _place(match: re.Match[bytes]) -> SegmentPlace:
    return SegmentPlace(
        org_id=OrgId(match["org"].decode()),
        env_id=EnvId(match["env"].decode()),
        video_id=VideoId(match["video"].decode()),
        height_px=int(match["height"]),
    )
