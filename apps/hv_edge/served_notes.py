"""
Who watched what the edge served, and where it went: what lines say besides.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

import attrs

from hv_edge.served_lines import ServedNote, place_of
from hvcore.domain.analytics import SegmentPlace
from hvcore.domain.analytics_breakdown import (
    BreakdownBy,
    OriginCount,
    is_country,
    is_referrer,
)
from hvcore.domain.analytics_live import SessionSeen, latest_seen
from hvcore.services.viewer_sessions import MARK_DIGITS, SessionNames

_SESSION: Final = b" s="
_SESSION_BYTES: Final = len(_SESSION) + MARK_DIGITS
_COUNTRY: Final = b"c"
_DAY_S: Final = 86_400
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.frozen(kw_only=True)
class ServedNotes:
    """
    What is to be noted of some segments beside their number.

    Attributes:
        seen: The latest of each video and session.
        origins: Where segments went, by video and UTC day.
    """

    seen: tuple[SessionSeen, ...]
    origins: tuple[OriginCount, ...]


def read_notes(notes: Iterable[ServedNote], names: SessionNames) -> ServedNotes:
    """
    Take notes together.

    What they mean is found out once for each viewer and day, and not for each
    line: where viewers' countries are known, every line has a note.

    Args:
        names: Those that the service gives the same viewers.
    """
    latest: dict[tuple[bytes, bytes], int] = {}
    went: dict[tuple[bytes, bytes, int], int] = {}
    for at, place, told in notes:
        session, origin = told[:_SESSION_BYTES], told[_SESSION_BYTES:]
        if not session.startswith(_SESSION):
            session, origin = b"", told
        if session:
            # Not by their digits: those of a damaged log may be fewer.
            at_ms = int(at.replace(b".", b""))
            if at_ms > latest.get((place, session), -1):
                latest[place, session] = at_ms
        if origin:
            key = (place, origin, int(at[:-4]) // _DAY_S)
            went[key] = went.get(key, 0) + 1
    return ServedNotes(seen=_seen(latest, names), origins=_origins(went))


def _seen(
    latest: dict[tuple[bytes, bytes], int], names: SessionNames
) -> tuple[SessionSeen, ...]:
    places = _places(place for place, _ in latest)
    return latest_seen(
        SessionSeen(
            org_id=places[text].org_id,
            env_id=places[text].env_id,
            video_id=places[text].video_id,
            session=names.name_of(session.removeprefix(_SESSION).decode()),
            at=_EPOCH + timedelta(milliseconds=at_ms),
        )
        for (text, session), at_ms in latest.items()
    )


def _origins(went: dict[tuple[bytes, bytes, int], int]) -> tuple[OriginCount, ...]:
    places = _places(place for place, _, _ in went)
    found: dict[OriginCount, int] = {}
    for (text, origin, day), segments in went.items():
        place = places[text]
        for part in origin.split():
            name, _, told = part.partition(b"=")
            value = told.decode()
            by = BreakdownBy.COUNTRY if name == _COUNTRY else BreakdownBy.REFERRER
            is_known = is_country if by is BreakdownBy.COUNTRY else is_referrer
            if is_known(value):
                one = OriginCount(
                    org_id=place.org_id,
                    env_id=place.env_id,
                    video_id=place.video_id,
                    day=(_EPOCH + timedelta(days=day)).date(),
                    by=by,
                    value=value,
                    segments=0,
                )
                # Another height of the video, perhaps.
                found[one] = found.get(one, 0) + segments
    return tuple(
        attrs.evolve(one, segments=segments) for one, segments in found.items()
    )


def _places(texts: Iterable[bytes]) -> dict[bytes, SegmentPlace]:
    read = {text: place_of(text) for text in set(texts)}
    return {text: place for text, place in read.items() if place is not None}
