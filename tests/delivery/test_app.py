"""
Who is served what.
"""

from datetime import timedelta
from urllib.parse import urlsplit

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.videos.states import VideoState
from hvcore.playback_tokens import TokenUse
from hvcore_delivery.app import make_app
from tests.support.http.delivery_worker import (
    PLAYER_URL,
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorker,
)
from tests.support.http.world import ENV, ORG, World, body_of, problem_of
from tests.support.media_samples import OTHER, PUBLIC, ROOT, VIDEO


def outcome(result: Result) -> tuple[int, str]:
    assert result.headers["access-control-allow-origin"] == "*"
    if result.status_code < 400:
        return result.status_code, ""
    assert result.headers["content-type"] == "application/problem+json"
    assert result.headers["cache-control"] == "no-store"
    return result.status_code, result.json["code"]


NOT_FOUND = (404, "video_not_found")
NO_FILE = (404, "not_found")
FORBIDDEN = (403, "forbidden")
UNAUTHORIZED = (401, "unauthorized")


def test_a_public_video_is_played_without_a_token(public: DeliveryWorker) -> None:
    master = public.get(f"{PUBLIC_PATH}/master.m3u8")

    assert master.status_code == 200
    assert master.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert "\nvideo-360p.m3u8\n" in master.text
    assert "token" not in master.text
    rendition = public.get(f"{PUBLIC_PATH}/video-360p.m3u8")
    for line in rendition.text.splitlines():
        if line and not line.startswith("#"):
            segment = public.get(f"{PUBLIC_PATH}/{line}")
            assert segment.status_code == 200
            assert segment.content.startswith(line[:10].encode())


@pytest.mark.parametrize(
    ("file", "content", "content_type"),
    [
        ("video/720p/init.m4s", b"video/720p init", "video/mp4"),
        ("video/init.m4s", b"video/360p init", "video/mp4"),
        ("video/360p/0.m4s", b"video/360p 0 " * 100, "video/mp4"),
        # In the folder of another part.
        ("video/360p/1.m4s", b"video/360p 1 " * 100, "video/mp4"),
        ("audio/init.m4s", b"audio init", "audio/mp4"),
        ("audio/1.m4s", b"audio 1 " * 100, "audio/mp4"),
    ],
)
def test_every_published_file_has_its_address(
    public: DeliveryWorker, file: str, content: bytes, content_type: str
) -> None:
    result = public.get(f"{PUBLIC_PATH}/{file}")

    assert result.content == content
    assert result.headers["content-type"] == content_type
    assert result.headers["content-length"] == str(len(content))
    assert result.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/public/org_a/live/{VIDEO}",
        f"/v1/public/org_a/env_1/{PUBLIC}",
        f"/v1/public/org_a/live/{PUBLIC}",
    ],
)
def test_an_environment_has_a_short_name_and_a_video_an_alias(
    public: DeliveryWorker, path: str
) -> None:
    assert public.get(f"{path}/master.m3u8").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/public/org_b/env_1/{VIDEO}",
        f"/v1/public/org_a/env_2/{VIDEO}",
        f"/v1/public/ORG_A/env_1/{VIDEO}",
        f"/v1/public/env_1/org_a/{VIDEO}",
        f"/v1/public/org_a/env_1/{OTHER}",
        f"/v1/public/org_a/env_1/{VIDEO.upper()}",
        "/v1/public/org_a/env_1/vid_",
        "/v1/public/org_a/env_1/%00",
        "/v1/public/org_a/env_1/..",
        "/v1/public/org_a/env_1/%F0%9F%99%82",
    ],
)
def test_a_path_with_another_owner_finds_nothing(
    public: DeliveryWorker, path: str
) -> None:
    assert outcome(public.get(f"{path}/master.m3u8")) == NOT_FOUND


@pytest.mark.parametrize(
    "state",
    [
        VideoState.AWAITING_UPLOAD,
        VideoState.TRANSCODING,
        VideoState.FAILED,
        VideoState.DELETED,
    ],
)
def test_only_a_ready_video_is_served(
    public: DeliveryWorker, state: VideoState
) -> None:
    public.change(state=state)

    query = f"token={public.token()}"
    assert outcome(public.get(f"{PUBLIC_PATH}/video/360p/0.m4s")) == NOT_FOUND
    assert outcome(public.get(f"{PRIVATE_PATH}/master.m3u8", query)) == NOT_FOUND
    assert outcome(public.get(f"/t/{VIDEO}/64x64.jpg")) == NOT_FOUND


