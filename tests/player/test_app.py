"""
The player page.
"""

import gzip
import re
import shutil
from pathlib import Path

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.videos.states import VideoState
from hvcore.playback_tokens import TokenUse
from hvcore.settings.analytics import AnalyticsSettings
from hvcore.settings.tree import PlayerSettings
from hvcore_player.app import make_app
from hvcore_player.assets import PLAYER_FILES, STATIC
from hvcore_web.pages import STYLE
from tests.conftest import SettableClock
from tests.support.http.delivery_worker import WORKER_URL, DeliveryWorker, make_worker
from tests.support.media_samples import OTHER, VIDEO

OWN_CODE_BYTES = 40_000
REPORTS_BYTES = 3_000
TRANSCRIPT_BYTES = 12_000
KEPT = ("element/cmcd.js", "element/languages.js")
"""Modules of earlier builds that no module imports any more."""
EMBED = f"/v1/embed/{VIDEO}"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """
    The page's files, with stand-ins for those that are fetched.
    """
    folder = tmp_path / "static"
    shutil.copytree(STATIC, folder, ignore=shutil.ignore_patterns("vendor"))
    (folder / "vendor").mkdir()
    for name in PLAYER_FILES.names:
        (folder / name).write_text(f"/* {name} */")
    return folder


def worker_with(
    clock: SettableClock, static: Path, *, is_public: bool
) -> DeliveryWorker:
    made = make_worker(clock, None, is_public=is_public)
    return DeliveryWorker(
        clock=clock,
        directory=made.directory,
        storage=made.storage,
        key_ring=made.key_ring,
        static=static,
    )


@pytest.fixture
def public(clock: SettableClock, static: Path) -> DeliveryWorker:
    return worker_with(clock, static, is_public=True)


@pytest.fixture
def private(clock: SettableClock, static: Path) -> DeliveryWorker:
    return worker_with(clock, static, is_public=False)


def policy(result: Result) -> dict[str, str]:
    rules = result.headers["content-security-policy"].split("; ")
    return dict(rule.partition(" ")[::2] for rule in rules)


def page(worker: DeliveryWorker, query: str = "", **headers: str) -> Result:
    return worker.player.simulate_get(EMBED, query_string=query, headers=headers)


def test_the_page_of_a_public_video_names_its_public_playlist(
    public: DeliveryWorker,
) -> None:
    result = page(public)

    assert result.status_code == 200
    assert result.headers["content-type"].startswith("text/html")
    master = f"{WORKER_URL}/v1/public/org_a/env_1/{VIDEO}/master.m3u8"
    assert f'src="{master}"' in result.text
    assert f'poster="{WORKER_URL}/t/{VIDEO}/1280x720.jpg"' in result.text
    assert 'data-access="public"' in result.text
    assert "<title>A clip</title>" in result.text


def test_the_page_of_a_private_video_holds_no_token(private: DeliveryWorker) -> None:
    token = private.token()

    result = page(private, f"token={token}")

    assert result.status_code == 200
    assert f'src="{WORKER_URL}/v1/private/{VIDEO}/master.m3u8"' in result.text
    assert 'data-access="private"' in result.text
    assert token not in result.text
    assert token not in str(result.headers)
    assert result.headers["cache-control"] == "no-store"
    assert result.headers["referrer-policy"] == "strict-origin"


def test_the_page_runs_nothing_but_its_own_files(public: DeliveryWorker) -> None:
    result = page(public)

    rules = policy(result)
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["worker-src"] == "'self'"
    assert rules["style-src"] == " ".join(["'self'", *PLAYER_FILES.style_hashes])
    assert len(PLAYER_FILES.style_hashes) > 10
    assert rules["connect-src"] == f"'self' {WORKER_URL}"
    assert "frame-ancestors" not in rules
    assert "unsafe" not in str(rules)
    assert not re.search(r"<script(?![^>]* src=)|<style| on\w+=| style=", result.text)
    sources = re.findall(r'(?:src|href)="\.\./player/([^"]+)"', result.text)
    for source in sources:
        assert public.player.simulate_get(f"/v1/player/{source}").status_code == 200
    assert len(sources) == 5


