"""
Playback sessions: who begins one, and what players may report about it.
"""

import json
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from falcon.testing import TestClient

from hvcore.domain.analytics.playback_sessions import SessionsBy
from hvcore.persistence.engine import writing
from hvcore.services.playback.sessions import (
    MOST_AT_ONCE,
    MOST_BEGUN_BY_ONE,
    RETENTION,
    SessionTokens,
)
from hvcore_delivery.app import make_app
from tests.conftest import SettableClock
from tests.delivery.theatre import GOOD, PHONE, Theatre, theatre_of
from tests.support.http.delivery_worker import worker_by
from tests.support.media_samples import OTHER, VIDEO


def test_a_session_is_begun_and_reported(theatre: Theatre, session: str) -> None:
    told = theatre.report({"session": session, "number": 1, **GOOD})

    assert (told.status_code, told.text) == (204, "")
    assert told.headers["access-control-allow-origin"] == "*"
    (day,) = theatre.sums()
    assert (day.of("begun"), day.of("reported"), day.reported_share) == (1, 1, 1.0)
    assert (day.of("startup_ms"), day.mean_startup_ms) == (800, 800.0)
    assert day.rebuffering_share == pytest.approx(2 / 52)


def test_the_token_of_a_session_is_kept_by_no_cache(theatre: Theatre) -> None:
    begun = theatre.begin()

    assert begun.status_code == 201
    assert begun.headers["cache-control"] == "no-store"
    assert begun.headers["content-type"] == "application/json"


def test_sessions_are_told_apart_by_device_and_country(theatre: Theatre) -> None:
    theatre.begin(User_Agent=PHONE, CF_IPCountry="NZ")
    theatre.begin(User_Agent="curl/8", CF_IPCountry="nowhere")

    devices = {sums.value for sums in theatre.sums(SessionsBy.DEVICE)}
    countries = {sums.value for sums in theatre.sums(SessionsBy.COUNTRY)}

    assert devices == {"phone", "other"}
    assert countries == {"NZ", ""}


def test_a_later_report_replaces_the_earlier_one(
    theatre: Theatre, session: str
) -> None:
    theatre.report({"session": session, "number": 1, **GOOD})
    theatre.clock.moment += timedelta(minutes=1)

    theatre.report({"session": session, "number": 2, **GOOD, "playedMs": 90_000})

    (day,) = theatre.sums()
    assert (day.of("reported"), day.of("started")) == (1, 1)
    assert (day.of("played_ms"), day.of("rebuffering_ms")) == (90_000, 2_000)


def test_a_replayed_report_and_an_overtaken_one_change_nothing(
    theatre: Theatre, session: str
) -> None:
    second = {"session": session, "number": 2, **GOOD}
    theatre.report(second)

    again = theatre.report({**second, "playedMs": 1})
    late = theatre.report({**second, "number": 1, "playedMs": 1})

    assert (again.status_code, late.status_code) == (204, 204)
    assert theatre.sums()[0].of("played_ms") == 50_000


def test_a_private_video_needs_its_token(clock: SettableClock, tmp_path: Path) -> None:
    with theatre_of(clock, tmp_path, is_public=False) as theatre:
        refused = theatre.begin()
        query = f"token={theatre.worker.token()}"
        begun = theatre.begin(query=query)
        other = theatre.begin(OTHER, query=query)

        assert refused.status_code == 401
        assert begun.status_code == 201
        assert other.status_code == 403
        assert theatre.measures() == {"begun": 1}


@pytest.mark.parametrize(
    "forge",
    [
        lambda token: token.replace(VIDEO, OTHER),
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token.replace("other", "phone"),
        lambda _token: "~~~~~~~",
        lambda _token: "é",
        lambda _token: (
            "~" + SessionTokens("another secret of 32 characters!")._signatures("")[0]
        ),
    ],
)
def test_a_forged_session_is_refused(
    theatre: Theatre, session: str, forge: Callable[[str], str]
) -> None:
    told = theatre.report({"session": forge(session), "number": 1, **GOOD})

    assert told.status_code == 401
    assert theatre.measures() == {"begun": 1}


