"""
Sending a file to its signed address.
"""

import errno
import fcntl
import io
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import attrs
import falcon
import pytest
from falcon.testing import Result, TestClient, create_environ

from hvcore import assembly
from hvcore.assembly import Services
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    UploadGranted,
)
from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidFileSizeError, UnavailableError
from hvcore.incoming import disk_space as room_module
from hvcore.incoming.disk_space import DiskReservation, DiskReservations
from hvcore.incoming.room_ledger import RoomLedger
from hvcore.incoming.whole_files import INCOMING_PREFIX
from hvcore.settings.shares import ShareSettings
from hvcore_upload import bodies
from hvcore_upload.app import FILES_APART_S, make_app
from hvcore_upload.bodies import CutOffError
from hvcore_upload.incoming import IncomingFiles
from hvcore_upload.pace import (
    MIN_BYTES_PER_S,
    MIN_BYTES_PER_S_WHILE_SCARCE,
    STALLED_S,
    SenderPace,
)
from tests.support.http.world import ENV, ORG, World, body_of, problem_of

MP4 = {"Content-Type": "video/mp4"}
DATA = b"not really a video" * 1000
UPLOAD_URL = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"


class Stream(io.RawIOBase):
    """
    A body that calls back before it ends, instead of ending.
    """

    def __init__(self, data: bytes, then: Callable[[], object]) -> None:
        self._data = io.BytesIO(data)
        self._then = then

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._data.read(size)
        if not data:
            self._then()
        return data


class Trickle(io.RawIOBase):
    """
    A body that never ends.
    """

    def read(self, size: int = -1) -> bytes:
        return b"x"


def raising(error: Exception) -> Callable[[], NoReturn]:
    def raise_() -> NoReturn:
        raise error

    return raise_


@pytest.fixture
def client(api: World) -> TestClient:
    return TestClient(make_app(api.services))


def grant(
    api: World, *, size_bytes: int | None = None, content_type: str | None = "video/mp4"
) -> UploadGranted:
    wanted = FileWanted(
        file_name="clip.mp4", content_type=content_type, size_bytes=size_bytes
    )
    return api.services.uploads.grant(api.env, wanted)


