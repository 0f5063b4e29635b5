"""
Watching by share link.
"""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest

from tests.support.http.cinema import PLAYER, WORKER, Cinema, token_of
from tests.support.http.world import body_of, problem_of

EMAIL = "Ann@Example.com"


def master_of(share: str) -> str:
    return f"/v1/share/{share}/master.m3u8"


def test_a_session_plays_everything_for_one_view(cinema: Cinema) -> None:
    share = cinema.share(maxViews=5)

    master = cinema.load(master_of(share))

    assert master.status_code == 200
    assert master.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert master.headers["cache-control"] == "no-store"
    assert "etag" not in master.headers
    query = f"token={token_of(master.text)}"
    again = cinema.load(master_of(share), query)
    assert again.text == master.text
    assert again.headers["cache-control"] == "private, max-age=10"
    variant = cinema.load(f"/v1/share/{share}/video-720p.m3u8", query)
    assert f"video/720p/0.m4s?{query}" in variant.text
    for name in ("audio.m3u8", "video/720p/init.m4s", "video/720p/1.m4s"):
        file = cinema.load(f"/v1/share/{share}/{name}", query)
        assert file.status_code == 200
        assert file.headers["cache-control"].startswith("private")
    assert cinema.views() == [1]


def test_the_last_view_is_the_last_session(cinema: Cinema) -> None:
    share = cinema.share(maxViews=2)
    sessions = [token_of(cinema.load(master_of(share)).text) for _ in range(2)]

    third = cinema.load(master_of(share))

    problem_of(third, 403, "forbidden")
    assert len(set(sessions)) == 2
    for token in sessions:
        file = cinema.load(f"/v1/share/{share}/video/720p/0.m4s", f"token={token}")
        assert file.status_code == 200
    assert cinema.views() == [2]


def test_looking_uses_no_view(cinema: Cinema) -> None:
    share = cinema.share(maxViews=1)

    for _ in range(3):
        assert cinema.load(master_of(share), method="HEAD").status_code == 200
        assert cinema.page(f"/v1/watch/{share}").status_code == 200
        assert cinema.page(f"/v1/watch/{share}", method="HEAD").status_code == 200
        assert cinema.load(master_of(share), method="OPTIONS").status_code == 204

    assert cinema.views() == [0]
    assert cinema.load(master_of(share)).status_code == 200
    gone = cinema.load(master_of(share), method="HEAD")
    assert gone.status_code == 403
    over = cinema.page(f"/v1/watch/{share}")
    assert over.status_code == 410
    assert "watched as often as allowed" in over.text


@pytest.mark.parametrize(
    "headers", [{"If-None-Match": "*"}, {"Range": "bytes=0-1"}, {"Range": "bytes=1e9-"}]
)
def test_a_new_session_is_always_answered_whole(
    cinema: Cinema, headers: dict[str, str]
) -> None:
    share = cinema.share()

    result = cinema.load(master_of(share), headers=headers)

    assert result.status_code == 200
    assert token_of(result.text)
    assert cinema.views() == [1]


def test_a_session_that_is_unchanged_is_answered_304(cinema: Cinema) -> None:
    share = cinema.share()
    query = f"token={token_of(cinema.load(master_of(share)).text)}"
    tag = cinema.load(master_of(share), query).headers["etag"]

    again = cinema.load(master_of(share), query, headers={"If-None-Match": tag})

    assert again.status_code == 304
    assert cinema.views() == [1]


def test_an_unanswered_request_costs_no_view(cinema: Cinema) -> None:
    share = cinema.share(maxViews=1)
    cinema.api.storage.files.clear()

    problem_of(cinema.load(master_of(share)), 404, "video_not_found")

    assert cinema.views() == [0]


def test_files_need_a_session(cinema: Cinema) -> None:
    share = cinema.share()

    for name in ("video-720p.m3u8", "video/720p/0.m4s", "nothing"):
        result = cinema.load(f"/v1/share/{share}/{name}")
        problem_of(result, 401, "unauthorized")
    assert cinema.views() == [0]


