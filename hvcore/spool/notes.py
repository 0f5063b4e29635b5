"""
Encode and count spool lines that record no segment: ignored requests, viewers' sessions, corrections.

An ignored request: ``n``, milliseconds since 1970, organization, environment, video,
height (0 if it has none) and reason. A session: ``s``, milliseconds, organization,
environment, video and session. An organization that has more sessions than are
followed: ``u``, milliseconds and organization. A segment that was counted and never
sent: ``t``, and the text of the segment's line. Other lines are of a newer version, and are
    skipped.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from hvcore.domain.analytics.ignored import (
    IgnoredCount,
    IgnoredPlace,
    IgnoredReason,
    IgnoredRequest,
)
from hvcore.domain.analytics.live import (
    SessionSeen,
    UnfollowedSessions,
    is_session,
)
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS: Final = 86_400_000
_IGNORED: Final = b"n"
_SEEN: Final = b"s"
_UNFOLLOWED: Final = b"u"
_TAKEN_BACK: Final = b"t"
_MOST_DIGITS: Final = 15
"""Of milliseconds: more are no number that anybody has written."""
_LAST_MS: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(
    milliseconds=1
)


def ignored_text(ignored: IgnoredRequest, at_ms: int) -> str:
    """Return the spool line of an ignored request (one for a segment that is not counted as served), without its checksum."""
    place = ignored.place
    return (
        f"n {at_ms} {place.org_id} {place.env_id} {place.video_id} "
        f"{place.height_px} {place.reason.value}"
    )


def encode_ignored(place: SegmentPlace, reason: IgnoredReason, at_ms: int) -> bytes:
    """
    Return the spool line of an ignored request, with the line end.

    Args:
        at_ms: The time of the request, in milliseconds since 1970.
    """
    data = b"n %d %s %s" % (at_ms, place.text, reason.value.encode())
    return b"%s %08x\n" % (data, zlib.crc32(data))


def seen_text(seen: SessionSeen, at_ms: int) -> str:
    """Return the spool line of a viewer's session, without its checksum."""
    return f"s {at_ms} {seen.org_id} {seen.env_id} {seen.video_id} {seen.session}"


def encode_seen(place: SegmentPlace, session: str, at_ms: int) -> bytes:
    """
    Return the spool line of a viewer's session that was served a segment, with the line end.

    Args:
        at_ms: The time of the request, in milliseconds since 1970.
    """
    video, _, _ = place.text.rpartition(b" ")
    data = b"s %d %s %s" % (at_ms, video, session.encode())
    return b"%s %08x\n" % (data, zlib.crc32(data))


def unfollowed_text(unfollowed: UnfollowedSessions, at_ms: int) -> str:
    """Return the spool line of an organization with more sessions than are followed, without its checksum."""
    return f"u {at_ms} {unfollowed.org_id}"


def encode_unfollowed(place: SegmentPlace, at_ms: int) -> bytes:
    """
    Return the spool line of an organization with more sessions than are followed, with the line end.

    Args:
        at_ms: The time of the request, in milliseconds since 1970.
    """
    data = b"u %d %s" % (at_ms, place.org_id.encode())
    return b"%s %08x\n" % (data, zlib.crc32(data))


def taken_back(texts: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the segments that spool lines take back because they were never sent: each one's time and place, as in its line."""
    for text in texts:
        kind, _, rest = text.partition(b" ")
        at, _, place = rest.partition(b" ")
        if kind == _TAKEN_BACK and _is_moment(at):
            yield at, place


def ignored_counts(texts: Iterable[bytes]) -> tuple[IgnoredCount, ...]:
    """Count the ignored requests (those not counted as served) in spool lines, by video, height, reason and UTC day."""
    found: dict[tuple[int, bytes], int] = {}
    for text in texts:
        kind, _, rest = text.partition(b" ")
        at, _, place = rest.partition(b" ")
        if kind == _IGNORED and _is_moment(at):
            key = (int(at) // _DAY_MS, place)
            found[key] = found.get(key, 0) + 1
    counts = []
    for (day, text), requests in found.items():
        try:
            counts.append(
                IgnoredCount(
                    place=_ignored_place(text),
                    day=(_EPOCH + timedelta(days=day)).date(),
                    requests=requests,
                )
            )
        except ValueError:
            # A reason of a newer version, perhaps.
            continue
    return tuple(counts)


def sessions_seen(texts: Iterable[bytes]) -> tuple[SessionSeen, ...]:
    """Return the viewers' sessions in some spool lines, the latest line of each."""
    seen = []
    for text, at_ms in _latest(texts, _SEEN).items():
        try:
            seen.append(_session(text, at_ms))
        except ValueError:
            continue
    return tuple(seen)


def unfollowed_sessions(texts: Iterable[bytes]) -> tuple[UnfollowedSessions, ...]:
    """Return the latest line, for each organization, that says that not all of its viewers' sessions are followed."""
    found = []
    for text, at_ms in _latest(texts, _UNFOLLOWED).items():
        try:
            org_id, at = OrgId(text.decode()), _EPOCH + timedelta(milliseconds=at_ms)
        except ValueError:
            continue
        if " " not in org_id:
            found.append(UnfollowedSessions(org_id=org_id, at=at))
    return tuple(found)


def _latest(texts: Iterable[bytes], wanted: bytes) -> Mapping[bytes, int]:
    """Return the latest moment, in milliseconds, of what lines of a kind name."""
    found: dict[bytes, int] = {}
    for text in texts:
        kind, _, rest = text.partition(b" ")
        at, _, named = rest.partition(b" ")
        if kind == wanted and _is_moment(at):
            found[named] = max(int(at), found.get(named, -1))
    return found


def _is_moment(text: bytes) -> bool:
    # A later one would hide the latest that there is.
    return text.isdigit() and len(text) <= _MOST_DIGITS and int(text) <= _LAST_MS


def _ignored_place(text: bytes) -> IgnoredPlace:
    org_id, env_id, video_id, height_px, reason = text.decode().split(" ")
    return IgnoredPlace(
        org_id=OrgId(org_id),
        env_id=EnvId(env_id),
        video_id=VideoId(video_id),
        height_px=int(height_px),
        reason=IgnoredReason(reason),
    )


def _session(text: bytes, at_ms: int) -> SessionSeen:
    org_id, env_id, video_id, session = text.decode().split(" ")
    if not is_session(session):
        raise ValueError(session)
    return SessionSeen(
        org_id=OrgId(org_id),
        env_id=EnvId(env_id),
        video_id=VideoId(video_id),
        session=session,
        at=_EPOCH + timedelta(milliseconds=at_ms),
    )