def test_nobody_begins_a_video_whose_owner_may_deliver_no_more(
    public: DeliveryWorker,
) -> None:
    token = f"token={public.token()}"
    places = ((PUBLIC_PATH, ""), (PRIVATE_PATH, token))
    texts = ("master.m3u8", "video-720p.m3u8", "audio.m3u8", "manifest.mpd")
    others = ("video/720p/init.m4s", "video/720p/0.m4s", "audio/0.m4s")
    for place, query in places:
        for file in (*texts, *others):
            assert public.get(f"{place}/{file}", query).status_code == 200

    public.change(may_begin=False)

    for place, query in places:
        for file in texts:
            answer = public.get(f"{place}/{file}", query)
            assert outcome(answer) == (429, "quota_exceeded")
            assert int(answer.headers["retry-after"]) > 0
        # Who has begun sees the video to its end.
        for file in others:
            assert public.get(f"{place}/{file}", query).status_code == 200
    public.change(may_begin=True)
    for place, query in places:
        assert public.get(f"{place}/{texts[0]}", query).status_code == 200


def test_a_delete_is_obeyed_by_the_very_next_request(public: DeliveryWorker) -> None:
    addresses = [f"{PUBLIC_PATH}/master.m3u8", f"{PUBLIC_PATH}/video/360p/0.m4s"]
    for address in addresses:
        assert public.get(address).status_code == 200

    public.change(state=VideoState.DELETED)

    for address in addresses:
        assert outcome(public.get(address)) == NOT_FOUND


def test_a_file_that_a_delete_has_just_moved_is_not_found(
    public: DeliveryWorker,
) -> None:
    if public.storage.objects:
        public.storage.objects.clear()
    else:
        (public.storage.local_path(ROOT)).rename(  # type: ignore[attr-defined]  # the local one
            public.storage.local_path("hidden")  # type: ignore[attr-defined]  # the local one
        )

    assert outcome(public.get(f"{PUBLIC_PATH}/master.m3u8")) == NOT_FOUND
    assert outcome(public.get(f"{PUBLIC_PATH}/video/360p/0.m4s")) == NOT_FOUND


def test_a_private_video_on_a_public_path_is_forbidden(private: DeliveryWorker) -> None:
    query = f"token={private.token()}"

    assert outcome(private.get(f"{PUBLIC_PATH}/master.m3u8")) == FORBIDDEN
    assert outcome(private.get(f"{PUBLIC_PATH}/master.m3u8", query)) == FORBIDDEN


def test_a_video_that_turns_private_leaves_its_public_path_at_once(
    public: DeliveryWorker,
) -> None:
    public.get(f"{PUBLIC_PATH}/master.m3u8")

    public.change(is_public=False)

    assert outcome(public.get(f"{PUBLIC_PATH}/master.m3u8")) == FORBIDDEN


def test_a_token_plays_a_private_video_from_the_first_address_on(
    private: DeliveryWorker,
) -> None:
    token = private.token()

    master = private.get(f"{PRIVATE_PATH}/master.m3u8", f"token={token}")

    assert master.headers["cache-control"].startswith("private")
    addresses = [a for a in master.text.splitlines() if a.startswith("video-")]
    assert (
        addresses == [f"video-{n}p.m3u8?token={token}" for n in (720, 360)]
        or len(addresses) == 2
    )
    assert f'URI="audio.m3u8?token={token}"' in master.text
    path, _, query = addresses[0].partition("?")
    rendition = private.get(f"{PRIVATE_PATH}/{path}", query)
    path, _, query = rendition.text.splitlines()[-2].partition("?")
    segment = private.get(f"{PRIVATE_PATH}/{path}", query)
    assert segment.status_code == 200
    assert segment.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_the_private_path_plays_public_videos_too(public: DeliveryWorker) -> None:
    query = f"token={public.token()}"

    result = public.get(f"{PRIVATE_PATH}/master.m3u8", query)

    assert result.status_code == 200
    assert result.headers["cache-control"].startswith("private")


def test_a_viewer_without_a_token_learns_nothing(private: DeliveryWorker) -> None:
    answers = [
        private.get(f"/v1/private/{video}/{file}", query)
        for video in (VIDEO, OTHER, "nonsense", "%00")
        for file in ("master.m3u8", "no-such-file")
        for query in ("", "token=", "token=x", "token=a.b.c", "Token=x", "token=%00")
    ]

    assert {outcome(answer) for answer in answers} == {UNAUTHORIZED}
    assert private.directory.asked == []


def test_an_expired_token_is_refused(private: DeliveryWorker) -> None:
    query = f"token={private.token(valid_s=900)}"
    assert private.get(f"{PRIVATE_PATH}/master.m3u8", query).status_code == 200

    private.clock.move(timedelta(seconds=906))

    for file in ("master.m3u8", "video/360p/0.m4s"):
        assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == UNAUTHORIZED


