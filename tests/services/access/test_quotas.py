"""
What an organization may use: requests that would use more, and bodies on their way.
"""

import base64
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.grants import FileWanted, GrantState
from hvcore.errors import NotFoundError
from hvcore_upload.app import make_app as make_upload
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.world import ENV, ORG, OTHER_ORG, World, body_of, problem_of
from tests.support.network.outbound import PUBLIC

CODE = "quota_exceeded"
GRANT_A = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"
PROCESS_A = f"/v1/api/{ORG}/environments/{ENV}/videos/process"
GRANT_B = "/v1/videos/upload-url"
PROCESS_B = "/v1/videos/process"
FETCH = "/v1/videos/upload"
DOWNLOAD = "/v1/videos/download"
TUS = {"Tus-Resumable": "1.0.0"}
SEGMENT_BYTES = len(b"video/720p 0 ") * 100
"""Of each segment that the cinema shows."""
SOURCE = "https://media.example/a.mp4"
BODIES: Mapping[str, Mapping[str, object]] = {
    GRANT_A: {"filename": "clip.mp4", "fileSize": 5},
    GRANT_B: {"fileName": "clip.mp4", "fileSize": 5},
    FETCH: {"fileName": "clip.mp4", "videoURL": SOURCE},
    DOWNLOAD: {"sourceUrl": SOURCE},
}
PROCESSES = pytest.mark.parametrize("path", [PROCESS_A, PROCESS_B])


@pytest.fixture(autouse=True)
def _known_names(api: World) -> None:
    api.names.set("media.example", [PUBLIC])


def limit(api: World, **limits: float | None) -> None:
    api.services.quotas.change(ORG, limits)


def test_an_organization_that_is_not_there_has_no_quotas(api: World) -> None:
    quotas = api.services.quotas

    with pytest.raises(NotFoundError, match="no organization org_gone; hv orgs list"):
        quotas.change("org_gone", {})
    with pytest.raises(NotFoundError, match="no organization org_gone; hv orgs list"):
        quotas.of_one("org_gone")


def use_minutes(api: World, seconds: float) -> None:
    api.ready(duration_s=seconds)


def create_tus(api: World, length: int = 5) -> Result:
    name = base64.b64encode(b"clip.mp4").decode()
    headers = {"Upload-Metadata": f"fileName {name}", "Upload-Length": str(length)}
    return api.call("POST", "/v1/uploads", headers={**TUS, **headers})


def ask(api: World, path: str) -> Result:
    return create_tus(api) if path == "tus" else api.post(path, BODIES[path])


def uploaded(api: World) -> dict[str, object]:
    path = body_of(api.post(GRANT_A, BODIES[GRANT_A]))["bucketPath"]
    api.upload(path)
    return {"gcsPath": path, "videoQuality": "high", "allowPublicAccess": False}


def refused(result: Result, quota: str, *, retry_after_s: int | None) -> str:
    detail: str = problem_of(result, 429, CODE)["detail"]
    assert quota in detail
    waits = result.headers.get("Retry-After")
    assert waits == (None if retry_after_s is None else str(retry_after_s))
    return detail


def until_february(api: World) -> int:
    # The clock begins on the 2nd of January, in the night.
    began = api.clock.moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    left = began + timedelta(days=31) - api.clock.moment
    return int(left.total_seconds()) + 1


@pytest.mark.parametrize("path", [*BODIES, "tus"])
def test_without_limits_nothing_is_refused(api: World, path: str) -> None:
    api.ready(duration_s=10**6)

    assert ask(api, path).status_code in {200, 201}


@pytest.mark.parametrize("path", [*BODIES, "tus"])
def test_nothing_more_is_let_in_once_all_bytes_are_stored(
    api: World, path: str
) -> None:
    uploaded(api)
    limit(api, stored_bytes=5)

    detail = refused(ask(api, path), "storedBytes", retry_after_s=None)

    assert "5 of 5 bytes" in detail
    # Of a file whose length is not known yet, "more" would be added.
    assert "0 would be added" not in detail


@pytest.mark.parametrize("path", [GRANT_A, GRANT_B, "tus"])
def test_an_announced_file_must_fit(api: World, path: str) -> None:
    limit(api, stored_bytes=4)
    refused(ask(api, path), "storedBytes", retry_after_s=None)

    limit(api, stored_bytes=5)

    assert ask(api, path).status_code in {200, 201}


@pytest.mark.parametrize("path", [GRANT_B, FETCH, "tus"])
def test_nothing_more_is_begun_once_all_minutes_are_used(api: World, path: str) -> None:
    limit(api, encoded_minutes_per_month=2)
    use_minutes(api, 119.9)
    assert ask(api, path).status_code in {200, 201}
    use_minutes(api, 0.1)

    refused(ask(api, path), "encodedMinutesPerMonth", retry_after_s=until_february(api))

    api.clock.move(timedelta(days=31))
    assert ask(api, path).status_code in {200, 201}


