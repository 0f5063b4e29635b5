"""
Reports of playback sessions, sent by those who want other figures than their own to change.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from falcon.testing import Result

from hvcore.domain.analytics.playback_sessions import SessionsBy
from hvcore.domain.analytics.segments import ALL_TIME
from hvcore.domain.ids import VideoId
from hvcore.services.playback.sessions import SessionTokens
from tests.conftest import SettableClock
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import Template, settings_of

GOOD: Final = {"startupMs": 800, "playedMs": 5_000}
ODD: Final = ("%00", "vid_", "..%2f..", "ek_", "9" * 5_000, "%ff%fe", "a~b~c", "*")
PHONE: Final = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Mobile/15E148"
ORIGIN: Final = "https://example.com"


@pytest.fixture
def cinema(
    _template: Template, tmp_path: Path, clock: SettableClock
) -> Iterator[Cinema]:
    """
    An installation whose players may report, with a private video.
    """
    settings = settings_of(tmp_path)
    analytics = attrs.evolve(settings.analytics, playback_sessions=True)
    with _template.open(attrs.evolve(settings, analytics=analytics), clock) as world:
        yield Cinema(api=world)


def begin(cinema: Cinema, video: str, query: str = "", **headers: str) -> Result:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return cinema.worker.simulate_post(
        f"/v1/playback-sessions/{video}", query_string=query, headers=names
    )


def report(cinema: Cinema, session: str, number: int = 1, **more: object) -> Result:
    body = {"session": session, "number": number, **GOOD, **more}
    return cinema.worker.simulate_post("/v1/playback-reports", body=json.dumps(body))


def sums(cinema: Cinema, video: str, by: SessionsBy = SessionsBy.DAY) -> dict[str, Any]:
    """
    Return the sums of a video's sessions, without buckets.
    """
    store = cinema.api.services.playback_session_store
    assert store is not None
    return {
        one.value: {k: n for k, n in one.measures.items() if n and "_" not in k}
        for one in store.sums(VideoId(video), ALL_TIME, by)
    }


def signed(cinema: Cinema, video: str) -> str:
    """
    Return the query of a signed address of a video.
    """
    path = f"/v1/videos/{video}/signed-url?expiration=1h"
    url: str = cinema.api.get(path).json["body"]["signed_url"]
    return url.partition("?")[2]


def test_a_private_video_begins_no_session_for_strangers(cinema: Cinema) -> None:
    other = cinema.playable()

    without = begin(cinema, cinema.video)
    with_other = begin(cinema, cinema.video, signed(cinema, other))
    with_own = begin(cinema, cinema.video, signed(cinema, cinema.video))

    assert (without.status_code, with_other.status_code) == (401, 403)
    assert with_own.status_code == 201
    assert sums(cinema, cinema.video) == {"": {"begun": 1}}
    assert sums(cinema, other) == {}


def test_a_session_of_one_video_changes_no_figure_of_another(cinema: Cinema) -> None:
    """Every part of a token is signed, with a key that nobody outside has."""
    mine, theirs = cinema.playable(is_public=True), cinema.playable(is_public=True)
    session: str = begin(cinema, mine).json["session"]
    begin(cinema, theirs)
    cinema.api.clock.move(timedelta(minutes=1))
    parts = session.split("~")
    forged = [
        "~".join([*parts[:index], changed, *parts[index + 1 :]])
        for index in range(len(parts))
        for changed in (theirs, "", "0", parts[0])
        if changed != parts[index]
    ]
    forged.append(SessionTokens("p" * 32).write(_read(cinema, session)))

    statuses = {report(cinema, token).status_code for token in forged}

    assert statuses <= {400, 401}
    assert sums(cinema, theirs) == {"": {"begun": 1}}
    assert sums(cinema, mine) == {"": {"begun": 1}}


def test_a_borrowed_name_changes_no_session_of_another(cinema: Cinema) -> None:
    """A stranger with a player's name begins a session of the stranger's own, or the same one."""
    mine, theirs = cinema.playable(is_public=True), cinema.playable(is_public=True)
    body = json.dumps({"name": "0123456789abcdef0123456789abcdef"})
    path = "/v1/playback-sessions/"
    first = cinema.worker.simulate_post(path + theirs, body=body).json["session"]
    copied = cinema.worker.simulate_post(path + mine, body=body).json["session"]
    phone = cinema.worker.simulate_post(
        path + theirs, body=body, headers={"User-Agent": PHONE}
    ).json["session"]
    cinema.api.clock.move(timedelta(minutes=1))
    report(cinema, first, number=5)

    report(cinema, copied, number=6, playedMs=0, errors=9)
    report(cinema, phone, number=7, playedMs=0, errors=9)

    assert sums(cinema, mine)[""]["errors"] == 9
    assert sums(cinema, theirs, SessionsBy.DEVICE) == {
        "other": {"begun": 1, "reported": 1, "started": 1},
        "phone": {"begun": 1, "reported": 1, "started": 1, "errors": 9},
    }


def test_an_edge_key_begins_sessions_while_it_opens_its_video(cinema: Cinema) -> None:
    key = cinema.edge_key(domains=["example.com"])

    elsewhere = begin(cinema, key, Origin="https://example.org")
    begun = begin(cinema, key, Origin=ORIGIN)
    path = f"/v1/videos/{cinema.video}/edge-keys/{key}"
    assert cinema.api.delete(path).status_code in {200, 204}
    revoked = begin(cinema, key, Origin=ORIGIN)
    unknown = begin(cinema, "ek_" + "A" * (len(key) - 3), Origin=ORIGIN)

    assert (elsewhere.status_code, begun.status_code) == (403, 201)
    assert (revoked.status_code, unknown.status_code) == (403, 404)
    cinema.api.clock.move(timedelta(minutes=1))
    assert report(cinema, begun.json["session"]).status_code == 204
    found = {"begun": 1, "reported": 1, "started": 1}
    assert sums(cinema, cinema.video) == {"": found}


@pytest.mark.parametrize("video", ODD)
def test_odd_names_of_videos_begin_nothing(cinema: Cinema, video: str) -> None:
    refused = begin(cinema, video)

    assert refused.status_code in {400, 401, 404, 414}
    assert len(refused.content) < 10_000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b'"' * 1_024,
        b"[" * 1_024,
        b'{"session":' * 90,
        b'{"session":"a","number":1e999}',
        b'{"session":"a","number":NaN}',
        b'{"session":"a","session":"b","number":1}',
        json.dumps({"session": "x~" * 200, "number": 1}).encode(),
        json.dumps({"session": "\ud800", "number": 1}).encode(),
        json.dumps({"session": "~".join("aaa1234"), "number": 1}).encode(),
    ],
)
def test_malformed_reports_are_refused_and_count_nothing(
    cinema: Cinema, body: bytes
) -> None:
    refused = cinema.worker.simulate_post("/v1/playback-reports", body=body)

    assert refused.status_code in {400, 401, 422}
    assert refused.json["detail"]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "image/png"])
def test_other_media_types_are_refused(cinema: Cinema, kind: str) -> None:
    refused = cinema.worker.simulate_post(
        "/v1/playback-reports", body=b"{}", headers={"Content-Type": kind}
    )

    assert refused.status_code == 415


def _read(cinema: Cinema, session: str) -> Any:  # noqa: ANN401 - a session
    key = cinema.api.services.settings.playback.signing_key
    return SessionTokens(key).read(session, cinema.api.clock.now())
