"""
A service whose callers send files to a bucket, and whose store tells of them over HTTP.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.uploads.grants import FileWanted, UploadGrant, direct_upload_path
from hvcore_notify.app import make_app
from tests.notify.senders import (
    AUDIENCE,
    CERTIFICATE,
    EMAIL,
    TOPIC,
    GoogleSender,
    SnsSender,
)
from tests.services.conftest import MP4, World, make_world
from tests.support.fakes import SettableClock
from tests.support.network.outbound import Source, source_server

TOKEN: Final = "a-secret-of-more-than-32-characters"
KEYS_PATH: Final = "/oauth2/v3/certs"


@attrs.frozen(kw_only=True)
class EventSenders:
    """
    Stores that tell a service of its files, over HTTP.

    Attributes:
        source: Has Amazon's certificate and Google's keys.
    """

    world: World
    client: TestClient
    source: Source
    amazon: SnsSender
    google: GoogleSender

    def grant(self) -> UploadGrant:
        """
        Grant an upload that starts its processing by itself.
        """
        file = FileWanted(file_name="a.mp4", content_type=MP4, size_bytes=5)
        world = self.world
        return world.services.uploads.grant_video(world.env, file, world.wanted()).grant

    def object_of(self, grant: UploadGrant) -> str:
        """
        Return what the store calls a grant's file.
        """
        return f"bucket/here/{direct_upload_path(grant)}"

    def looks(self, grant: UploadGrant) -> int:
        """
        Count the looks that were ordered besides the usual one.
        """
        with self.world.services.uow.read() as work:
            tasks = work.tasks.of_subject(grant.id, kind=UPLOAD_TAKE)
        return sum(1 for task in tasks if not task.payload["watches"])

    def post(
        self, kind: str, body: object, *, token: str | None = None, **headers: str
    ) -> Result:
        """
        Post to one of the addresses.

        Args:
            body: Text as it is, all else as JSON.
        """
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        sent = {"Content-Type": "text/plain; charset=UTF-8", **headers}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        return self.client.simulate_post(f"/notify/{kind}", body=data, headers=sent)

    def publish(self, event: Mapping[str, Any], **members: object) -> Result:
        """
        Post a message of SNS.
        """
        now = self.world.clock.now()
        return self.post("sns", self.amazon.message(json.dumps(event), now, **members))

    def serve_certificate(self, pem: bytes, path: str = CERTIFICATE) -> None:
        """
        Have the source answer with a certificate.
        """
        self.source.gives(path, pem)

    def asked(self, path: str) -> int:
        """
        Count the requests for a path.
        """
        return sum(one.path.partition("?")[0] == path for one in self.source.requests)


def environ_of(source: Source) -> dict[str, str]:
    """
    Return the settings of a service that takes storage events of all kinds.
    """
    root = f"http://127.0.0.1:{source.port}"
    return {
        # Signing an address asks no store.
        "HV_STORAGE__OPTIONS__URL": "s3://bucket/here",
        "HV_STORAGE__OPTIONS__ENDPOINT_URL": "http://127.0.0.1:9",
        "HV_STORAGE__OPTIONS__KEY": "k",
        "HV_STORAGE__OPTIONS__SECRET": "s",
        "HV_UPLOADS__DIRECT": "auto",
        "HV_FETCH__ALLOWED_HOSTS": f"127.0.0.1:{source.port}",
        "HV_NOTIFY__SNS_TOPICS": TOPIC,
        "HV_NOTIFY__SNS_URL": f"{root}/",
        "HV_NOTIFY__PUBSUB_AUDIENCE": AUDIENCE,
        "HV_NOTIFY__PUBSUB_EMAIL": EMAIL,
        "HV_NOTIFY__PUBSUB_KEYS_URL": root + KEYS_PATH,
        "HV_NOTIFY__TOKEN": TOKEN,
    }


@contextmanager
def event_senders(
    folder: Path, amazon: SnsSender, google: GoogleSender, **environ: str
) -> Iterator[EventSenders]:
    """
    Run one.

    Args:
        environ: Settings besides the usual ones.
    """
    with source_server() as source:
        source.gives(CERTIFICATE, amazon.certificate)
        source.gives(KEYS_PATH, google.keys())
        with make_world(folder, {**environ_of(source), **environ}) as world:
            yield EventSenders(
                world=world,
                client=TestClient(make_app(world.services)),
                source=source,
                amazon=amazon,
                google=google,
            )


@pytest.fixture(scope="session")
def amazon() -> SnsSender:
    return SnsSender.make(SettableClock().now())


@pytest.fixture(scope="session")
def google() -> GoogleSender:
    return GoogleSender.make()


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, amazon: SnsSender, google: GoogleSender
) -> Iterator[EventSenders]:
    """
    For tests that change nothing of it.
    """
    with event_senders(tmp_path_factory.mktemp("shared"), amazon, google) as made:
        yield made


@pytest.fixture
def told(
    tmp_path: Path, amazon: SnsSender, google: GoogleSender
) -> Iterator[EventSenders]:
    with event_senders(tmp_path, amazon, google) as made:
        yield made