def test_a_file_can_still_be_uploaded_without_minutes_where_nothing_begins(
    api: World,
) -> None:
    limit(api, encoded_minutes_per_month=0)

    assert ask(api, GRANT_A).status_code == 200
    assert ask(api, DOWNLOAD).status_code == 200


@PROCESSES
def test_another_video_begins_when_an_encode_is_free(api: World, path: str) -> None:
    first, second = uploaded(api), uploaded(api)
    limit(api, concurrent_encodes=1)
    video_id = body_of(api.post(path, first))["videoID"]

    refused(api.post(path, second), "concurrentEncodes", retry_after_s=15)
    api.fail(video_id)

    assert api.post(path, second).status_code == 200


@PROCESSES
def test_nothing_is_processed_without_minutes_or_room(api: World, path: str) -> None:
    request = uploaded(api)
    limit(api, encoded_minutes_per_month=0)
    refused(
        api.post(path, request),
        "encodedMinutesPerMonth",
        retry_after_s=until_february(api),
    )
    limit(api, encoded_minutes_per_month=None, stored_bytes=5)
    refused(api.post(path, request), "storedBytes", retry_after_s=None)

    limit(api, stored_bytes=6)

    assert api.post(path, request).status_code == 200


@pytest.mark.parametrize("base", ["/v1", f"/v1/api/{ORG}"])
def test_a_retry_needs_a_free_encode_too(api: World, base: str) -> None:
    path = f"{base}/videos/{api.failed()}/retry"
    limit(api, concurrent_encodes=1)
    running = api.transcoding()

    refused(api.post(path, None), "concurrentEncodes", retry_after_s=15)
    api.fail(running)

    assert api.post(path, None).status_code == 200


def test_an_invalid_request_is_refused_before_its_quota(api: World) -> None:
    running = api.transcoding()
    limit(api, concurrent_encodes=1, stored_bytes=0)

    problem_of(api.post(GRANT_A, {}), 400, "invalid_parameters")
    request = {"gcsPath": "x", "videoQuality": "high", "allowPublicAccess": True}
    problem_of(api.post(PROCESS_B, request), 400, "invalid_gcs_path")
    problem_of(
        api.post(f"/v1/videos/{running}/retry", None), 409, "processing_in_progress"
    )


def test_a_refused_request_leaves_nothing(api: World) -> None:
    limit(api, stored_bytes=0)
    before = body_of(api.get("/v1/videos"))

    for path in (*BODIES, "tus"):
        problem_of(ask(api, path), 429, CODE)

    assert body_of(api.get("/v1/videos")) == before
    with api.services.uow.read() as work:
        assert work.tasks.search() == []


def test_another_organization_is_not_refused(api: World) -> None:
    api.services.quotas.change(OTHER_ORG, {"stored_bytes": 0})

    assert ask(api, GRANT_B).status_code == 200


def send(api: World, body: bytes, *, size_bytes: int | None = None) -> Result:
    wanted = FileWanted(
        file_name="clip.mp4", content_type="video/mp4", size_bytes=size_bytes
    )
    granted = api.services.uploads.grant(api.env, wanted)
    limit(api, stored_bytes=4)
    address = urlsplit(granted.signed_url)
    result = TestClient(make_upload(api.services)).simulate_put(
        address.path,
        query_string=address.query,
        body=body,
        headers={"Content-Type": "video/mp4"},
    )
    with api.services.uow.read() as work:
        grant = work.grants.find(granted.grant.id)
    assert grant is not None
    is_cached = grant.state is GrantState.UPLOADED
    assert is_cached == (result.status_code == 200)
    assert bool(api.storage.files) == is_cached
    return result


def test_a_body_without_room_is_507_and_nothing_of_it_is_kept(api: World) -> None:
    problem_of(send(api, b"video"), 507, CODE)


def test_a_body_that_fits_is_kept(api: World) -> None:
    assert send(api, b"vide").status_code == 200


def test_a_body_is_judged_again_when_it_is_there(api: World) -> None:
    granted = api.services.uploads.grant(api.env, FileWanted(file_name="clip.mp4"))
    local = api.folder / "sent"
    local.write_bytes(b"video")
    limit(api, stored_bytes=4)

    with pytest.raises(Exception, match="storedBytes") as caught:
        api.services.uploads.receive(
            granted.grant.id, local, size_bytes=5, content_type="video/mp4"
        )

    assert getattr(caught.value, "http_status", None) == 507
    assert not api.storage.files


def test_a_file_may_be_sent_again_in_its_own_place(api: World) -> None:
    path = str(uploaded(api)["gcsPath"])
    limit(api, stored_bytes=5)

    api.upload(path)

    assert body_of(api.get("/v1/whoami"))["quotas"]["storedBytes"]["used"] == 5