@pytest.mark.parametrize(
    ("logo", "allowed"),
    [
        ("https://cdn.test/logo.svg", " https://cdn.test"),
        ("https://CDN.test:8443", " https://cdn.test:8443"),
        ("http://cdn.test/logo.svg", ""),
        ("https://cdn.test;script-src%20*/", ""),
        ("https://user@cdn.test/", ""),
    ],
)
def test_a_logo_may_come_from_its_own_host_and_widens_nothing_else(
    public: DeliveryWorker, logo: str, allowed: str
) -> None:
    plain, asked = policy(page(public)), policy(page(public, f"logo={logo}"))

    assert asked.pop("img-src") == plain.pop("img-src") + allowed
    assert asked == plain


def test_the_page_and_its_files_may_be_in_isolated_pages(
    public: DeliveryWorker,
) -> None:
    shown = page(public)
    with_logo = page(public, "logo=https://cdn.example.com/logo.png")
    script = public.player.simulate_get("/v1/player/hv-player.js")
    gone = public.player.simulate_get("/v1/embed/vid_none")

    name = "cross-origin-embedder-policy"
    found = [one.headers[name] for one in (shown, with_logo, script, gone)]
    assert found == ["require-corp", "credentialless", "require-corp", "require-corp"]
    for answer in (shown, with_logo, script, gone):
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize("sends", [True, False])
def test_the_operator_chooses_whether_players_report(
    public: DeliveryWorker, static: Path, *, sends: bool
) -> None:
    public.settings = attrs.evolve(public.settings, player=PlayerSettings(cmcd=sends))

    result = TestClient(make_app(public, static=static)).simulate_get(EMBED)

    assert ('cmcd="off"' in result.text) is not sends


@pytest.mark.parametrize(
    ("takes", "reports", "said"),
    [
        (False, False, None),
        (False, True, None),
        (True, False, 'session-reports="off"'),
        (True, True, 'session-reports="on"'),
    ],
)
def test_a_page_says_whether_sessions_are_reported_where_the_service_takes_reports(
    public: DeliveryWorker,
    static: Path,
    *,
    takes: bool,
    reports: bool,
    said: str | None,
) -> None:
    public.settings = attrs.evolve(
        public.settings,
        player=PlayerSettings(session_reports=reports),
        analytics=AnalyticsSettings(playback_sessions=takes),
    )

    text = TestClient(make_app(public, static=static)).simulate_get(EMBED).text

    assert (said or "<hv-player") in text
    assert ("session-reports" in text) is takes


def test_a_name_cannot_become_markup(public: DeliveryWorker) -> None:
    public.change(name='</title><script>alert("1")</script>" onload=\'x\' $title {0}')

    result = page(public)

    assert "<script>alert" not in result.text
    assert "&lt;script&gt;alert(&quot;1&quot;)" in result.text
    assert '" onload' not in result.text


def test_a_name_of_any_characters_makes_a_page(public: DeliveryWorker) -> None:
    public.change(name="\ud800 🙂 \0")

    assert page(public).status_code == 200


