"""
Playing by edge key.
"""

import re
from datetime import timedelta

import pytest

from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import InternalError
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from tests.support.http.cinema import PLAYER, WORKER, Cinema, token_of
from tests.support.http.world import body_of, problem_of


def test_an_edge_key_plays_a_private_video_without_a_token(cinema: Cinema) -> None:
    key = cinema.edge_key()

    master = cinema.page(f"/v1/{key}/master.m3u8")

    assert master.status_code == 200
    assert master.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert master.headers["cache-control"] == "private, max-age=10"
    assert master.headers["access-control-allow-origin"] == "*"
    assert "token" not in master.text
    for name in ("video-720p.m3u8", "audio.m3u8", "video/720p/1.m4s", "audio/0.m4s"):
        assert cinema.page(f"/v1/{key}/{name}").status_code == 200
    segment = cinema.page(f"/v1/{key}/video/720p/0.m4s", headers={"Range": "bytes=0-4"})
    assert segment.status_code == 206
    assert segment.content == b"video"
    assert segment.headers["cache-control"].startswith("private")
    assert cinema.page(f"/v1/{key}/master.m3u8", method="HEAD").status_code == 200
    problem_of(cinema.page(f"/v1/{key}/nothing.m4s"), 404, "not_found")


def test_no_shared_cache_keeps_a_public_video_for_an_edge_key(cinema: Cinema) -> None:
    cinema.video = cinema.playable(is_public=True)
    key = cinema.edge_key()

    for name in ("master.m3u8", "video/720p/0.m4s"):
        result = cinema.page(f"/v1/{key}/{name}")
        assert result.headers["cache-control"].startswith("private")


def test_segments_are_counted_by_whatever_address_they_are_served(
    cinema: Cinema,
) -> None:
    """
    Both kinds of links go where every segment is counted.
    """
    services = cinema.api.services
    key, share = cinema.edge_key(), cinema.share()
    session = token_of(cinema.load(f"/v1/share/{share}/master.m3u8").text)
    viewer = Viewer(tokens=(session,))

    for name, is_counted in (
        ("video/720p/0.m4s", True),
        ("video/720p/init.m4s", False),
        ("audio/0.m4s", False),
        ("master.m3u8", False),
    ):
        by_key = services.edge_key_playback.open(key, name, Viewer())
        shared = services.share_link_playback.open(share, name, viewer, begins=True)
        assert (by_key.segment is not None) is is_counted
        assert (shared.segment is not None) is is_counted


def test_a_revocation_is_obeyed_by_the_next_request(cinema: Cinema) -> None:
    key = cinema.edge_key()
    names = ("master.m3u8", "video-720p.m3u8", "video/720p/0.m4s", "no-such-file")
    assert cinema.page(f"/v1/{key}/{names[0]}").status_code == 200

    body_of(cinema.api.delete(f"/v1/edge-keys/{key}"))

    for name in names:
        problem_of(cinema.page(f"/v1/{key}/{name}"), 403, "forbidden")
    assert cinema.page(f"/v1/{key}").status_code == 403


def test_an_edge_key_ends_when_it_expires(cinema: Cinema) -> None:
    key = cinema.edge_key(expiresAt="2026-01-02T04:00:00Z")
    assert cinema.page(f"/v1/{key}/master.m3u8").status_code == 200

    cinema.api.clock.move(timedelta(hours=1))

    problem_of(cinema.page(f"/v1/{key}/master.m3u8"), 403, "forbidden")


def test_an_edge_key_of_a_deleted_video_plays_nothing(cinema: Cinema) -> None:
    key = cinema.edge_key()

    body_of(cinema.api.delete(f"/v1/videos/{cinema.video}"))

    problem_of(cinema.page(f"/v1/{key}/master.m3u8"), 404, "video_not_found")
    assert cinema.page(f"/v1/{key}").status_code == 404


@pytest.mark.parametrize(
    "key", ["ek_" + "0" * 22, "ek_short", "ek_" + "0" * 21 + "%00", "vid_x", "health"]
)
def test_an_unknown_edge_key_plays_nothing(cinema: Cinema, key: str) -> None:
    problem_of(cinema.page(f"/v1/{key}/master.m3u8"), 404, "not_found")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://example.com"}, 200),
        ({"Referer": "https://a.b.example.org:444/page"}, 200),
        # Our own page, which was judged when it was opened.
        ({"Referer": f"{PLAYER}/"}, 200),
        ({"Origin": "https://evil.test", "Referer": "https://example.com/"}, 403),
        ({"Referer": "https://example.org/"}, 403),
        ({}, 403),
    ],
)
def test_domains_hold_for_the_playlist_and_every_file(
    cinema: Cinema, headers: dict[str, str], status: int
) -> None:
    key = cinema.edge_key(domains=["example.com", "*.example.org"])

    for name in ("master.m3u8", "video/720p/0.m4s"):
        result = cinema.page(f"/v1/{key}/{name}", headers=headers)
        assert result.status_code == status


def test_the_page_of_an_edge_key_plays_its_playlist(cinema: Cinema) -> None:
    key = cinema.edge_key()

    page = cinema.page(f"/v1/{key}")

    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    assert f'src="{PLAYER}/v1/{key}/master.m3u8"' in page.text
    assert 'data-access="linked"' in page.text
    # One level higher than the other pages.
    assert re.search(r'src="player/[0-9a-f]{12}/embed\.js"', page.text)
    poster = page.text.partition('poster="')[2].partition('"')[0]
    assert poster.startswith(f"{WORKER}/t/{cinema.video}/1280x720.jpg?token=")
    picture = poster.removeprefix(WORKER).partition("?")
    assert cinema.load(picture[0], picture[2]).status_code == 200
    # It opens pictures alone.
    video = f"/v1/private/{cinema.video}/master.m3u8"
    assert cinema.load(video, picture[2]).status_code == 403
    cinema.api.clock.move(timedelta(minutes=16))
    assert cinema.load(picture[0], picture[2]).status_code == 401


def test_the_page_may_be_embedded_by_the_listed_pages_alone(cinema: Cinema) -> None:
    key = cinema.edge_key(domains=["example.com"])

    page = cinema.page(f"/v1/{key}", headers={"Referer": "https://example.com/"})

    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'self' example.com:*" in policy
    assert "form-action 'none'" in policy
    elsewhere = cinema.page(f"/v1/{key}", headers={"Referer": "https://evil.test/"})
    assert elsewhere.status_code == 403
    assert 'href="player/page.css"' in elsewhere.text


def test_the_page_of_a_public_video_needs_no_token_for_its_picture(
    cinema: Cinema,
) -> None:
    cinema.video = cinema.playable(is_public=True)

    page = cinema.page(f"/v1/{cinema.edge_key()}")

    assert f'poster="{WORKER}/t/{cinema.video}/1280x720.jpg"' in page.text


def test_a_video_without_a_picture_has_a_page(cinema: Cinema) -> None:
    cinema.video = cinema.api.ready()

    page = cinema.page(f"/v1/{cinema.edge_key()}")

    assert page.status_code == 200
    assert 'poster=""' in page.text


def test_an_error_that_no_page_explains_is_a_problem(
    cinema: Cinema, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise InternalError

    monkeypatch.setattr(EdgeKeyPlayback, "describe", fail)

    problem_of(cinema.page(f"/v1/ek_{'0' * 22}"), 500, "internal_error")