def test_a_resumable_upload_is_507_and_goes_on_when_there_is_room(
    api: World,
) -> None:
    location = urlsplit(str(create_tus(api, 10).headers["Location"]))
    client = TestClient(make_upload(api.services))

    def patch(offset: int) -> Result:
        return client.simulate_patch(
            location.path,
            query_string=location.query,
            body=b"video",
            headers={
                **TUS,
                "Upload-Offset": str(offset),
                "Content-Type": "application/offset+octet-stream",
            },
        )

    assert patch(0).status_code == 204
    limit(api, stored_bytes=9)
    problem_of(patch(5), 507, CODE)
    limit(api, stored_bytes=10)

    assert patch(5).status_code == 204
    assert body_of(api.get("/v1/whoami"))["quotas"]["storedBytes"]["used"] == 10


def test_a_whole_resumable_upload_without_room_does_not_stop_the_tidying(
    api: World,
) -> None:
    created = create_tus(api)
    files = api.services.resumable.partial_files()
    with files.hold(GrantId(urlsplit(created.headers["Location"]).path[9:])) as file:
        file.append(b"video")
        file.sync()
    limit(api, stored_bytes=0)
    # As where the storage is a folder, into which files are moved.
    upload_dir = api.services.uploads.incoming_dir()
    api.storage.upload_dir = lambda: upload_dir  # type: ignore[attr-defined]

    assert api.services.resumable.tidy() == 0
    limit(api, stored_bytes=5)
    assert api.services.resumable.tidy() == 1


def test_whoami_tells_each_limit_and_what_is_used(api: World) -> None:
    uploaded(api)
    use_minutes(api, 90)
    api.transcoding()
    limit(api, concurrent_encodes=4, encoded_minutes_per_month=100, weight=3)
    limit(api, stored_bytes=1000, delivered_bytes_per_month=7)

    shown = body_of(api.get("/v1/whoami"))["quotas"]

    assert shown == {
        "concurrentEncodes": {"limit": 4, "used": 1},
        "encodedMinutesPerMonth": {"limit": 100, "used": 1.5},
        # Five of the source, and two files of one byte that are published.
        "storedBytes": {"limit": 1000, "used": 7},
        "deliveredBytesPerMonth": {"limit": 7, "used": 0},
    }
    limit(api, concurrent_encodes=None, encoded_minutes_per_month=None)
    left = body_of(api.get("/v1/whoami"))["quotas"]
    assert set(left) == {"storedBytes", "deliveredBytesPerMonth"}


def test_playback_goes_on_whatever_is_stored_or_encoded(api: World) -> None:
    cinema = Cinema(api=api)
    api.transcoding()
    limit(api, concurrent_encodes=1, encoded_minutes_per_month=0, stored_bytes=0)

    share = cinema.share()

    assert cinema.load(f"/v1/share/{share}/master.m3u8").status_code == 200


def test_nobody_begins_once_the_bytes_of_the_month_are_delivered(api: World) -> None:
    cinema = Cinema(api=api)
    share, other = cinema.share(maxViews=2), cinema.share(maxViews=1)
    begun = token_of(cinema.load(f"/v1/share/{share}/master.m3u8").text)
    limit(api, delivered_bytes_per_month=0)

    for path in (
        f"/v1/share/{other}/master.m3u8",
        f"/v1/share/{share}/video-720p.m3u8?token={begun}",
        f"/v1/share/{share}/manifest.mpd?token={begun}",
    ):
        address = urlsplit(path)
        answer = cinema.load(address.path, address.query)
        problem_of(answer, 429, CODE)
        assert answer.headers["Retry-After"] == str(until_february(api))
    # Who watches already is not cut off, and nobody lost a view.
    segment = cinema.load(f"/v1/share/{share}/video/720p/0.m4s", f"token={begun}")
    assert segment.status_code == 200
    assert sorted(cinema.views()) == [0, 1]
    # Nothing else is refused: playback alone uses it.
    assert ask(api, GRANT_B).status_code == 200
    limit(api, delivered_bytes_per_month=1)
    assert cinema.load(f"/v1/share/{other}/master.m3u8").status_code == 200


def test_segments_that_were_counted_use_the_bytes_of_the_month(api: World) -> None:
    cinema = Cinema(api=api)
    share = cinema.share()
    token = token_of(cinema.load(f"/v1/share/{share}/master.m3u8").text)
    limit(api, delivered_bytes_per_month=3 * SEGMENT_BYTES)
    for number in (0, 1, 0):
        path = f"/v1/share/{share}/video/720p/{number}.m4s"
        assert cinema.load(path, f"token={token}").status_code == 200
        # Sound, playlists and what begins a rung are not counted.
        assert (
            cinema.load(f"/v1/share/{share}/audio/0.m4s", f"token={token}").status_code
            == 200
        )

    api.services.flusher.run_once()

    shown = body_of(api.get("/v1/whoami"))["quotas"]["deliveredBytesPerMonth"]
    assert shown == {"limit": 3 * SEGMENT_BYTES, "used": 3 * SEGMENT_BYTES}
    problem_of(cinema.load(f"/v1/share/{share}/master.m3u8"), 429, CODE)
    api.services.flusher.run_once()
    assert body_of(api.get("/v1/whoami"))["quotas"]["deliveredBytesPerMonth"] == shown