def test_a_changed_token_is_refused(private: DeliveryWorker) -> None:
    token = private.token()

    for changed in (token.upper(), token[:-2], f"{token}=", f"%20{token}", token * 9):
        query = f"token={changed}"
        result = private.get(f"{PRIVATE_PATH}/master.m3u8", query)
        assert outcome(result) == UNAUTHORIZED
        assert token not in result.text


def test_two_tokens_are_refused_even_if_one_is_good(private: DeliveryWorker) -> None:
    token = private.token()

    for query in (f"token={token}&token={token}", f"token=&token={token}"):
        result = private.get(f"{PRIVATE_PATH}/master.m3u8", query)
        assert outcome(result) == UNAUTHORIZED


def test_a_token_opens_its_own_video_alone(private: DeliveryWorker) -> None:
    theirs = private.token(video_id=OTHER, public_id="pubvid_" + "d" * 22)
    ours = private.token()

    result = private.get(f"{PRIVATE_PATH}/master.m3u8", f"token={theirs}")
    assert outcome(result) == FORBIDDEN
    result = private.get(f"/v1/private/{OTHER}/master.m3u8", f"token={ours}")
    assert outcome(result) == FORBIDDEN
    assert private.directory.asked == []


def test_a_token_with_the_public_id_of_another_video_is_refused(
    private: DeliveryWorker,
) -> None:
    mixed = private.token(public_id="pubvid_" + "d" * 22)

    result = private.get(f"{PRIVATE_PATH}/master.m3u8", f"token={mixed}")

    assert outcome(result) == FORBIDDEN


def test_a_thumbnail_token_plays_nothing(private: DeliveryWorker) -> None:
    query = f"token={private.token(use=TokenUse.THUMBNAIL)}"

    for file in ("master.m3u8", "video/360p/0.m4s", "no-such-file"):
        assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == FORBIDDEN


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Origin": "https://example.com"}, (200, "")),
        ({"Origin": "http://EXAMPLE.com:81"}, (200, "")),
        ({"Referer": "https://example.com/page"}, (200, "")),
        ({"Origin": "https://deep.below.example.org"}, (200, "")),
        ({"Origin": PLAYER_URL}, (200, "")),
        ({"Referer": f"{PLAYER_URL}/"}, (200, "")),
        ({"Origin": f"{PLAYER_URL}1"}, FORBIDDEN),
        ({"Origin": "https://player.test"}, FORBIDDEN),
        ({"Origin": "https://example.org"}, FORBIDDEN),
        ({"Origin": "https://evil.test"}, FORBIDDEN),
        ({"Origin": "null", "Referer": "https://example.com/"}, FORBIDDEN),
        ({"Referer": "https://evil.test/?https://example.com/"}, FORBIDDEN),
        ({}, FORBIDDEN),
    ],
)
def test_a_token_with_domains_is_good_on_their_pages(
    private: DeliveryWorker, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    query = f"token={private.token(domains=['example.com', '*.example.org'])}"

    for file in ("master.m3u8", "video/360p/0.m4s"):
        result = private.get(f"{PRIVATE_PATH}/{file}", query, headers)
        assert outcome(result) == expected


@pytest.mark.parametrize(
    "file",
    [
        "",
        "nothing",
        "master.m3u8/",
        "MASTER.M3U8",
        "master.m3u8%00",
        "video-1080p.m3u8",
        "video/1080p/init.m4s",
        "video/360p/2.m4s",
        "video/360p/-1.m4s",
        "video/360p/00.m4s",
        "video/360p/%D9%A0.m4s",
        "video/360p/0.m4s%0A",
        "video/360p/0.m4s/",
        "video//360p/0.m4s",
        "/video/360p/0.m4s",
        "video/../video/360p/0.m4s",
        "video/%2e%2e/video/360p/0.m4s",
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fmaster.m3u8",
        "..%5c..%5cmaster.m3u8",
        "%252e%252e/master.m3u8",
        "a1/video/360p/0.m4s",
        "a1/poster.jpg",
        f"../../{OTHER}/job_1/master.m3u8",
        "audio-1/init.m4s",
        "audio-0/init.m4s",
        "audio.m3u8%20",
        "video",
        "video/",
        "video/0.m4s",
        "video/360p/init.m4s%3F",
        "video/360p/9999999.m4s",
        "video/360p/99999999999999999999.m4s",
    ],
)
def test_a_path_that_names_no_published_file_finds_nothing(
    public: DeliveryWorker, file: str
) -> None:
    query = f"token={public.token()}"

    assert outcome(public.get(f"{PUBLIC_PATH}/{file}")) == NO_FILE
    assert outcome(public.get(f"{PRIVATE_PATH}/{file}", query)) == NO_FILE


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/v1/public", f"/v1/private/{VIDEO}", "//etc/passwd", "/v1//private"],
)
def test_other_addresses_lead_nowhere(public: DeliveryWorker, path: str) -> None:
    assert outcome(public.get(path)) == NO_FILE


