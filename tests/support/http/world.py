"""
A service with two organizations, and a client of its API.
"""

import io
from collections.abc import Callable, Mapping
from datetime import timedelta
from fractions import Fraction
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import attrs
from falcon.testing import Result, TestClient, create_environ

from hvcore.assembly import Services
from hvcore.domain import ids
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import JobId
from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack
from hvcore.domain.processing.transcoding import AudioRendition, MediaFile, Rung, Track
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.services.access.keys import KeyWanted
from hvcore_api.app import make_api
from tests.conftest import SettableClock
from tests.support.http import documented
from tests.support.http.fakes import MemoryStorage, RememberingQueue, ScratchTranscoder
from tests.support.network.outbound import Names

ORG: Final = "org_a"
OTHER_ORG: Final = "org_b"
ENV: Final = "live"
ORIGIN: Final = "https://app.example.com"
NEWER_PHRASES: Final = {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""Of RFC 9110, which Python has since 3.13."""


@attrs.frozen(kw_only=True)
class Key:
    """
    A key's value, which no test's output shows.
    """

    value: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class Tenants:
    """
    Who is there from the beginning.

    Attributes:
        env: ``live`` of the organization.
        dev: Its ``dev``.
        other_env: The one of the other organization.
        key: An environment key of ``env``.
    """

    env: Environment
    dev: Environment
    other_env: Environment
    key: Key


def make_tenants(services: Services) -> Tenants:
    """
    Make both organizations, their environments, and a key.
    """
    tenants = services.tenants
    for org_id in (ORG, OTHER_ORG):
        tenants.create_organization(org_id)
    live, dev = EnvironmentKind.PRODUCTION, EnvironmentKind.DEVELOPMENT
    env = tenants.create_environment(ORG, ENV, live)
    wanted = KeyWanted(
        type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV, permissions=ALL_PERMISSIONS
    )
    return Tenants(
        env=env,
        dev=tenants.create_environment(ORG, "dev", dev),
        other_env=tenants.create_environment(OTHER_ORG, "theirs", live),
        key=Key(value=services.keys.create(wanted).value),
    )


@attrs.define(kw_only=True)
class World:
    """
    The running API and what it stands on.

    Attributes:
        names: What outgoing requests take for the name servers.
        tenants: Who is in its database.
        key: What requests are sent with: the tenants' key.
        further: Services that tests built anew; closed at the end.
    """

    services: Services
    clock: SettableClock
    storage: MemoryStorage
    queue: RememberingQueue
    transcoder: ScratchTranscoder
    names: Names
    folder: Path
    tenants: Tenants
    further: list[Services] = attrs.field(factory=list)
    client: TestClient = attrs.field(init=False)
    key: Key = attrs.field(init=False)
    env: Environment = attrs.field(init=False)
    dev: Environment = attrs.field(init=False)
    other_env: Environment = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.client = TestClient(make_api(self.services))
        self.key = self.tenants.key
        self.env = self.tenants.env
        self.dev = self.tenants.dev
        self.other_env = self.tenants.other_env

    def make_key(
        self,
        key_type: KeyType = KeyType.ENVIRONMENT,
        *,
        org: str | None = ORG,
        env: str | None = ENV,
        permissions: frozenset[Permission] = ALL_PERMISSIONS,
        expires_in: timedelta | None = None,
    ) -> Key:
        """
        Make a key.
        """
        wanted = KeyWanted(
            type=key_type,
            org_id=org,
            env=env,
            permissions=permissions,
            expires_in=expires_in,
        )
        return Key(value=self.services.keys.create(wanted).value)

    def system_key(self) -> Key:
        """
        Make a key that reaches every organization.
        """
        return self.make_key(KeyType.SYSTEM, org=None, env=None)

    def call(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        path: str,
        *,
        key: Key | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        body: bytes | None = None,
        query: str | None = None,
    ) -> Result:
        """
        Send a request, with the world's key unless another is given.

        Every answer is held against the description of its route.
        """
        result = self.client.simulate_request(
            method,
            path,
            headers={"X-Api-Key": (key or self.key).value, **(headers or {})},
            json=json,
            body=body,
            query_string=query,
        )
        documented.check(self.client.app, method, path, result)
        return result

    def get(
        self, path: str, query: str | None = None, key: Key | None = None
    ) -> Result:
        """
        Send a GET.
        """
        return self.call("GET", path, query=query, key=key)

    def post(self, path: str, json: object, key: Key | None = None) -> Result:
        """
        Send a POST with a JSON body.
        """
        return self.call("POST", path, json=json, key=key)

    def delete(self, path: str, json: object = None, key: Key | None = None) -> Result:
        """
        Send a DELETE.
        """
        return self.call("DELETE", path, json=json, key=key)

    def upload(self, path: str) -> None:
        """
        Send the bytes of a grant.
        """
        with self.services.uow.read() as work:
            grant = work.grants.find_path(path)
        assert grant is not None
        local = self.folder / "sent"
        local.write_bytes(b"video")
        self.services.uploads.receive(
            grant.id, local, size_bytes=5, content_type="video/mp4"
        )

    def awaited(
        self,
        env: Environment | None = None,
        *,
        name: str = "clip",
        is_public: bool = True,
    ) -> str:
        """
        Make a video whose bytes have not come; return its id.
        """
        wanted = VideoWanted(
            settings=EncodingSettings(preset=Preset.STANDARD),
            is_public=is_public,
            name=name,
        )
        granted = self.services.uploads.grant_video(
            env or self.env, FileWanted(file_name="clip.mp4"), wanted
        )
        assert granted.grant.video_id is not None
        return granted.grant.video_id

    def transcoding(
        self,
        env: Environment | None = None,
        *,
        name: str = "clip",
        is_public: bool = True,
    ) -> str:
        """
        Make a video that is being processed.
        """
        video_id = self.awaited(env, name=name, is_public=is_public)
        self.change(video_id, lambda video: video.start_processing(ids.new_job_id()))
        return video_id

    def ready(
        self,
        env: Environment | None = None,
        *,
        name: str = "clip",
        is_public: bool = True,
        duration_s: float = 75.5,
    ) -> str:
        """
        Make a video that can be played.
        """
        video_id = self.transcoding(env, name=name, is_public=is_public)
        self.change(
            video_id, lambda video: video.mark_ready(job_of(video), media(duration_s))
        )
        return video_id

    def failed(self, env: Environment | None = None, *, name: str = "clip") -> str:
        """
        Make a video that could not be processed.
        """
        video_id = self.transcoding(env, name=name)
        self.fail(video_id)
        return video_id

    def fail(self, video_id: str) -> None:
        """
        End the processing of a video.
        """
        self.change(
            video_id,
            lambda video: video.mark_failed(job_of(video), "There is no picture."),
        )

    def change(self, video_id: str, change: Callable[[Video], object]) -> None:
        """
        Change a video as the worker would.
        """
        with self.services.uow.write() as work:
            video = work.videos.find(video_id, for_update=True)
            assert video is not None
            change(video)
            work.videos.save(video)
            work.commit()

    def public_id(self, video_id: str) -> str:
        """
        Return the other id of a video.
        """
        with self.services.uow.read() as work:
            video = work.videos.find(video_id)
        assert video is not None
        return video.public_id


def job_of(video: Video) -> JobId:
    """
    Return the job that is running.
    """
    assert video.job_id is not None
    return video.job_id


def media(duration_s: float) -> MediaIndex:
    """
    Return what a job has published: one rung and its sound.
    """
    file = MediaFile(size_bytes=1, sha256="0" * 64)
    rung = Rung(
        key="360p",
        short_edge_px=360,
        width_px=640,
        height_px=360,
        video_kbps=500,
        frame_rate=Fraction(30000, 1001),
        pixel_format=PixelFormat.YUV420P,
        rate_control=RateControl.VARIABLE,
        two_pass=False,
        speed=Speed.VERYFAST,
    )
    audio = AudioRendition(
        name="audio", stream_index=1, codec=AudioCodec.AAC, kbps=96, channels=2
    )
    tracks = (
        Track(name="video/360p", codecs="avc1", init=file, segments=(), rung=rung),
        Track(name="audio", codecs="mp4a", init=file, segments=(), audio=audio),
    )
    return MediaIndex(
        tracks=tuple(PublishedTrack(track=track, pieces=()) for track in tracks),
        duration_s=duration_s,
    )


def problem_of(result: Result, status: int, code: str) -> dict[str, Any]:
    """
    Return an answer's envelope, after it was found to be a whole one.
    """
    assert result.status_code == status, result.text
    assert result.headers["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = result.json
    assert document["status"] == status
    assert document["code"] == code
    phrase = NEWER_PHRASES.get(status) or HTTPStatus(status).phrase
    assert document["title"] == phrase
    # What refuses a playback names the request, too.
    request_id = result.headers["X-Request-Id"]
    assert document.pop("requestId", request_id) == request_id
    assert set(document) == {"title", "status", "code", "detail", "errors"}
    assert document["detail"]
    for error in document["errors"]:
        assert set(error) == {"message", "location", "value"}
    return document


def body_of(result: Result) -> dict[str, Any]:
    """
    Return a successful answer's payload.
    """
    assert result.status_code == 200, result.text
    assert result.headers["Content-Type"] == "application/json"
    document: dict[str, Any] = result.json
    assert set(document) == {"body"}
    payload: dict[str, Any] = document["body"]
    return payload


def locations(document: dict[str, Any]) -> list[str]:
    """
    Return where the single problems are.
    """
    return [error["location"] for error in document["errors"]]


def send_raw(
    api: World, method: str, path: str, body: bytes = b"", **environ: object
) -> tuple[str, dict[str, str], bytes]:
    """
    Call the app as a WSGI server does, with an environment of one's own.

    Returns:
        Status line, headers, body.
    """
    answered: list[tuple[str, dict[str, str]]] = []
    env = create_environ(method=method, path=path, headers={"X-Api-Key": api.key.value})
    env.pop("CONTENT_LENGTH", None)
    env.update({"wsgi.input": io.BytesIO(body), **environ})

    def start_response(
        status: str, headers: list[tuple[str, str]], _exc_info: object = None, /
    ) -> Callable[[bytes], object]:
        answered.append((status, dict(headers)))
        return chunks.append

    chunks: list[bytes] = []

    chunks += api.client.app(env, start_response)
    return *answered[0], b"".join(chunks)
