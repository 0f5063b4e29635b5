"""
Sessions: who is the same viewer, and that nobody learns who it was.
"""

import hashlib
import hmac
from collections import Counter
from datetime import UTC, datetime, timedelta
from threading import Thread

import attrs
import pytest

from hvcore.domain.analytics.live import is_session
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.services.counting.sessions import (
    NOTED_EVERY_S,
    PERIOD_S,
    SessionNames,
    SessionNotes,
)
from hvcore.throttling.shares import REFUSALS

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SECRET = "0123456789abcdef" * 4
VIEWER = Viewer(address="203.0.113.7", user_agent="A browser")
SHOWN = "203.0.113.7 A browser"
TOKEN = "aaa.bbb.ccc"


def name(
    viewer: Viewer = VIEWER,
    *,
    token: str | None = None,
    at: datetime = NOON,
    secret: str = SECRET,
) -> str:
    return SessionNames(secret).name(token, viewer, at)


def test_a_name_fits_into_a_line_and_says_nothing() -> None:
    names = [
        name(),
        name(token=TOKEN),
        name(
            attrs.evolve(VIEWER, player_session="6e2fb550-c457-11e9-bb97-0800200c9a66")
        ),
    ]

    assert all(is_session(one) for one in names)
    assert len(set(names)) == 3
    for secret in ("203", "113", TOKEN, "6e2fb550"):
        assert not any(secret in one for one in names)


def test_all_processes_with_one_secret_give_one_name() -> None:
    assert name() == name()
    assert name() != name(secret="another secret of this length..")


@pytest.mark.parametrize(
    "other",
    [
        attrs.evolve(VIEWER, address="203.0.113.8"),
        attrs.evolve(VIEWER, user_agent="Another browser"),
    ],
)
def test_another_address_or_browser_is_another_viewer(other: Viewer) -> None:
    assert name(other) != name()


def test_a_token_tells_viewers_apart_whatever_else_they_show() -> None:
    other = attrs.evolve(VIEWER, address="198.51.100.1", player_session="x")

    assert name(token=TOKEN) == name(other, token=TOKEN)
    assert name(token=TOKEN) != name(token="aaa.bbb.ddd")


def test_the_player_s_own_session_goes_before_the_address() -> None:
    here = attrs.evolve(VIEWER, player_session="one")
    there = attrs.evolve(here, address="198.51.100.1")

    assert name(here) == name(there)
    assert name(here) != name(attrs.evolve(here, player_session="two"))


def test_nobody_is_followed_from_one_day_to_the_next() -> None:
    tomorrow = NOON + timedelta(days=1)

    assert name() != name(at=tomorrow)
    assert name() == name(at=NOON.replace(hour=23, minute=59))
    # These are no persons, and a session does not end at midnight.
    assert name(token=TOKEN) == name(token=TOKEN, at=tomorrow)


def test_of_a_mark_anybody_makes_the_name_who_has_the_secret() -> None:
    """
    A mark needs a key of its own, which an nginx in front has, too.
    """
    for token in (None, TOKEN):
        own = SessionNames(SECRET)
        mark = own.mark(token, VIEWER, NOON)
        text = f"token {TOKEN}" if token else f"viewer 20455 {SHOWN}"
        key = hmac.new(SECRET.encode(), b"hvcore viewer marks", hashlib.sha256)
        made = hmac.new(key.hexdigest().encode(), text.encode(), hashlib.sha1)

        assert mark == made.hexdigest()[:20]
        assert own.name_of(mark) == name(token=token)
        assert SessionNames(f"{SECRET}x").name_of(mark) != name(token=token)
        assert mark not in name(token=token)


def notes(most_of_one: int = 10) -> SessionNotes:
    return SessionNotes(SessionNames(SECRET), most_of_one=most_of_one)


def note(
    own: SessionNotes,
    at: datetime,
    viewer: Viewer = VIEWER,
    video: str = "vid_1",
    org: str = "org_a",
) -> str | None:
    """
    Return the name that is to be noted; "more" if it stands for who is not followed.
    """
    place = SegmentPlace(
        org_id=OrgId(org), env_id=EnvId("env_1"), video_id=VideoId(video), height_px=720
    )
    session = own.due(place, None, viewer, int(at.timestamp() * 1000))
    if session is None:
        return None
    return session.name or "more"


def viewer_of(number: int) -> Viewer:
    return attrs.evolve(VIEWER, address=f"198.51.{number // 256}.{number % 256}")