def put(
    client: TestClient,
    granted: UploadGranted,
    body: bytes = DATA,
    headers: dict[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    address = urlsplit(granted.signed_url)
    return client.simulate_put(
        address.path,
        query_string=address.query,
        body=body,
        headers=MP4 if headers is None else headers,
        extras=dict(extras or {}),
    )


def chunked(
    client: TestClient,
    granted: UploadGranted,
    body: bytes,
    extras: Mapping[str, object] | None = None,
) -> Result:
    by_server = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}
    return put(client, granted, body, extras={**by_server, **(extras or {})})


def stored(api: World) -> list[bytes]:
    return list(api.storage.files.values())


def current(api: World, granted: UploadGranted) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find(granted.grant.id)
    assert found is not None
    return found


def nothing_was_stored(api: World, granted: UploadGranted) -> bool:
    left = list(api.services.uploads.incoming_dir().iterdir())
    return (
        not stored(api)
        and not left
        and current(api, granted).state is GrantState.GRANTED
    )


def test_a_file_is_kept_and_its_path_answered(api: World, client: TestClient) -> None:
    granted = grant(api, size_bytes=len(DATA))

    result = put(client, granted)

    assert body_of(result) == {"bucketPath": granted.grant.path}
    assert result.headers["access-control-allow-origin"] == "*"
    assert stored(api) == [DATA]
    assert current(api, granted).state is GrantState.UPLOADED
    assert list(api.services.uploads.incoming_dir().iterdir()) == []


def test_a_file_of_several_blocks_arrives_whole(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BLOCK_BYTES", 1000)

    assert put(client, grant(api)).status_code == 200
    assert stored(api) == [DATA]


def test_the_uploaded_bytes_start_a_key_scoped_video(
    api: World, client: TestClient
) -> None:
    video_id = api.awaited()
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    granted = UploadGranted(
        grant=_grant_of(api, video.source_path), signed_url=_address(api, video_id)
    )

    result = put(client, granted)

    assert body_of(result)["videoID"] == video_id
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    assert video.state is VideoState.TRANSCODING
    problem = problem_of(put(client, granted), 409, "processing_in_progress")
    # By this a sender whose answer was lost knows its own file again.
    (told,) = problem["errors"]
    assert (told["location"], told["value"]) == (
        *("header.Content-Length", api.storage.stat(video.source_path).size_bytes),
    )


def _grant_of(api: World, path: str) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find_path(path)
    assert found is not None
    return found


def _address(api: World, video_id: str) -> str:
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    found = _grant_of(api, video.source_path)
    expires = int(found.expires_at.timestamp())
    path = api.services.upload_signer.sign(found.id, expires, api.clock.now())
    return "https://u.test" + path


def test_a_file_may_be_sent_again_until_processing_starts(
    api: World, client: TestClient
) -> None:
    granted = grant(api)

    put(client, granted, b"first")
    assert put(client, granted, b"second").status_code == 200

    assert stored(api) == [b"second"]


def test_an_upload_is_answered_with_a_tag_of_its_own(
    api: World, client: TestClient
) -> None:
    granted = grant(api)

    tags = [put(client, granted).headers["ETag"] for _ in range(2)]

    assert len(set(tags)) == 2
    for tag in tags:
        assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
        assert tag.strip('"') not in (current(api, granted).stored_path or "")


@pytest.mark.parametrize(
    "sent",
    [
        f"bytes 0-{len(DATA) - 1}/{len(DATA) + 1}",
        f"bytes 1-{len(DATA)}/{len(DATA) + 1}",
        f"bytes 0-{len(DATA) - 1}/*",
        f"bytes 0-{len(DATA)}/{len(DATA) + 1}",
        f"bytes */{len(DATA)}",
        "bytes 0-",
        "items 0-1/2",
        "9" * 9000,
    ],
    ids=[
        "first part",
        "last part",
        "of unknown",
        "other",
        "none",
        "open",
        "unit",
        "big",
    ],
)
def test_a_part_of_a_file_is_not_taken_for_the_whole(
    api: World, client: TestClient, sent: str
) -> None:
    granted = grant(api)

    refused = put(client, granted, headers={**MP4, "Content-Range": sent})

    problem = problem_of(refused, 400, "invalid_parameters")
    assert problem["errors"][0]["location"] == "header.Content-Range"
    assert nothing_was_stored(api, granted)


def test_a_range_that_is_the_whole_file_will_do(api: World, client: TestClient) -> None:
    whole = {**MP4, "Content-Range": f"bytes 0-{len(DATA) - 1}/{len(DATA)}"}

    assert put(client, grant(api), headers=whole).status_code == 200


def test_a_chunked_body_is_counted(api: World, client: TestClient) -> None:
    granted = grant(api, size_bytes=len(DATA))

    assert chunked(client, granted, DATA).status_code == 200
    assert stored(api) == [DATA]


@pytest.mark.parametrize("data", [DATA[:-1], DATA + b"x", b""])
def test_a_chunked_body_of_another_size_leaves_nothing(
    api: World, client: TestClient, data: bytes
) -> None:
    granted = grant(api, size_bytes=len(DATA))

    problem_of(chunked(client, granted, data), 400, "invalid_file_size")

    assert nothing_was_stored(api, granted)


def test_a_wrong_size_is_refused_before_a_byte_is_read(
    api: World, client: TestClient
) -> None:
    unread = Stream(b"", pytest.fail)
    cases = [
        (grant(api, size_bytes=100), "99"),
        (grant(api, size_bytes=100), "101"),
        (grant(api), "0"),
        (grant(api), str(MAX_UPLOAD_BYTES + 1)),
    ]

    for granted, length in cases:
        extras = {"CONTENT_LENGTH": length, "wsgi.input": unread}
        result = put(client, granted, extras=extras)
        problem_of(result, 400, "invalid_file_size")
        assert nothing_was_stored(api, granted)


def test_a_request_without_a_body_is_refused(api: World, client: TestClient) -> None:
    granted = grant(api)

    problem_of(put(client, granted, b""), 400, "invalid_file_size")

    assert nothing_was_stored(api, granted)


@pytest.mark.parametrize(
    "headers",
    [{}, {"Content-Type": "video/webm"}, {"Content-Type": "text/plain"}],
    ids=str,
)
def test_another_type_than_was_granted_is_refused(
    api: World, client: TestClient, headers: dict[str, str]
) -> None:
    granted = grant(api)

    problem_of(put(client, granted, headers=headers), 415, "unsupported_format")

    assert nothing_was_stored(api, granted)


def test_parameters_and_case_of_the_type_do_not_matter(
    api: World, client: TestClient
) -> None:
    headers = {"Content-Type": 'Video/MP4; codecs="avc1"'}

    assert put(client, grant(api), headers=headers).status_code == 200


def test_a_grant_without_a_type_takes_any_of_the_five(
    api: World, client: TestClient
) -> None:
    headers = {"Content-Type": "video/x-matroska"}

    granted = grant(api, content_type=None)
    assert put(client, granted, headers=headers).status_code == 200
    granted = grant(api, content_type=None)
    result = put(client, granted, headers={"Content-Type": "video/ogg"})
    problem_of(result, 415, "unsupported_format")


@pytest.mark.parametrize("sent", [{}, {"Content-Type": ""}], ids=str)
def test_a_grant_without_a_type_takes_bytes_without_a_type(
    api: World, client: TestClient, sent: dict[str, str]
) -> None:
    granted = grant(api, content_type=None)

    assert put(client, granted, headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("video/matroska", "video/matroska"),
        ("video/x-matroska", "video/matroska"),
        ("video/matroska", "video/x-matroska"),
        ("video/x-m4v", "video/mp4"),
        ("video/avi", "video/vnd.avi"),
        ("video/x-msvideo", "video/msvideo"),
        ("video/webm;codecs=vp8", "video/webm; codecs=vp9"),
    ],
)
def test_another_name_of_the_granted_type_is_taken(
    api: World, client: TestClient, asked: str, sent: str
) -> None:
    wanted = {"filename": "clip", "fileSize": len(DATA), "contentType": asked}
    body = body_of(api.post(UPLOAD_URL, wanted))
    granted = _grant_of(api, body["bucketPath"])

    address = urlsplit(body["signedURL"])
    result = client.simulate_put(
        address.path,
        query_string=address.query,
        body=DATA,
        headers={"Content-Type": sent},
    )

    assert result.status_code == 200
    assert granted.content_type == asked


def test_an_expired_address_is_refused(api: World, client: TestClient) -> None:
    granted = grant(api)
    api.clock.move(timedelta(hours=1))

    problem_of(put(client, granted), 403, "forbidden")

    assert nothing_was_stored(api, granted)


def test_a_tampered_address_is_refused(api: World, client: TestClient) -> None:
    granted, other = grant(api), grant(api)
    address = urlsplit(granted.signed_url)
    expires, signature = address.query.split("&")
    queries = [
        "",
        expires,
        signature,
        f"expires=99999999999&{signature}",
        f"{expires}&{expires}&{signature}",
        f"{expires}&{signature}&{signature}",
        f"{expires}&{signature.upper()}",
        f"{expires}&{signature}0",
        f"{expires}&signature=",
        f"{expires}&signature=%00",
        f"{expires}&{urlsplit(other.signed_url).query.split('&')[1]}",
    ]

    for query in queries:
        result = client.simulate_put(
            address.path, query_string=query, body=DATA, headers=MP4
        )
        problem_of(result, 403, "forbidden")
        assert signature.split("=")[1] not in result.text
    for path in (f"/upload/{other.grant.id}", "/upload/up_x", "/upload/%2e%2e"):
        result = client.simulate_put(path, query_string=address.query, headers=MP4)
        problem_of(result, 403, "forbidden")
    assert nothing_was_stored(api, granted)


@pytest.mark.parametrize(
    "error", [TimeoutError(), ConnectionResetError(), BlockingIOError(), OSError("cut")]
)
def test_a_body_that_is_cut_off_leaves_nothing(
    api: World, client: TestClient, error: OSError
) -> None:
    for send in (put, chunked):
        granted = grant(api)
        stream = Stream(DATA, raising(error))
        extras: dict[str, object] = {"wsgi.input": stream}
        if send is put:
            extras["CONTENT_LENGTH"] = str(len(DATA) + 1)

        result = send(client, granted, b"", extras=extras)

        problem_of(result, 400, "invalid_file_size")

        assert nothing_was_stored(api, granted)


def test_a_body_that_ends_early_leaves_what_was_there_before(
    api: World, client: TestClient
) -> None:
    granted = grant(api)
    put(client, granted, b"before")

    extras = {"CONTENT_LENGTH": str(len(DATA) + 1)}
    result = put(client, granted, extras=extras)

    problem_of(result, 400, "invalid_file_size")
    assert stored(api) == [b"before"]


def test_uploads_over_the_cap_are_asked_to_come_back(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))
    granted, second = grant(api), grant(api)
    meanwhile: list[Result] = []
    stream = Stream(DATA, lambda: meanwhile.append(put(client, second)))

    result = chunked(client, granted, b"", extras={"wsgi.input": stream})

    assert result.status_code == 200
    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["retry-after"] == "10"
    assert put(client, second).status_code == 200