def test_low_latency_parameters_change_nothing(public: DeliveryWorker) -> None:
    plain = public.get(f"{PUBLIC_PATH}/video-360p.m3u8")

    asked = public.get(
        f"{PUBLIC_PATH}/video-360p.m3u8",
        "_HLS_msn=3&_HLS_part=x&_HLS_skip=YES&bootstrap=true&_HLS_msn=4",
    )

    assert asked.content == plain.content
    assert asked.headers["etag"] == plain.headers["etag"]


def test_a_damaged_segment_is_not_served(private: DeliveryWorker) -> None:
    local = private.storage.local_path(f"{ROOT}/a1/video/360p/0.m4s")  # type: ignore[attr-defined]  # the local one
    local.write_bytes(b"cut")

    result = private.get(f"{PRIVATE_PATH}/video/360p/0.m4s", f"token={private.token()}")

    assert outcome(result) == (503, "unavailable")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_files_are_only_read(public: DeliveryWorker, method: str) -> None:
    result = public.get(f"{PUBLIC_PATH}/master.m3u8", method=method)

    assert outcome(result) == (405, "method_not_allowed")
    assert set(result.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_a_preflight_is_answered_as_documented(public: DeliveryWorker) -> None:
    result = public.get(f"{PRIVATE_PATH}/master.m3u8", method="OPTIONS")

    assert result.headers["access-control-allow-origin"] == "*"
    assert result.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert result.headers["access-control-allow-headers"] == (
        "Range, Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session"
    )
    assert result.headers["access-control-max-age"] == "3600"


def test_the_key_set_and_the_liveness_need_nothing(public: DeliveryWorker) -> None:
    assert public.get("/.well-known/jwks.json").json == {"keys": []}
    assert public.get("/health/live").json == {"body": {"status": "ok"}}
    assert public.directory.asked == []


def test_delivery_is_ready_while_its_storage_answers(public: DeliveryWorker) -> None:
    for method in ("GET", "HEAD"):
        assert public.get("/health/ready", method=method).status_code == 200


def test_health_of_delivery_asks_neither_an_encoder_nor_the_queue(api: World) -> None:
    api.transcoder.able = attrs.evolve(api.transcoder.able, usable=False)
    api.queue.is_down = True
    client = TestClient(make_app(api.services))

    body = body_of(client.simulate_get("/health"))

    assert body["status"] == "ok"
    assert set(body["checks"]) == {"database", "clock", "storage", "disk"}
    assert client.simulate_head("/health").status_code == 200


def test_delivery_is_not_ready_without_its_storage(api: World) -> None:
    client = TestClient(make_app(api.services))
    api.storage.is_down = True

    document = problem_of(client.simulate_get("/health/ready"), 503, "unavailable")

    assert "storage" in document["detail"]
    assert client.simulate_get("/health").status_code == 503


def test_a_delete_through_the_api_is_obeyed_by_delivery(api: World) -> None:
    video_id = api.ready(is_public=True)
    entry = api.services.playback_directory.find(video_id)
    assert entry is not None
    api.storage.files[f"{entry.media_root}/master.m3u8"] = b"#EXTM3U\n"
    client = TestClient(make_app(api.services))
    address = f"/v1/public/{ORG}/{ENV}/{video_id}/master.m3u8"
    assert client.simulate_get(address).text == "#EXTM3U\n"

    body_of(api.delete(f"/v1/videos/{video_id}"))

    assert outcome(client.simulate_get(address)) == NOT_FOUND


def test_a_signed_url_of_the_api_is_understood_by_delivery(api: World) -> None:
    video_id = api.ready(is_public=False)
    entry = api.services.playback_directory.find(video_id)
    assert entry is not None
    api.storage.files[f"{entry.media_root}/master.m3u8"] = b"#EXTM3U\nv.m3u8\n"
    client = TestClient(make_app(api.services))

    signed = urlsplit(
        body_of(api.get(f"/v1/videos/{video_id}/signed-url"))["signed_url"]
    )

    answer = client.simulate_get(signed.path, query_string=signed.query)
    assert answer.text == f"#EXTM3U\nv.m3u8?{signed.query}\n"