def test_a_token_with_domains_lets_only_their_pages_embed_it(
    private: DeliveryWorker,
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
def test_a_viewer_who_may_not_watch_is_told_so_in_words(
    private: DeliveryWorker, method: str
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


def test_an_unfinished_or_deleted_video_has_no_page(public: DeliveryWorker) -> None:
    for state in (VideoState.TRANSCODING, VideoState.FAILED, VideoState.DELETED):
        public.change(state=state)
        assert page(public).status_code == 404


def test_a_missing_player_file_is_reported_clearly(
    public: DeliveryWorker, static: Path
) -> None:
    file = static / "vendor" / "hls.min.mjs"
    file.unlink()

    shown = page(public)
    asset = public.player.simulate_get("/v1/player/vendor/hls.min.mjs")

    assert shown.status_code == asset.status_code == 503
    assert "./hv setup" in shown.text
    assert "./hv setup" in asset.json["detail"]
    file.write_text("/* now */")
    assert page(public).status_code == 200


def test_the_pages_files_are_served_with_validators(public: DeliveryWorker) -> None:
    first = public.player.simulate_get("/v1/player/embed.js")

    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert first.headers["cache-control"] == "public, max-age=600"
    known = {"If-None-Match": first.headers["etag"]}
    again = public.player.simulate_get("/v1/player/embed.js", headers=known)
    assert again.status_code == 304


def test_files_of_a_build_may_be_kept_for_a_year(public: DeliveryWorker) -> None:
    (folder,) = re.findall(r'src="\.\.(/player/[0-9a-f]{12})/embed', page(public).text)

    for name in ("hv-player.js", "element/keys.js", "vendor/media-chrome.js"):
        answer = public.player.simulate_get(f"/v1{folder}/{name}")
        assert answer.headers["cache-control"].endswith("max-age=31536000, immutable")


@pytest.mark.parametrize(
    ("address", "to"), [("hv-player.js", "./"), (f"{'0' * 12}/hv-player.js", "../")]
)
def test_any_other_address_of_the_element_leads_to_the_present_build(
    public: DeliveryWorker, address: str, to: str
) -> None:
    (build,) = re.findall(r"/player/([0-9a-f]{12})/embed", page(public).text)

    answer = public.player.simulate_get(f"/v1/player/{address}")

    assert answer.text == f'export * from "{to}{build}/hv-player.js";\n'
    assert answer.headers["cache-control"] == "public, max-age=600"


def test_a_page_from_before_an_update_still_gets_what_it_loads(
    public: DeliveryWorker,
) -> None:
    answer = public.player.simulate_get(f"/v1/player/{'0' * 12}/vendor/hls.min.mjs")

    assert answer.text == "/* vendor/hls.min.mjs */"
    assert answer.headers["cache-control"] == "public, max-age=600"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "nothing.js",
        "../app.py",
        "%2e%2e/app.py",
        "vendor/../embed.js",
        "vendor/",
        "embed.js%00",
        "..%2fvendor.json",
    ],
)
def test_nothing_else_of_the_folder_is_served(
    public: DeliveryWorker, name: str
) -> None:
    result = public.player.simulate_get(f"/v1/player/{name}")

    assert result.status_code == 404
    assert result.json["code"] == "not_found"


@pytest.mark.parametrize("name", KEPT)
def test_players_of_the_build_before_find_their_modules(
    public: DeliveryWorker, name: str
) -> None:
    result = public.player.simulate_get(f"/v1/player/0123456789ab/{name}")

    assert result.status_code == 200
    assert "immutable" not in result.headers["cache-control"]
    # Its imports would be those of another build.
    assert "export const " in result.text
    assert "import " not in result.text.partition("*/")[2]


def test_every_answer_may_be_read_by_any_page(private: DeliveryWorker) -> None:
    for path in (EMBED, "/v1/player/embed.js", "/nowhere"):
        result = private.player.simulate_get(path)
        assert result.headers["access-control-allow-origin"] == "*"


def test_the_player_is_small() -> None:
    own = {
        path.as_posix(): len(gzip.compress(path.read_bytes()))
        for path in (*STATIC.rglob("*"), STYLE)
        if path.suffix in {".js", ".css"} and "vendor" not in path.parts
    }

    for name in KEPT:
        del own[(STATIC / name).as_posix()]
    # Each file for itself, as it is sent; these only to pages that want them.
    reports = [path for path in own if path.endswith("/session-reports.js")]
    transcript = [path for path in own if "/transcript/" in path]
    reports_bytes = sum(own.pop(path) for path in reports)
    transcript_bytes = sum(own.pop(path) for path in transcript)

    assert 10_000 < sum(own.values()) <= OWN_CODE_BYTES
    assert 1_000 < reports_bytes <= REPORTS_BYTES
    assert 1_000 < transcript_bytes <= TRANSCRIPT_BYTES
