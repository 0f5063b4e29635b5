"""
Events as endpoints get them, and the questions for the list of events.
"""

import base64
from datetime import UTC, datetime

import attrs
import pytest

from hvcore.domain.ids import EnvId, EventId, OrgId, VideoId
from hvcore.domain.webhooks.events import EventKind, StoredEvent, VideoEvent
from hvcore.wire.converter import read_query
from hvcore.wire.kinds import FieldRefusedError
from hvcore.wire.webhooks.events import Cursor, EventParameters, Kinds, cursor, event

HAPPENED = VideoEvent(
    id=EventId("evt_1"),
    kind=EventKind.COMPLETED,
    org_id=OrgId("org_1"),
    env_id=EnvId("env_1"),
    video_id=VideoId("vid_1"),
    sequence=3,
    status="ready",
    error=None,
    is_public=True,
)


def sent(**changes: object) -> dict[str, object]:
    stored = StoredEvent(
        event=attrs.evolve(HAPPENED, **changes),
        number=7,
        env_name="production",
        created_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    worker, player = "https://worker.test", "https://player.test"
    return event(stored, worker_url=worker, player_url=player)


def test_an_event_names_where_its_video_plays() -> None:
    playback = sent()["playback"]

    assert isinstance(playback, dict)
    folder = "https://worker.test/v1/public/org_1/env_1/vid_1"
    assert playback["playlistURL"] == f"{folder}/master.m3u8"
    assert playback["embedURL"] == "https://player.test/v1/embed/vid_1"
    assert playback["thumbnailURL"].startswith("https://worker.test/t/vid_1/")


@pytest.mark.parametrize(
    "changes", [{"is_public": None}, {"kind": EventKind.DELETED, "is_public": True}]
)
def test_a_video_that_is_gone_or_not_known_plays_nowhere(
    changes: dict[str, object],
) -> None:
    assert sent(**changes)["playback"] is None


@pytest.mark.parametrize("number", [0, 1, 9, 10, 123_456_789])
def test_a_cursor_is_read_as_it_was_written(number: int) -> None:
    assert Cursor().from_text(cursor(number)) == number
    assert Cursor().from_json(cursor(number)) == number


def encoded(plain: bytes) -> str:
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        *("", "!", "A", cursor(1) + "=", cursor(1) + "\n", "1:1"),
        *map(encoded, (b"1:01", b"2:1", b"1:", b"1:-1", b"1:1 ", b"\xff:1", b"1:x")),
        # The last character has bits that mean nothing.
        "MTox" if cursor(1) != "MTox" else "MToxMR",
    ],
)
def test_another_cursor_is_refused(text: str) -> None:
    with pytest.raises(FieldRefusedError, match="must be a cursor of an") as caught:
        Cursor().from_text(text)
    assert caught.value.status == 400


def test_kinds_of_events_are_separated_by_commas() -> None:
    first, second = [*EventKind][:2]

    assert Kinds().from_text(first.value) == {first}
    assert Kinds().from_text(f"{second.value},{first.value}") == {first, second}
    for text in ("", f"{first.value},", f"{first.value}, {second.value}", "x"):
        with pytest.raises(FieldRefusedError, match="separated by commas") as caught:
            Kinds().from_text(text)
        assert caught.value.status == 400


def test_a_list_of_events_begins_behind_its_cursor() -> None:
    kind = EventKind.DELETED
    asked: dict[str, str | list[str]] = {
        "after": cursor(8),
        "limit": "2",
        "event": kind.value,
    }

    query = read_query(EventParameters, asked).query()

    assert (query.after, query.limit, query.kinds) == (8, 2, {kind})
    assert read_query(EventParameters, {}).query().after == 0