def test_one_organization_gets_no_more_than_its_share(api: World) -> None:
    client = TestClient(make_app(sharing(api, uploads_of_one=1)))
    granted, second = grant(api), grant(api)
    wanted = FileWanted(file_name="a.mp4", content_type="video/mp4", size_bytes=None)
    others = api.services.uploads.grant(api.other_env, wanted)
    meanwhile: list[Result] = []
    stream = Stream(
        DATA, lambda: meanwhile.extend([put(client, second), put(client, others)])
    )

    chunked(client, granted, b"", extras={"wsgi.input": stream})

    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["retry-after"] == "10"
    assert meanwhile[1].status_code == 200


def sharing(api: World, **shares: int) -> Services:
    """
    Return the services with other shares.
    """
    settings = attrs.evolve(api.services.settings, shares=ShareSettings(**shares))
    overrides = {"clock": api.clock, "storage": api.storage, "queue": api.queue}
    services = assembly.build(settings, overrides=overrides)
    api.further.append(services)
    return services


@attrs.define
class PacingSocket:
    """
    Notes how far apart requests like its own go on.
    """

    every_s: float = 0

    def pace_others(self, every_s: float, *, of_all_below: bool) -> None:
        self.every_s = every_s if of_all_below else 0


def test_files_of_one_client_are_stored_one_after_the_other(api: World) -> None:
    client, granted = TestClient(make_app(api.services)), grant(api)
    whole, cut_off = PacingSocket(), PacingSocket()

    put(client, granted, extras={"gunicorn.socket": whole})
    put(client, granted, DATA[:-1], extras={"gunicorn.socket": cut_off, **SHORTER})

    assert whole.every_s == FILES_APART_S
    assert cut_off.every_s == 0


