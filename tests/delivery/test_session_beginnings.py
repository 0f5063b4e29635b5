"""
The beginning of a playback session: counted once, and of few countries.
"""

import logging
from datetime import timedelta
from typing import Final

import pytest

from hvcore.domain.analytics.playback_sessions import MOST_COUNTRIES, SessionsBy
from hvcore.domain.videos.states import VideoState
from hvcore.services.playback.refusal_log import LINES_OF_REPORTS
from hvcore.services.playback.sessions import SessionTokens
from tests.delivery.theatre import GOOD, PHONE, SECRET, Theatre
from tests.support.media_samples import VIDEO

NAMED: Final = {"name": "0123456789abcdef-_ABCD"}


def test_a_beginning_that_is_sent_again_counts_once(theatre: Theatre) -> None:
    """A lost answer is no second session, and the session keeps its first moment."""
    first = theatre.begin(body=NAMED)
    theatre.clock.moment += timedelta(minutes=1)

    again = theatre.begin(body=NAMED)

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json == first.json
    assert theatre.measures() == {"begun": 1}


def test_one_name_on_two_devices_is_two_sessions(theatre: Theatre) -> None:
    """A report of one device takes nothing from the sums of another."""
    desktop = theatre.begin(body=NAMED).json["session"]
    phone = theatre.begin(body=NAMED, User_Agent=PHONE).json["session"]
    theatre.clock.moment += timedelta(minutes=1)

    theatre.report({"session": desktop, "number": 1, **GOOD})
    theatre.report({"session": phone, "number": 2, "playedMs": 1})

    found = {one.value: one.of("played_ms") for one in theatre.sums(SessionsBy.DEVICE)}
    assert found == {"other": 50_000, "phone": 1}


def test_a_beginning_without_a_name_counts_each_time(theatre: Theatre) -> None:
    theatre.begin()
    theatre.begin()

    assert theatre.measures() == {"begun": 2}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"name": "short"}),
        (400, {"name": "x" * 65}),
        (400, {"name": "0123456789abcdef~01234"}),
        (400, {"name": ""}),
        (422, {"name": 7}),
        (413, b"{}".ljust(1_025)),
        (400, b"{"),
    ],
)
def test_an_odd_name_begins_nothing(
    theatre: Theatre, status: int, body: object
) -> None:
    refused = theatre.begin(body=body)

    assert refused.status_code == status
    assert theatre.measures() == {}


def test_a_name_that_is_too_long_is_told_as_far_as_a_name_goes(
    theatre: Theatre,
) -> None:
    refused = theatre.begin(body={"name": "x" * 65})

    assert [one["value"] for one in refused.json["errors"]] == ["x" * 64]


def test_countries_beyond_the_fiftieth_count_as_unknown(theatre: Theatre) -> None:
    """A stranger with invented countries cannot fill the table of sums."""
    letters = "ABCDEFGHIJ"
    codes = [f"{one}{other}" for one in letters for other in letters]

    tokens = [theatre.begin(CF_IPCountry=code).json["session"] for code in codes]
    known = theatre.begin(CF_IPCountry=codes[0]).json["session"]

    found = {one.value: one.of("begun") for one in theatre.sums(SessionsBy.COUNTRY)}
    assert len(found) == MOST_COUNTRIES + 1
    assert found[""] == len(codes) - MOST_COUNTRIES
    assert found[codes[0]] == 2
    read = SessionTokens(SECRET).read
    assert read(tokens[-1], theatre.clock.moment).country == ""
    assert read(known, theatre.clock.moment).country == codes[0]


def test_no_session_begins_while_its_owner_may_deliver_no_more(
    theatre: Theatre,
) -> None:
    theatre.worker.change(may_begin=False)

    refused = theatre.begin()

    assert (refused.status_code, refused.json["code"]) == (429, "quota_exceeded")
    assert "Retry-After" in refused.headers["access-control-expose-headers"]
    assert theatre.measures() == {}


def test_nothing_is_written_about_a_deleted_video(
    theatre: Theatre, session: str
) -> None:
    theatre.worker.change(state=VideoState.DELETED)

    refused = theatre.report({"session": session, "number": 1, **GOOD})

    assert (refused.status_code, refused.json["code"]) == (404, "video_not_found")
    assert theatre.measures() == {"begun": 1}


def test_sessions_go_on_after_the_key_was_replaced(
    theatre: Theatre, session: str
) -> None:
    now = theatre.clock.moment
    replaced = SessionTokens("another secret of 32 characters!", SECRET)

    assert replaced.read(session, now).video_id == VIDEO
    assert replaced.read(replaced.write(replaced.read(session, now)), now)


def test_refused_reports_leave_the_lines_of_other_refusals_alone(
    theatre: Theatre, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for number in range(2 * LINES_OF_REPORTS):
        theatre.http.simulate_post(
            "/v1/playback-reports", body=b"{", remote_addr=f"192.0.2.{number}"
        )

    found = [
        record for record in caplog.records if record.message == "playback refused"
    ]
    assert {vars(record)["hv_rule"] for record in found} == {"playback_report"}
    assert len(found) == LINES_OF_REPORTS
