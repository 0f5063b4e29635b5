"""
The player page.
"""

import re
import shutil
from pathlib import Path

import pytest
from falcon.testing import Result

from hv_player.app import STATIC
from hvcore.domain.videos.video import VideoState
from hvcore.playback_tokens import TokenUse
from tests.conftest import SettableClock
from tests.http.delivery_world import WORKER_URL, DeliveryWorld, make_world
from tests.media_samples import OTHER, VIDEO

EMBED = f"/v1/embed/{VIDEO}"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """
    The page's files, with a stand-in for the one that is fetched.
    """
    folder = tmp_path / "static"
    shutil.copytree(STATIC, folder, ignore=shutil.ignore_patterns("vendor"))
    (folder / "vendor").mkdir()
    (folder / "vendor" / "hls.min.js").write_text("/* hls.js */")
    return folder


def world_with(clock: SettableClock, static: Path, *, is_public: bool) -> DeliveryWorld:
    made = make_world(clock, None, is_public=is_public)
    return DeliveryWorld(
        clock=clock,
        directory=made.directory,
        storage=made.storage,
        key_ring=made.key_ring,
        static=static,
    )


@pytest.fixture
def public(clock: SettableClock, static: Path) -> DeliveryWorld:
    return world_with(clock, static, is_public=True)


@pytest.fixture
def private(clock: SettableClock, static: Path) -> DeliveryWorld:
    return world_with(clock, static, is_public=False)


def policy(result: Result) -> dict[str, str]:
    rules = result.headers["content-security-policy"].split("; ")
    return dict(rule.partition(" ")[::2] for rule in rules)


def page(world: DeliveryWorld, query: str = "", **headers: str) -> Result:
    return world.player.simulate_get(EMBED, query_string=query, headers=headers)


def test_the_page_of_a_public_video_names_its_public_playlist(
    public: DeliveryWorld,
) -> None:
    result = page(public)

    assert result.status_code == 200
    assert result.headers["content-type"].startswith("text/html")
    master = f"{WORKER_URL}/v1/public/org_a/env_1/{VIDEO}/master.m3u8"
    assert f'data-master="{master}"' in result.text
    assert f'data-poster="{WORKER_URL}/t/{VIDEO}/1280x720.jpg"' in result.text
    assert 'data-access="public"' in result.text
    assert "<title>A clip</title>" in result.text


def test_the_page_of_a_private_video_holds_no_token(private: DeliveryWorld) -> None:
    token = private.token()

    result = page(private, f"token={token}")

    assert result.status_code == 200
    assert f'data-master="{WORKER_URL}/v1/private/{VIDEO}/master.m3u8"' in result.text
    assert 'data-access="private"' in result.text
    assert token not in result.text
    assert token not in str(result.headers)
    assert result.headers["cache-control"] == "no-store"
    assert result.headers["referrer-policy"] == "strict-origin"


def test_the_page_runs_nothing_but_its_own_files(public: DeliveryWorld) -> None:
    result = page(public)

    rules = policy(result)
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["connect-src"] == f"'self' {WORKER_URL}"
    assert "frame-ancestors" not in rules
    assert "unsafe" not in str(rules)
    assert not re.search(r"<script(?![^>]* src=)|<style| on\w+=| style=", result.text)
    sources = re.findall(r'(?:src|href)="\.\./player/([^"]+)"', result.text)
    for source in sources:
        assert public.player.simulate_get(f"/v1/player/{source}").status_code == 200
    assert len(sources) == 3


def test_a_name_cannot_become_markup(public: DeliveryWorld) -> None:
    public.change(name='</title><script>alert("1")</script>" onload=\'x\' $title {0}')

    result = page(public)

    assert "<script>alert" not in result.text
    assert "&lt;script&gt;alert(&quot;1&quot;)" in result.text
    assert '" onload' not in result.text


def test_a_name_of_any_characters_makes_a_page(public: DeliveryWorld) -> None:
    public.change(name="\ud800 🙂 \0")

    assert page(public).status_code == 200


def test_a_token_with_domains_lets_only_their_pages_embed_it(
    private: DeliveryWorld,
) -> None:
    query = f"token={private.token(domains=['example.com', '*.example.org'])}"

    allowed = page(private, query, Referer="https://example.com/")

    assert allowed.status_code == 200
    assert policy(allowed)["frame-ancestors"] == (
        "'self' example.com:* *.example.org:*"
    )
    assert page(private, query, Referer="https://evil.test/").status_code == 403
    assert page(private, query).status_code == 403


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_may_not_watch_is_told_so_in_words(
    private: DeliveryWorld, method: str
) -> None:
    thumbnail = private.token(use=TokenUse.THUMBNAIL)
    theirs = private.token(video_id=OTHER)
    cases = [
        (VIDEO, "", 401, "needs permission"),
        (VIDEO, "token=", 401, "needs permission"),
        (VIDEO, "token=<script>", 401, "needs permission"),
        (VIDEO, f"token={thumbnail}", 403, "cannot be watched here"),
        (VIDEO, f"token={theirs}", 403, "cannot be watched here"),
        (OTHER, "", 404, "not available"),
        ("<b>", "", 404, "not available"),
    ]

    for video, query, status, text in cases:
        result = private.player.simulate_request(
            method, f"/v1/embed/{video}", query_string=query
        )
        assert result.status_code == status
        assert result.headers["content-type"].startswith("text/html")
        assert result.headers["cache-control"] == "no-store"
        assert policy(result)["default-src"] == "'none'"
        if method == "GET":
            assert text in result.text
            assert 'role="alert"' in result.text
            assert "<script" not in result.text
            assert "<b>" not in result.text


def test_an_unfinished_or_deleted_video_has_no_page(public: DeliveryWorld) -> None:
    for state in (VideoState.TRANSCODING, VideoState.FAILED, VideoState.DELETED):
        public.change(state=state)
        assert page(public).status_code == 404


def test_a_missing_hls_js_is_said_clearly(public: DeliveryWorld, static: Path) -> None:
    (static / "vendor" / "hls.min.js").unlink()

    shown = page(public)
    asset = public.player.simulate_get("/v1/player/vendor/hls.min.js")

    assert shown.status_code == asset.status_code == 503
    assert "./hv setup" in shown.text
    assert "./hv setup" in asset.json["detail"]
    (static / "vendor" / "hls.min.js").write_text("/* now */")
    assert page(public).status_code == 200


def test_the_pages_files_are_served_with_validators(public: DeliveryWorld) -> None:
    first = public.player.simulate_get("/v1/player/player.js")

    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    known = {"If-None-Match": first.headers["etag"]}
    again = public.player.simulate_get("/v1/player/player.js", headers=known)
    assert again.status_code == 304


@pytest.mark.parametrize(
    "name",
    [
        "",
        "nothing.js",
        "../app.py",
        "%2e%2e/app.py",
        "vendor/../player.js",
        "vendor/",
        "player.js%00",
        "..%2fvendor.json",
    ],
)
def test_nothing_else_of_the_folder_is_served(public: DeliveryWorld, name: str) -> None:
    result = public.player.simulate_get(f"/v1/player/{name}")

    assert result.status_code == 404
    assert result.json["code"] == "not_found"


def test_every_answer_may_be_read_by_any_page(private: DeliveryWorld) -> None:
    for path in (EMBED, "/v1/player/player.js", "/nowhere"):
        result = private.player.simulate_get(path)
        assert result.headers["access-control-allow-origin"] == "*"
