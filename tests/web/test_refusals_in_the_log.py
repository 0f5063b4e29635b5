"""
The log and the answers tell of refusals, outages and bugs, and of no secret.
"""

import logging
import secrets
from datetime import timedelta

import pytest

from hvcore.errors import UnavailableError
from hvcore.services.playback.thumbnails.serving import Thumbnails
from tests.support.http.cinema import Cinema
from tests.support.http.world import ENV, ORG, body_of
from tests.web.refused_requests import LOG, NOBODY, private, sent, token


def test_an_outage_of_the_service_is_no_refusal(
    cinema: Cinema, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def busy(*_: object) -> None:
        raise UnavailableError("Too many pictures are being made; try again soon.")

    monkeypatch.setattr(Thumbnails, "open", busy)

    result = sent(cinema, f"/t/{cinema.video}/640x360.jpg")

    assert result.status_code == 503
    assert result.json["requestId"] == result.headers["X-Request-Id"]
    (record,) = [r for r in caplog.records if r.name == "hvcore_web.errors"]
    assert vars(record)["hv_why"].startswith("Too many pictures")


def test_a_bug_names_its_request_too(
    cinema: Cinema, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Thumbnails, "open", crash)

    result = sent(cinema, f"/t/{cinema.video}/640x360.jpg")

    assert result.status_code == 500
    assert result.json["requestId"] == result.headers["X-Request-Id"]


def test_nothing_is_written_of_what_is_served(
    cinema: Cinema, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOG)

    assert sent(cinema, private(cinema), token(cinema)).status_code == 200

    assert caplog.records == []


def test_a_line_holds_neither_tokens_nor_whole_keys(
    cinema: Cinema, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOG)
    query, key = token(cinema), cinema.edge_key(domains=["example.com"])

    sent(cinema, private(cinema, "x"), query)
    # Escaped by who copied it, and put into the path.
    sent(cinema, f"{private(cinema)}%3F{query}")
    sent(cinema, f"/v1/{key}/master.m3u8")

    lines = [str(vars(r)) for r in caplog.records]
    secret = query.removeprefix("token=")
    assert len(lines) == 3
    assert not any(part in line for line in lines for part in secret.split("."))
    assert not any(key in line for line in lines)
    paths = [vars(r)["hv_path"] for r in caplog.records]
    assert paths == [
        private(cinema, "x"),
        f"{private(cinema)}…",
        f"/v1/{key[:9]}…/master.m3u8",
    ]


def test_a_stranger_learns_nothing_of_whether_a_video_exists(cinema: Cinema) -> None:
    """
    Answers are the same to the byte but for the request's id.
    """
    deleted = cinema.playable(is_public=True)
    body_of(cinema.api.delete(f"/v1/videos/{deleted}"))
    elsewhere = cinema.playable(is_public=True)
    named = {"X-Request-Id": "the-same"}

    def answer(path: str) -> bytes:
        return sent(cinema, path, headers=named).content

    public = {
        answer(f"/v1/public/{ORG}/{place}/{video}/master.m3u8")
        for video, place in (
            (NOBODY, ENV),
            (deleted, ENV),
            (cinema.api.failed(), ENV),
            (cinema.api.transcoding(), ENV),
            (elsewhere, "dev"),
        )
    }
    pages = {
        answer(f"/v1/embed/{video}")
        for video in (NOBODY, deleted, cinema.api.transcoding())
    }
    tokens = {
        sent(cinema, private(cinema), query, headers=named).content
        for query in (
            f"token={secrets.token_urlsafe()}",
            token(cinema, now=cinema.api.clock.now() - timedelta(hours=2)),
            token(cinema)[:-2],
        )
    }

    assert len(public) == len(pages) == len(tokens) == 1
