"""
Every rule that refuses a playback is named in the log, and in no answer.
"""

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from falcon.testing import Result
from PIL import Image

from hvcore.domain.ids import PublicId, VideoId, new_public_id
from hvcore.domain.links.links import MAX_GUESSES
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.signing_keys import SigningAlgorithm
from hvcore.errors import UnavailableError
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.playback_tokens import KeyRing, TokenKey, TokenUse
from hvcore.services.playback.thumbnails.serving import Thumbnails
from tests.delivery.offline import signed_offline
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.world import ENV, ORG, OTHER_ORG, World, body_of

LOG = "hvcore.services.playback.refusal_log"
NOBODY = "vid_" + "0" * 22

Refused = Callable[..., tuple[int, str]]


@pytest.fixture
def cinema(api: World) -> Cinema:
    return Cinema(api=api)


@pytest.fixture
def refused(cinema: Cinema, caplog: pytest.LogCaptureFixture) -> Refused:
    """
    Send a request that is refused; return the status and the rule of the log.
    """
    caplog.set_level(logging.INFO, logger=LOG)

    def send(path: str, query: str = "", **more: Any) -> tuple[int, str]:  # noqa: ANN401 - of the client
        caplog.clear()
        result = sent(cinema, path, query, **more)
        record = the_line(caplog)
        assert record["hv_status"] == result.status_code
        assert record["hv_request_id"] == result.headers["X-Request-Id"]
        if more.get("method") != "HEAD":
            says_the_same_as_ever(result)
        # This one is the documented code, too.
        text = result.text.replace('"code":"method_not_allowed"', "")
        assert record["hv_rule"] not in text
        return result.status_code, str(record["hv_rule"])

    return send


def sent(cinema: Cinema, path: str, query: str = "", **more: Any) -> Result:  # noqa: ANN401 - of the client
    is_page = path.startswith(("/v1/embed/", "/v1/watch/", "/v1/ek_", "/v1/player/"))
    client = cinema.player if is_page else cinema.worker
    method = more.pop("method", "POST" if "body" in more else "GET")
    return client.simulate_request(method, path, query_string=query, **more)


