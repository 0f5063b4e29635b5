"""
The parameters of the list of events, and the JSON of an event as the API and webhooks send it.

Source: the interface document, "Events".
"""

import base64
import re
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.playback.addresses import PlaybackRoots
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.domain.webhooks.events import (
    TEST_STATUS,
    VIDEO_KINDS,
    EventKind,
    EventPage,
    EventQuery,
    StoredEvent,
    VideoEvent,
)
from hvcore.wire.answer_schemas import SECONDS, VIDEO_ID
from hvcore.wire.converter import optional
from hvcore.wire.kinds import NOT_ALLOWED, FieldRefusedError, Integer, string
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    BOOLEAN,
    STRING,
    TIMESTAMP,
    Schema,
    array,
    identifier,
    nullable,
    one_of,
    record,
)
from hvcore.wire.videos.labels import LABELS, shown_labels
from hvcore.wire.videos.playback import PLAYBACK, playback
from hvcore.wire.videos.sources import SOURCE, shown_source

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 200

_KINDS: Final = {kind.value: kind for kind in VIDEO_KINDS}
_PLAIN_CURSOR: Final = re.compile(r"1:(0|[1-9][0-9]{0,17})")
_CURSOR_PATTERN: Final = "[0-9A-Za-z_-]{4,40}"

_STATES: Final = ("transcoding", "ready", "failed", "deleted")
_FACTS: Final[Mapping[str, Schema]] = {
    "videoId": VIDEO_ID,
    "id": identifier("evt_"),
    "timestamp": TIMESTAMP,
    "orgID": STRING,
    "envID": STRING,
    "sequence": {"type": "integer", "minimum": 1},
    "error": nullable(STRING),
    "playback": nullable(PLAYBACK),
}
_FURTHER: Final[Mapping[str, Schema]] = {
    **LABELS,
    # Of a video that has just become ready.
    "durationSeconds": SECONDS,
    **SOURCE,
}
EVENT: Final[Schema] = record(
    "VideoEvent",
    {
        "event": one_of("VideoEventKind", *_KINDS),
        "status": one_of("VideoEventStatus", *_STATES),
        **_FACTS,
    },
    _FURTHER,
)
EVENT_SENT: Final[Schema] = record(
    "WebhookEvent",
    {
        # Endpoints are told to ignore kinds that they do not know.
        "event": {"type": "string", "examples": [*_KINDS, EventKind.TEST.value]},
        "status": {"type": "string", "examples": [*_STATES, TEST_STATUS]},
        **_FACTS,
    },
    _FURTHER,
)
"""What endpoints get: an event of the list, or one that somebody tries them with."""
EVENTS: Final[Schema] = record(
    "VideoEventList", {"events": array(EVENT), "cursor": STRING, "hasMore": BOOLEAN}
)


@attrs.frozen(kw_only=True)
class Cursor:
    """Kind of query parameter that is a cursor: the end of an earlier page, in a form that only the service reads."""

    def from_json(self, value: object) -> int:
        """Return the number of the event at which the page of a cursor, given as a JSON string, ended."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> int:
        """Return the number of the event at which the page of a cursor ended; refuse other texts."""
        if re.fullmatch(_CURSOR_PATTERN, text):
            padded = text + "=" * (-len(text) % 4)
            try:
                plain = base64.urlsafe_b64decode(padded).decode("ascii")
            except ValueError:
                plain = ""
            found = _PLAIN_CURSOR.fullmatch(plain)
            if found and cursor(int(found[1])) == text:
                return int(found[1])
        raise FieldRefusedError("must be a cursor of an earlier answer", NOT_ALLOWED)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{_CURSOR_PATTERN}$"}


@attrs.frozen(kw_only=True)
class Kinds:
    """Kind of query parameter that is a comma-separated list of event kinds."""

    def from_json(self, value: object) -> frozenset[EventKind]:
        """Return the event kinds in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> frozenset[EventKind]:
        """Return the event kinds in a comma-separated list."""
        words = text.split(",")
        if not all(word in _KINDS for word in words):
            rule = f"must be one or more of {', '.join(_KINDS)}, separated by commas"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return frozenset(_KINDS[word] for word in words)

    def schema(self) -> Schema:
        """Return the JSON Schema of the list of event kinds."""
        any_kind = "|".join(re.escape(word) for word in _KINDS)
        return {"type": "string", "pattern": f"^(?:{any_kind})(?:,(?:{any_kind}))*$"}


@attrs.frozen(kw_only=True)
class EventParameters:
    """Declare the query parameters of the list of events, Family B."""

    after: int | None = optional(
        "after",
        Cursor(),
        None,
        about="The cursor of an earlier answer; without it, the list begins with the oldest event.",
    )
    limit: int = optional("limit", Integer(minimum=1, maximum=MAX_LIMIT), DEFAULT_LIMIT)
    kinds: frozenset[EventKind] = optional(
        "event",
        Kinds(),
        frozenset(),
        about="Kinds separated by commas; by default all kinds.",
    )

    def query(self) -> EventQuery:
        return EventQuery(after=self.after or 0, limit=self.limit, kinds=self.kinds)


def event(stored: StoredEvent, *, worker_url: str, player_url: str) -> Payload:
    """
    Return the JSON payload of an event; it is the same each time it is sent.

    Args:
        worker_url: The URL at which the video is delivered.
        player_url: The URL of the video's player page.
    """
    happened = stored.event
    roots = PlaybackRoots(
        worker_url=worker_url,
        player_url=player_url,
        org_id=happened.org_id,
        env_id=happened.env_id,
    )
    return {
        "event": happened.kind.value,
        "videoId": happened.video_id,
        "status": happened.status,
        "id": happened.id,
        "timestamp": timestamp(stored.created_at),
        "orgID": happened.org_id,
        "envID": stored.env_name,
        "sequence": happened.sequence,
        "error": happened.error,
        "playback": _playback(happened, roots),
        **shown_labels(happened.labels),
        **_made(happened),
    }


def _made(happened: VideoEvent) -> Payload:
    if happened.duration_s is None:
        return {}
    return {
        "durationSeconds": round(happened.duration_s, 3),
        **shown_source(happened.source),
    }


def _playback(happened: VideoEvent, roots: PlaybackRoots) -> Payload | None:
    if happened.is_public is None or happened.kind is EventKind.DELETED:
        return None
    return playback(
        roots.of(
            happened.video_id,
            is_public=happened.is_public,
            size_px=BEST_THUMBNAIL_PX,
        )
    )


def event_page(page: EventPage, *, worker_url: str, player_url: str) -> Payload:
    """
    Return the JSON payload of a page of events, with the cursor of the next page.

    Args:
        worker_url: The URL at which videos are delivered.
        player_url: The URL below which videos have player pages.
    """
    return {
        "events": [
            event(stored, worker_url=worker_url, player_url=player_url)
            for stored in page.events
        ],
        "cursor": cursor(page.last),
        "hasMore": page.has_more,
    }


def cursor(number: int) -> str:
    """Return the cursor text of a page of events that ends with the event of the given number."""
    return base64.urlsafe_b64encode(f"1:{number}".encode()).decode().rstrip("=")