@pytest.mark.parametrize("end", ["revoked", "expired", "deleted"])
def test_the_end_is_obeyed_by_the_next_request(cinema: Cinema, end: str) -> None:
    share = cinema.share(expirationHours=1)
    query = f"token={token_of(cinema.load(master_of(share)).text)}"
    files = ("video-720p.m3u8", "video/720p/0.m4s")

    if end == "revoked":
        path = f"/v1/videos/{cinema.video}/shares/{share}"
        body_of(cinema.api.delete(path))
    elif end == "deleted":
        body_of(cinema.api.delete(f"/v1/videos/{cinema.video}"))
    else:
        cinema.api.clock.move(timedelta(hours=1))

    problem_of(cinema.load(master_of(share)), 403, "forbidden")
    problem_of(cinema.load(master_of(share), method="GET"), 403, "forbidden")
    for name in files:
        problem_of(cinema.load(f"/v1/share/{share}/{name}", query), 403, "forbidden")
    page = cinema.page(f"/v1/watch/{share}")
    assert page.status_code == 410
    assert page.headers["content-type"].startswith("text/html")
    said = {"revoked": "withdrawn", "expired": "expired", "deleted": "removed"}
    assert said[end] in page.text
    assert page.headers["x-request-id"] in page.text


def test_a_session_ends_after_a_day(cinema: Cinema) -> None:
    share = cinema.share(expirationHours=48)
    query = f"token={token_of(cinema.load(master_of(share)).text)}"
    cinema.api.clock.move(timedelta(hours=24, seconds=6))

    result = cinema.load(f"/v1/share/{share}/video/720p/0.m4s", query)

    problem_of(result, 401, "unauthorized")
    assert cinema.load(master_of(share)).status_code == 200


def test_an_unknown_link_is_not_found(cinema: Cinema) -> None:
    for share in ("shr_" + "0" * 22, "shr_x", "%00", "vid_" + "0" * 22):
        problem_of(cinema.load(master_of(share)), 404, "not_found")
        assert cinema.page(f"/v1/watch/{share}").status_code == 404


def test_an_unfinished_video_is_not_there_yet(cinema: Cinema) -> None:
    cinema.video = cinema.api.transcoding()
    share = cinema.share(maxViews=1)

    problem_of(cinema.load(master_of(share)), 404, "video_not_found")
    assert cinema.page(f"/v1/watch/{share}").status_code == 404
    assert cinema.views() == [0]


def test_tokens_open_only_what_they_were_made_for(cinema: Cinema) -> None:
    share, other = cinema.share(), cinema.share()
    session = token_of(cinema.load(master_of(share)).text)
    signed = body_of(cinema.api.get(f"/v1/videos/{cinema.video}/signed-url"))
    playback = signed["signed_url"].partition("?token=")[2]
    private = f"/v1/private/{cinema.video}/master.m3u8"
    picture = f"/t/{cinema.video}/64x36.jpg"

    for path, token, status in (
        (f"/v1/share/{other}/video/720p/0.m4s", session, 403),
        (master_of(other), session, 403),
        (private, session, 403),
        (picture, session, 403),
        (master_of(share), playback, 403),
        (f"/v1/share/{share}/video/720p/0.m4s", playback, 403),
        (master_of(share), "broken", 401),
        (master_of(share), "", 401),
        (master_of(share), f"{session}&token={session}", 401),
    ):
        assert cinema.load(path, f"token={token}").status_code == status, path
    assert sorted(cinema.views()) == [0, 1]


