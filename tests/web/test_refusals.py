"""
Every rule that refuses a playback is named in the log, and in no answer.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from PIL import Image

from hvcore.domain.ids import new_public_id
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.signing_keys import SigningAlgorithm
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.playback_tokens import KeyRing, TokenKey, TokenUse
from tests.delivery.offline import signed_offline
from tests.support.http.cinema import Cinema
from tests.support.http.world import ENV, ORG, OTHER_ORG, body_of
from tests.web.refused_requests import NOBODY, Refused, own_key, private, sent, token
from tests.web.test_refusals_of_links import form


def test_every_rule_has_a_test_here() -> None:
    files = Path(__file__).parent.glob("test_refusals*.py")
    text = "".join(file.read_text(encoding="utf-8") for file in files)

    assert [rule.id for rule in PlaybackRule if f'"{rule.id}"' not in text] == []


@pytest.mark.parametrize("rule", PlaybackRule)
def test_every_rule_says_what_it_asks_what_was_wrong_and_what_to_do(
    rule: PlaybackRule,
) -> None:
    for sentence in (rule.asks, rule.refusal, rule.fix):
        assert sentence[0].isupper() or sentence.startswith("hv ")
        assert sentence.endswith(".")
    assert PlaybackRule.named(rule.id) is rule


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


def test_a_moment_outside_of_a_video_is_named(cinema: Cinema, refused: Refused) -> None:
    video = cinema.playable(is_public=True)

    for query in ("time=x", "time=999999"):
        answer = refused(f"/t/{video}/640x360.jpg", query)
        assert answer == (400, "picture_moment")


def test_a_host_that_makes_no_moments_is_named(
    cinema: Cinema, refused: Refused
) -> None:
    video = cinema.playable(is_public=True)

    answer = refused(f"/t/{video}/640x360.jpg", "time=1")

    assert answer == (501, "no_frames_here")


def test_a_video_without_a_picture_is_named(cinema: Cinema, refused: Refused) -> None:
    answer = refused(f"/t/{cinema.api.ready()}/640x360.jpg")

    assert answer == (404, "no_picture")


def test_a_range_behind_the_end_is_named(cinema: Cinema, refused: Refused) -> None:
    path, headers = private(cinema, "video/720p/0.m4s"), {"Range": "bytes=99999999-"}

    answer = refused(path, token(cinema), headers=headers)

    assert answer == (416, "range_outside")


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