def the_line(caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    (record,) = [r for r in caplog.records if r.getMessage() == "playback refused"]
    return vars(record)


def says_the_same_as_ever(result: Result) -> None:
    if result.headers["Content-Type"].startswith("text/html"):
        assert result.headers["X-Request-Id"] in result.text or "form" in result.text
        return
    assert set(result.json) == {
        *("title", "status", "code", "detail", "errors", "requestId")
    }
    assert result.json["requestId"] == result.headers["X-Request-Id"]


def private(cinema: Cinema, file: str = "master.m3u8") -> str:
    return f"/v1/private/{cinema.video}/{file}"


def token(cinema: Cinema, ring: KeyRing | None = None, **changes: Any) -> str:  # noqa: ANN401 - claims
    wanted: dict[str, Any] = {
        "video_id": VideoId(cinema.video),
        "public_id": PublicId(cinema.api.public_id(cinema.video)),
        "now": cinema.api.clock.now(),
        "valid_s": 3600,
    }
    ring = ring or cinema.api.services.key_ring
    return f"token={ring.issue(**{**wanted, **changes})}"


def own_key(cinema: Cinema) -> bytes:
    return cinema.api.services.settings.playback.signing_key.encode()


def test_every_rule_has_a_test_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")

    assert [rule.id for rule in PlaybackRule if f'"{rule.id}"' not in text] == []


@pytest.mark.parametrize("rule", PlaybackRule)
def test_every_rule_says_what_it_asks_what_was_wrong_and_what_to_do(
    rule: PlaybackRule,
) -> None:
    for sentence in (rule.asks, rule.refusal, rule.fix):
        assert sentence[0].isupper() or sentence.startswith("hv ")
        assert sentence.endswith(".")
    assert PlaybackRule.named(rule.id) is rule


# tokens


def test_a_token_of_another_organizations_key_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    made = cinema.api.services.signing_keys.create(
        OTHER_ORG, name="", algorithm=SigningAlgorithm.HS256
    )
    query = f"token={signed_offline(cinema, made)}"

    assert refused(private(cinema), query) == (404, "token_other_organization")


def test_a_missing_token_is_named(cinema: Cinema, refused: Refused) -> None:
    assert refused(private(cinema)) == (401, "token_missing")
    assert refused(private(cinema), "token=") == (401, "token_missing")


def test_several_tokens_are_named(cinema: Cinema, refused: Refused) -> None:
    query = token(cinema)

    assert refused(private(cinema), f"{query}&{query}") == (401, "token_several")


def test_a_broken_token_is_named(cinema: Cinema, refused: Refused) -> None:
    query = token(cinema)

    for broken in ("token=x", query[:-4], f"{query}=", f"token={'a' * 5000}"):
        assert refused(private(cinema), broken) == (401, "token_broken")


def test_a_token_of_an_unknown_key_is_named(cinema: Cinema, refused: Refused) -> None:
    other = KeyRing(issuer="hvcore", keys=[TokenKey.load(b"fedcba9876543210" * 4)])

    answer = refused(private(cinema), token(cinema, other))

    assert answer == (401, "token_unknown_key")


def test_a_token_of_another_issuer_is_named(cinema: Cinema, refused: Refused) -> None:
    other = KeyRing(issuer="other", keys=[TokenKey.load(own_key(cinema))])

    answer = refused(private(cinema), token(cinema, other))

    assert answer == (401, "token_wrong_issuer")


def test_a_token_from_the_future_is_named(cinema: Cinema, refused: Refused) -> None:
    later = cinema.api.clock.now() + timedelta(minutes=1)

    answer = refused(private(cinema), token(cinema, now=later))

    assert answer == (401, "token_from_future")


def test_an_expired_token_is_named(cinema: Cinema, refused: Refused) -> None:
    query = token(cinema)
    assert sent(cinema, private(cinema), query).status_code == 200

    cinema.api.clock.move(timedelta(hours=2))

    # Verified before, and seen for the first time.
    assert refused(private(cinema), query) == (401, "token_expired")
    past = cinema.api.clock.now() - timedelta(hours=2)
    assert refused(private(cinema), token(cinema, now=past)) == (401, "token_expired")


def test_a_token_of_another_video_is_named(cinema: Cinema, refused: Refused) -> None:
    other = cinema.playable()

    answer = refused(f"/v1/private/{other}/master.m3u8", token(cinema))

    assert answer == (403, "token_other_video")
    alias = token(cinema, public_id=new_public_id())
    assert refused(private(cinema), alias) == (403, "token_other_video")


def test_a_token_of_another_use_is_named(cinema: Cinema, refused: Refused) -> None:
    query = token(cinema, use=TokenUse.THUMBNAIL)

    assert refused(private(cinema), query) == (403, "token_other_use")


def test_a_token_whose_list_of_domains_is_gone_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    query = token(cinema, domain_list="x" * 32)

    answer = refused(private(cinema), query, headers={"Origin": "https://a.test"})

    assert answer == (401, "token_domains_missing")


def test_a_page_that_is_not_listed_is_named(cinema: Cinema, refused: Refused) -> None:
    query = token(cinema, domains=["example.com"])
    key = cinema.edge_key(domains=["example.com"])
    evil = {"Origin": "https://evil.test"}

    assert refused(private(cinema), query) == (403, "page_not_listed")
    answer = refused(private(cinema), query, headers=evil)
    assert answer == (403, "page_not_listed")
    for path in (f"/v1/{key}", f"/v1/{key}/master.m3u8"):
        assert refused(path, headers=evil) == (403, "page_not_listed")


# videos


def test_an_unknown_video_is_named(cinema: Cinema, refused: Refused) -> None:
    unknown = (404, "video_unknown")

    assert refused(f"/v1/public/{ORG}/{ENV}/{NOBODY}/master.m3u8") == unknown
    assert refused(f"/v1/public/{ORG}/{ENV}/x/master.m3u8") == unknown
    assert refused(f"/t/{NOBODY}/640x360.jpg") == unknown
    assert refused(f"/v1/embed/{NOBODY}") == unknown


def test_a_wrong_environment_is_named(cinema: Cinema, refused: Refused) -> None:
    video = cinema.playable(is_public=True)

    for place in (f"{ORG}/dev", f"org_b/{ENV}"):
        answer = refused(f"/v1/public/{place}/{video}/master.m3u8")
        assert answer == (404, "wrong_environment")


def test_a_deleted_video_is_named(cinema: Cinema, refused: Refused) -> None:
    key, share, query = cinema.edge_key(), cinema.share(), token(cinema)
    body_of(cinema.api.delete(f"/v1/videos/{cinema.video}"))

    assert refused(private(cinema), query) == (404, "video_deleted")
    assert refused(f"/v1/{key}/master.m3u8") == (404, "video_deleted")
    assert refused(f"/v1/share/{share}/master.m3u8") == (403, "video_deleted")
    assert refused(f"/v1/watch/{share}") == (410, "video_deleted")


def test_a_failed_video_is_named(cinema: Cinema, refused: Refused) -> None:
    video = cinema.api.failed()

    answer = refused(f"/v1/public/{ORG}/{ENV}/{video}/master.m3u8")

    assert answer == (404, "video_failed")


def test_a_video_that_is_not_ready_is_named(cinema: Cinema, refused: Refused) -> None:
    for video in (cinema.api.transcoding(), cinema.api.awaited()):
        answer = refused(f"/v1/public/{ORG}/{ENV}/{video}/master.m3u8")
        assert answer == (404, "video_not_ready")


def test_a_quota_of_delivered_bytes_is_named(cinema: Cinema, refused: Refused) -> None:
    quotas = cinema.api.services.quotas
    quotas.change(ORG, {"delivered_bytes_per_month": 0})

    answer = refused(private(cinema), token(cinema))

    assert answer == (429, "delivery_quota")
    kept = refused(private(cinema, "no-such-file"), token(cinema))
    assert kept == (404, "no_such_file")


def test_a_private_video_on_a_public_path_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    answer = refused(f"/v1/public/{ORG}/{ENV}/{cinema.video}/master.m3u8")

    assert answer == (403, "private_on_public_path")


# edge keys


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


# share links


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


# files and pictures


def test_a_file_that_the_video_lacks_is_named(cinema: Cinema, refused: Refused) -> None:
    for name in ("video-4320p.m3u8", "captions-en.vtt", "x"):
        answer = refused(private(cinema, name), token(cinema))
        assert answer == (404, "no_such_file")


def test_a_file_that_is_gone_from_the_storage_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    video = cinema.playable(is_public=True)
    cinema.api.storage.files.clear()

    for name in ("master.m3u8", "video/720p/0.m4s"):
        answer = refused(f"/v1/public/{ORG}/{ENV}/{video}/{name}")
        assert answer == (404, "files_missing")
    assert refused(f"/t/{video}/640x360.jpg") == (404, "files_missing")


def test_the_size_of_a_picture_is_named(cinema: Cinema, refused: Refused) -> None:
    for size in ("8x8", "640x4000"):
        answer = refused(f"/t/{cinema.video}/{size}.jpg")
        assert answer == (400, "picture_size")


def test_a_video_without_a_picture_is_named(cinema: Cinema, refused: Refused) -> None:
    answer = refused(f"/t/{cinema.api.ready()}/640x360.jpg")

    assert answer == (404, "no_picture")


def test_a_range_behind_the_end_is_named(cinema: Cinema, refused: Refused) -> None:
    path, headers = private(cinema, "video/720p/0.m4s"), {"Range": "bytes=99999999-"}

    answer = refused(path, token(cinema), headers=headers)

    assert answer == (416, "range_outside")


# addresses


def test_an_address_that_is_none_is_named(cinema: Cinema, refused: Refused) -> None:
    paths = ("/", "/v1/nothing", "/v1/player/none.js", f"/t/{cinema.video}/x.jpg")

    for path in paths:
        assert refused(path) == (404, "no_such_address")


def test_a_method_that_is_not_taken_is_named(cinema: Cinema, refused: Refused) -> None:
    answer = refused(private(cinema), method="DELETE")

    assert answer == (405, "method_not_allowed")


def test_a_request_that_cannot_be_read_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    much = form("x" * 5000)

    answer = refused(f"/v1/watch/{cinema.share()}", **much)

    assert answer == (413, "request_invalid")


# what is written, and what is not


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


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_picture_that_is_too_large_is_named(
    cinema: Cinema, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Here, and not in a child: it has 640x360.
    monkeypatch.setattr("hvcore.pictures.cropping.MAX_SOURCE_PIXELS", 200_000)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
    monkeypatch.setattr(
        DrawingProcess, "crop_to_fill", lambda _, *wanted: crop_to_fill(*wanted)
    )
    video = cinema.playable(is_public=True)

    assert refused(f"/t/{video}/640x360.jpg") == (404, "no_picture")