def test_the_page_waits_for_the_viewer(cinema: Cinema) -> None:
    share = cinema.share()

    page = cinema.page(f"/v1/watch/{share}")

    assert f'src="{WORKER}{master_of(share)}"' in page.text
    assert " single-view" in page.text
    assert re.search(r'src="\.\./player/[0-9a-f]{12}/embed\.js"', page.text)
    assert f'poster="{WORKER}/t/{cinema.video}/1280x720.jpg?token=' in page.text
    assert page.headers["cache-control"] == "no-store"
    assert "form-action 'none'" in page.headers["content-security-policy"]


def test_the_page_offers_a_transcript_if_there_are_captions(cinema: Cinema) -> None:
    share = cinema.share()
    before = cinema.page(f"/v1/watch/{share}").text
    answer = cinema.api.call(
        "PUT",
        f"/v1/videos/{cinema.video}/captions/en",
        body=b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n",
        headers={"Content-Type": "text/vtt"},
    )
    assert answer.status_code == 200

    after = cinema.page(f"/v1/watch/{share}").text

    assert 'transcript="closed"' in after
    assert "data-transcript" in after
    assert "transcript" not in before.lower()


def test_the_page_says_how_long_and_how_often(cinema: Cinema) -> None:
    share, endless = cinema.share(maxViews=3, expirationHours=1), cinema.share()

    page = cinema.page(f"/v1/watch/{share}")

    ends_at = cinema.api.clock.now() + timedelta(hours=1)
    assert f'<time datetime="{ends_at:%Y-%m-%dT%H:%M:%SZ}"' in page.text
    assert f"{ends_at.day} {ends_at:%B %Y, %H:%M} UTC" in page.text
    assert "3 more times" in page.text
    for _ in range(2):
        cinema.load(master_of(share))
    assert "once more" in cinema.page(f"/v1/watch/{share}").text
    assert "watched" not in cinema.page(f"/v1/watch/{endless}").text


def test_a_name_changes_nothing_but_its_own_text(cinema: Cinema) -> None:
    name = '<script>alert(1)</script> \u202egpj.exe\r\n"x'
    cinema.rename(name)
    share = cinema.share()

    page = cinema.page(f"/v1/watch/{share}")

    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; gpj.exe &quot;x</h1>" in page.text
    assert "\u202e" not in page.text


def test_a_link_for_one_viewer_asks_who_is_there(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)

    page = cinema.page(f"/v1/watch/{share}")

    assert page.status_code == 200
    assert '<form method="post"' in page.text
    assert "E-mail address" in page.text
    assert EMAIL.lower() not in page.text.lower()
    # Nor what the video is called or looks like.
    assert "clip" not in page.text
    assert cinema.video not in page.text
    assert "form-action 'self'" in page.headers["content-security-policy"]
    problem_of(cinema.load(master_of(share)), 403, "forbidden")
    assert cinema.load(master_of(share), method="HEAD").status_code == 403
    assert cinema.views() == [0]


def test_a_form_that_is_too_large_is_not_read(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)

    page = cinema.page(f"/v1/watch/{share}", form="email=" + "x" * 5000)

    problem_of(page, 413, "payload_too_large")


def test_a_form_to_a_link_that_is_over_says_so(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL, expirationHours=1)
    cinema.api.clock.move(timedelta(hours=1))

    for form in (f"email={quote(EMAIL)}", "email="):
        assert cinema.page(f"/v1/watch/{share}", form=form).status_code == 410


def test_a_form_to_an_open_link_shows_the_video(cinema: Cinema) -> None:
    share = cinema.share()

    for form in ("email=x%40y.de", ""):
        page = cinema.page(f"/v1/watch/{share}", form=form)
        assert page.status_code == 200
        assert f"{WORKER}{master_of(share)}" in page.text


def test_pages_and_files_have_addresses_of_their_own(cinema: Cinema) -> None:
    """
    Worker and player may share a host; the path tells them apart.
    """
    share = body_of(cinema.api.post(f"/v1/videos/{cinema.video}/share", {}))

    assert share["shareURL"].startswith(f"{PLAYER}/v1/watch/")
    assert share["deliveryURL"].startswith(f"{WORKER}/v1/share/")