def test_a_session_is_over_after_a_day(theatre: Theatre, session: str) -> None:
    theatre.clock.moment += timedelta(days=1)

    assert theatre.report({"session": session, "number": 1}).status_code == 401


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (400, {"playedMs": 120_000}),
        (400, {"rebufferingMs": 30_000}),
        (400, {"startupMs": 120_001}),
        (400, {"playedMs": -1}),
        (400, {"errors": 1_001}),
        (400, {"number": 0}),
        (400, {"number": None}),
        (422, {"playedMs": "1"}),
        (422, {"playedMs": 1.5}),
        (422, {"session": 1}),
        (429, {"number": 9}),
    ],
)
def test_impossible_figures_are_refused(
    theatre: Theatre, session: str, status: int, changes: dict[str, object]
) -> None:
    told = theatre.report({"session": session, "number": 1, **GOOD, **changes})

    assert told.status_code == status
    assert theatre.measures() == {"begun": 1}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 900])
def test_garbage_is_refused_in_words(theatre: Theatre, body: bytes) -> None:
    told = theatre.report(body)

    assert told.status_code in {400, 422}
    assert told.json["detail"]


def test_a_report_has_at_most_a_kilobyte(theatre: Theatre, session: str) -> None:
    body = {"session": session, "number": 1, **GOOD}

    fits = theatre.report(json.dumps(body).ljust(1_024))
    too_large = theatre.report(json.dumps(body).ljust(1_025))

    assert (fits.status_code, too_large.status_code) == (204, 413)


def test_thousands_of_reports_of_one_session_count_once(
    theatre: Theatre, session: str
) -> None:
    statuses = [
        theatre.report({"session": session, "number": number, **GOOD}).status_code
        for number in range(1, 1_001)
    ]

    assert statuses == [204] * 8 + [429] * 992
    assert theatre.measures() == {"begun": 1, "reported": 1, "started": 1}


def test_one_address_begins_a_limited_number_of_sessions(theatre: Theatre) -> None:
    statuses = [theatre.begin().status_code for _ in range(MOST_BEGUN_BY_ONE + 1)]
    theatre.clock.moment += timedelta(minutes=1)

    assert statuses == [201] * MOST_BEGUN_BY_ONE + [429]
    assert theatre.begin().status_code == 201


def test_all_addresses_of_an_ipv6_network_begin_as_one(theatre: Theatre) -> None:
    def begin(number: int) -> int:
        told = theatre.http.simulate_post(
            f"/v1/playback-sessions/{VIDEO}", remote_addr=f"2001:db8::{number:x}"
        )
        return told.status_code

    statuses = [begin(number) for number in range(MOST_BEGUN_BY_ONE + 1)]

    assert statuses == [201] * MOST_BEGUN_BY_ONE + [429]


def test_a_slow_start_is_reported_though_the_session_began_late(
    theatre: Theatre, session: str
) -> None:
    slow = {"startupMs": 90_000, "playedMs": 0, "rebufferingMs": 0}

    assert theatre.report({"session": session, "number": 1, **slow}).status_code == 204


def test_reports_wait_for_a_busy_store_in_a_few_threads_only(
    theatre: Theatre, session: str
) -> None:
    body = {"session": session, "number": 1, **GOOD}
    sessions = theatre.worker.playback_sessions
    assert sessions is not None
    with ExitStack() as stack:
        for _ in range(MOST_AT_ONCE):
            stack.enter_context(sessions._place())

        refused = theatre.report(body)

    assert refused.status_code == 503
    assert "Retry-After" in refused.headers
    assert theatre.report(body).status_code == 204


def test_a_report_gives_up_while_another_writer_holds_the_store(
    theatre: Theatre, session: str
) -> None:
    body = {"session": session, "number": 1, **GOOD}
    with writing(theatre.store._engine):
        assert theatre.report(body).status_code == 503

    assert theatre.report(body).status_code == 204


def test_sums_outlive_their_sessions(theatre: Theatre, session: str) -> None:
    theatre.report({"session": session, "number": 1, **GOOD})
    sessions = theatre.worker.playback_sessions
    assert sessions is not None
    theatre.clock.moment += RETENTION

    sessions.forget_old()

    assert theatre.sums()[0].of("reported") == 1
    assert not theatre.store.forget(theatre.clock.now())


def test_sessions_are_off_unless_they_are_switched_on(
    clock: SettableClock, tmp_path: Path
) -> None:
    worker = worker_by("local", clock, tmp_path, is_public=True)
    http = TestClient(make_app(worker))

    assert http.simulate_post(f"/v1/playback-sessions/{VIDEO}").status_code in {
        404,
        405,
    }
    assert http.simulate_post("/v1/playback-reports").status_code == 404