def test_a_session_is_noted_again_after_a_while() -> None:
    own = notes()

    def is_due(after_s: float) -> bool:
        return note(own, NOON + timedelta(seconds=after_s)) is not None

    assert [is_due(0), is_due(NOTED_EVERY_S - 0.1), is_due(NOTED_EVERY_S)] == [
        True,
        False,
        True,
    ]
    # Nor does a clock that was set back stop it.
    assert is_due(-60)


def test_a_session_that_lasts_over_midnight_has_the_name_of_the_day() -> None:
    own, midnight = notes(), NOON + timedelta(hours=12)
    before = note(own, midnight - timedelta(seconds=NOTED_EVERY_S - 1))
    after = note(own, midnight + timedelta(seconds=1))

    assert before == name(at=NOON)
    assert after == name(at=midnight)


def test_each_video_of_a_viewer_is_noted() -> None:
    own = notes()

    assert note(own, NOON, video="vid_1") == note(own, NOON, video="vid_2") == name()


def test_as_many_sessions_as_come_take_only_so_much(
    caplog: pytest.LogCaptureFixture,
) -> None:
    own = notes(most_of_one=10)

    def come(at: datetime) -> Counter[bool]:
        names = [note(own, at, viewer_of(number)) for number in range(200)]
        assert names.count("more") == 1
        return Counter(name not in {None, "more"} for name in names)

    later, before = NOON + timedelta(minutes=3), REFUSALS.total("live_sessions_of_one")

    assert come(NOON)[True] == come(later)[True] == 10
    # That it is said is the business of all shares.
    assert REFUSALS.total("live_sessions_of_one") - before == 2 * 190
    assert "198.51" not in caplog.text


def test_one_organization_s_viewers_leave_room_for_those_of_others() -> None:
    own = notes(most_of_one=100)

    def followed(org: str, viewers: int = 1000) -> int:
        names = [
            note(own, NOON, viewer_of(number), f"vid_{org}", org)
            for number in range(viewers)
        ]
        return sum(name not in {None, "more"} for name in names)

    # Five shares in all, of which the last is kept for who has few viewers.
    assert [followed(f"org_{number}") for number in range(4)] == [100] * 4
    assert [followed(f"org_small_{number}", 5) for number in range(10)] == [5] * 10
    assert followed("org_5") == 6


def test_that_there_are_more_viewers_is_said_again_and_again() -> None:
    own = notes(most_of_one=1)
    assert note(own, NOON, viewer_of(0)) == name(viewer_of(0))

    said = [
        note(own, NOON + timedelta(seconds=after_s), viewer_of(number))
        for number, after_s in enumerate((0, 1, NOTED_EVERY_S, NOTED_EVERY_S + 1), 1)
    ]

    assert said == ["more", None, "more", None]
    assert note(own, NOON, viewer_of(1), "vid_2", "org_b") == name(viewer_of(1))


def test_simultaneous_new_viewers_are_not_more_than_the_share() -> None:
    own = notes(most_of_one=50)
    found: list[str | None] = []

    def come(first: int) -> None:
        found.extend(note(own, NOON, viewer_of(first + n)) for n in range(100))

    threads = [Thread(target=come, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(one not in {None, "more"} for one in found) == 50


def test_a_viewer_who_is_gone_takes_no_memory() -> None:
    own = notes(most_of_one=12)

    def come(number: int, seconds: float) -> bool:
        name = note(own, NOON + timedelta(seconds=seconds), viewer_of(number))
        return name not in {None, "more"}

    # Five at a time, for a minute each: there is room for all that ever come.
    everybody = [
        come(number, 60 * minute + number)
        for minute in range(10)
        for number in range(5 * minute, 5 * minute + 5)
    ]
    # Who stays is noted as before, whoever comes and goes.
    staying = [come(200, 600 + NOTED_EVERY_S * number) for number in range(60)]

    assert everybody == [True] * 50
    assert staying == [True] * 60


def test_an_address_is_in_no_representation() -> None:
    assert "203.0.113.7" not in repr(VIEWER)
    assert "browser" not in repr(VIEWER)


def test_a_session_is_not_noted_again_because_a_period_has_ended() -> None:
    own, ends = notes(), NOON + timedelta(seconds=PERIOD_S)
    # The first one begins the period.
    note(own, NOON, viewer_of(1))
    note(own, ends - timedelta(seconds=1))
    note(own, ends, viewer_of(2))

    assert note(own, ends + timedelta(seconds=1)) is None
