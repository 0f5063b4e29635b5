"""
Refusals of edge keys and share links are named in the log, and in no answer.
"""

from datetime import timedelta
from typing import Any

from hvcore.domain.links.links import MAX_GUESSES
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.world import body_of
from tests.web.refused_requests import Refused, sent


def test_an_unknown_edge_key_is_named(refused: Refused) -> None:
    unknown = (404, "edge_key_unknown")

    assert refused(f"/v1/ek_{'0' * 22}/master.m3u8") == unknown
    assert refused("/v1/ek_x") == unknown


def test_a_revoked_edge_key_is_named(cinema: Cinema, refused: Refused) -> None:
    key = cinema.edge_key(expiresAt="2026-01-02T04:00:00Z")
    body_of(cinema.api.delete(f"/v1/edge-keys/{key}"))
    # Whatever became of it later.
    cinema.api.clock.move(timedelta(hours=1))

    for path in (f"/v1/{key}", f"/v1/{key}/master.m3u8"):
        assert refused(path) == (403, "edge_key_revoked")


def test_an_expired_edge_key_is_named(cinema: Cinema, refused: Refused) -> None:
    key = cinema.edge_key(expiresAt="2026-01-02T04:00:00Z")
    cinema.api.clock.move(timedelta(hours=1))

    for path in (f"/v1/{key}", f"/v1/{key}/master.m3u8"):
        assert refused(path) == (403, "edge_key_expired")


def test_an_unknown_share_link_is_named(refused: Refused) -> None:
    unknown = (404, "share_unknown")

    assert refused(f"/v1/share/shr_{'0' * 22}/master.m3u8") == unknown
    assert refused("/v1/watch/shr_x") == unknown


def test_a_revoked_share_link_is_named(cinema: Cinema, refused: Refused) -> None:
    share = cinema.share()
    body_of(cinema.api.delete(f"/v1/videos/{cinema.video}/shares/{share}"))

    assert refused(f"/v1/share/{share}/master.m3u8") == (403, "share_revoked")
    assert refused(f"/v1/watch/{share}") == (410, "share_revoked")


def test_an_expired_share_link_is_named(cinema: Cinema, refused: Refused) -> None:
    share = cinema.share(expirationHours=1)
    cinema.api.clock.move(timedelta(hours=1))

    assert refused(f"/v1/share/{share}/master.m3u8") == (403, "share_expired")
    assert refused(f"/v1/watch/{share}") == (410, "share_expired")


def test_a_share_link_without_views_is_named(cinema: Cinema, refused: Refused) -> None:
    share = cinema.share(maxViews=1)
    path = f"/v1/share/{share}/master.m3u8"
    assert cinema.load(path).status_code == 200

    assert refused(path) == (403, "share_used_up")
    assert refused(path, method="HEAD") == (403, "share_used_up")
    assert refused(f"/v1/watch/{share}") == (410, "share_used_up")


def test_a_file_without_a_session_is_named(cinema: Cinema, refused: Refused) -> None:
    path = f"/v1/share/{cinema.share()}/video-720p.m3u8"

    assert refused(path) == (401, "share_session_missing")


def test_a_session_of_another_link_is_named(cinema: Cinema, refused: Refused) -> None:
    begun = cinema.load(f"/v1/share/{cinema.share()}/master.m3u8")
    other = f"/v1/share/{cinema.share()}/video-720p.m3u8"

    answer = refused(other, f"token={token_of(begun.text)}")

    assert answer == (403, "token_other_share")


def form(email: str) -> dict[str, Any]:
    return {
        "body": f"email={email}",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
    }


def test_an_unknown_viewer_is_named(cinema: Cinema, refused: Refused) -> None:
    share = cinema.share(viewerEmail="ann@example.com")
    unknown = (403, "share_viewer_unknown")

    wrong_code = {
        **form("bob@example.com"),
        "body": "request=none&email=bob%40example.com&code=123456",
    }

    assert refused(f"/v1/share/{share}/master.m3u8") == unknown
    assert refused(f"/v1/watch/{share}", **wrong_code) == unknown


def test_a_link_that_was_guessed_at_is_named(cinema: Cinema, refused: Refused) -> None:
    share = cinema.share(viewerEmail="ann@example.com")
    for _ in range(MAX_GUESSES):
        sent(cinema, f"/v1/watch/{share}", **form("bob@example.com"))

    answer = refused(f"/v1/watch/{share}", **form("ann@example.com"))

    assert answer == (429, "share_guessed_at")