SHORTER = {"CONTENT_LENGTH": str(len(DATA))}
SLOW = MIN_BYTES_PER_S_WHILE_SCARCE - 1


@pytest.mark.parametrize(
    ("bytes_per_s", "is_scarce", "is_kept"),
    [
        (SLOW, True, False),
        (SLOW, False, True),
        (SLOW + 1, True, True),
        (MIN_BYTES_PER_S - 1, False, False),
    ],
)
def test_a_slow_sender_ends_where_others_wait(
    bytes_per_s: int,
    is_scarce: bool,  # noqa: FBT001 - a parameter of the test
    is_kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pace = SenderPace(0, is_scarce=lambda: is_scarce)
    for now_s in range(1, 60):
        pace.check(now_s * bytes_per_s, now_s)

    def go_on() -> None:
        for now_s in range(60, 70):
            pace.check(now_s * bytes_per_s, now_s)

    if is_kept:
        go_on()
    else:
        with pytest.raises(CutOffError, match="slow"):
            go_on()


def test_a_senders_pace_before_the_last_minute_does_not_count() -> None:
    pace = SenderPace(0, is_scarce=lambda: True)
    for now_s in range(1, 11):
        pace.check(now_s * 10**9, now_s)

    for now_s in range(11, 70):
        pace.check(10**10 + now_s * 10_000, now_s)

    with pytest.raises(CutOffError, match="while others waited"):
        pace.check(10**10 + 70 * 10_000, 70)


@pytest.mark.parametrize(
    ("bytes_per_s", "is_scarce", "is_kept"),
    [
        (0, True, False),
        (MIN_BYTES_PER_S - 1, True, False),
        (MIN_BYTES_PER_S, True, True),
        (0, False, True),
    ],
)
def test_a_sender_that_stands_still_while_others_wait_is_cut_off_in_seconds(
    bytes_per_s: int,
    is_scarce: bool,  # noqa: FBT001 - a parameter of the test
    is_kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pace = SenderPace(0, is_scarce=lambda: is_scarce)
    # Fast at first.
    pace.check(10**9, 1)

    def go_on() -> None:
        for now_s in range(2, int(STALLED_S) + 3):
            pace.check(10**9 + (now_s - 1) * bytes_per_s, now_s)

    if is_kept:
        go_on()
    else:
        with pytest.raises(CutOffError, match="while others waited"):
            go_on()


def test_a_failed_upload_gives_its_place_back(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))

    for _ in range(3):
        put(client, grant(api, size_bytes=1))

    assert put(client, grant(api)).status_code == 200


def test_a_nearly_full_disk_takes_nothing(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_module, "FREE_RESERVE_BYTES", 2**62)
    granted = grant(api)

    result = put(client, granted)

    problem_of(result, 503, "unavailable")
    assert "retry-after" in result.headers
    assert nothing_was_stored(api, granted)


def request(body: io.RawIOBase) -> falcon.Request:
    environ = create_environ("/upload/x", method="PUT")
    environ |= {"wsgi.input": body, "wsgi.input_terminated": True}
    return falcon.Request(environ)


def room(folder: Path) -> AbstractContextManager[DiskReservation]:
    reservations = DiskReservations(
        ledger=RoomLedger(folder / "room"), most_of_one_percent=50
    )
    return reservations.reserve(folder, None, client=ORG)


def nothing_is_left(folder: Path) -> bool:
    return [file.name for file in folder.iterdir()] == ["room"]


def test_a_sender_that_trickles_is_given_up(tmp_path: Path) -> None:
    ticks = iter(range(0, 1000, 30))
    files = IncomingFiles(folder=tmp_path, elapsed_s=lambda: float(next(ticks)))
    trickle = Trickle()

    with (
        pytest.raises(InvalidFileSizeError, match="too slow"),
        room(tmp_path) as reserved,
        files.collect(request(trickle), reserved),
    ):
        pytest.fail("nothing came in")

    assert nothing_is_left(tmp_path)


def test_a_disk_that_fills_up_meanwhile_is_no_fault_of_the_sender(
    tmp_path: Path,
) -> None:
    files = IncomingFiles(folder=tmp_path)
    full = OSError(errno.ENOSPC, "full")

    with (
        pytest.raises(UnavailableError),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        raise full

    assert nothing_is_left(tmp_path)


def test_another_fault_of_the_disk_stays_what_it_is(tmp_path: Path) -> None:
    files = IncomingFiles(folder=tmp_path)

    with (
        pytest.raises(OSError, match="broken"),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        raise OSError(errno.EIO, "broken")

    assert nothing_is_left(tmp_path)


def test_an_upload_to_a_folder_that_is_gone_is_asked_to_come_back(
    api: World, client: TestClient
) -> None:
    uploads = api.services.uploads
    granted = grant(api)
    folder = uploads.incoming_dir()
    folder.rmdir()
    # Neither there nor to be made.
    folder.symlink_to(folder.parent / "away")

    problem_of(put(client, granted), 503, "unavailable")


def test_a_folder_that_goes_meanwhile_is_unavailable(tmp_path: Path) -> None:
    folder = tmp_path / "incoming"
    files = IncomingFiles(folder=folder)

    with (
        pytest.raises(UnavailableError),
        room(tmp_path) as reserved,
        files.collect(request(Stream(DATA, lambda: None)), reserved),
    ):
        pytest.fail("there is no folder")


def test_a_running_upload_is_not_cleaned_away(api: World, client: TestClient) -> None:
    cleaned: list[int] = []
    granted = grant(api)
    stream = Stream(DATA, lambda: cleaned.append(api.services.uploads.clean_incoming()))

    result = chunked(client, granted, b"", extras={"wsgi.input": stream})

    assert result.status_code == 200
    assert cleaned == [0]
    assert stored(api) == [DATA]


def test_a_file_cleaned_away_before_its_lock_is_made_again(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = api.services.uploads
    flock = fcntl.flock
    cleaned: list[int] = []

    def late(file: int, how: int) -> None:
        # Others lock files as well.
        if not cleaned and list(uploads.incoming_dir().iterdir()):
            cleaned.append(0)
            cleaned[0] = uploads.clean_incoming()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)

    assert put(client, grant(api)).status_code == 200
    assert cleaned == [1]
    assert stored(api) == [DATA]


def test_uploads_of_a_killed_process_go_when_the_next_one_starts(api: World) -> None:
    left = api.services.uploads.incoming_dir() / f"{INCOMING_PREFIX}left"
    left.write_bytes(b"half")

    make_app(api.services)

    assert not left.exists()


def test_a_preflight_allows_a_put_from_any_page(client: TestClient) -> None:
    result = client.simulate_options(
        "/upload/up_x",
        headers={
            "Origin": "https://app.test",
            "Access-Control-Request-Method": "PUT",
        },
    )

    assert result.headers["access-control-allow-origin"] == "*"
    assert "PUT" in result.headers["access-control-allow-methods"]
    assert "Content-Type" in result.headers["access-control-allow-headers"]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
def test_an_upload_address_takes_a_put_alone(client: TestClient, method: str) -> None:
    result = client.simulate_request(method, "/upload/up_x")

    problem_of(result, 405, "method_not_allowed")
    assert "PUT" in result.headers["allow"]


def test_uploads_run_side_by_side(api: World, client: TestClient) -> None:
    granted = [grant(api) for _ in range(4)]
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda g=g: answers.append(put(client, g).status_code))
        for g in granted
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)

    assert answers == [200] * 4
