"""
Messages that an imitation of SNS signs and delivers over HTTP.
"""

import logging
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from hvcore.domain.uploads.grants import FileWanted, direct_upload_path
from hvcore.domain.videos.states import VideoState
from hvcore_notify.app import make_app
from tests.notify.queues import REGION, Aws
from tests.services.conftest import World, make_world
from tests.support.fakes import SettableClock
from tests.support.network.outbound import source_server

Answer = Callable[[BaseHTTPRequestHandler], None]


class CertificatesOf(dict[str, Answer]):
    """
    What the imitation's SNS serves, which it only gives to who seems to sign for it.
    """

    def __init__(self, aws: Aws) -> None:
        super().__init__()
        self._aws = aws

    def __missing__(self, path: str) -> Answer:
        scope = f"AWS4-HMAC-SHA256 Credential=k/20260101/{REGION}/sns/aws4_request, x"
        wanted = urllib.request.Request(  # noqa: S310 - of this machine
            self._aws.endpoint + path, headers={"Authorization": scope}
        )
        with urllib.request.urlopen(wanted) as got:  # noqa: S310 - see above
            data = got.read()

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)

        return answer


class Silent(WSGIRequestHandler):
    def log_message(self, *_: object) -> None: ...


@contextmanager
def served(world: World) -> Iterator[str]:
    """
    Serve the addresses; gives that of SNS.
    """
    with make_server(
        "127.0.0.1", 0, make_app(world.services), handler_class=Silent
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/notify/sns"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def topic(aws: Aws) -> str:
    return aws.new_topic()


@pytest.fixture
def world(tmp_path: Path, aws: Aws, bucket: str, topic: str) -> Iterator[World]:
    with source_server() as source:
        source.answers = CertificatesOf(aws)
        environ = {
            "HV_STORAGE__OPTIONS__URL": f"s3://{bucket}/here",
            "HV_STORAGE__OPTIONS__ENDPOINT_URL": aws.endpoint,
            "HV_STORAGE__OPTIONS__KEY": "k",
            "HV_STORAGE__OPTIONS__SECRET": "s",
            "HV_UPLOADS__DIRECT": "on",
            "HV_FETCH__ALLOWED_HOSTS": f"127.0.0.1:{source.port}",
            "HV_NOTIFY__SNS_TOPICS": topic,
            "HV_NOTIFY__SNS_URL": f"http://127.0.0.1:{source.port}",
        }
        # The imitation signs with the real time.
        clock = SettableClock(datetime.now(UTC))
        with make_world(tmp_path, environ, clock=clock) as made:
            yield made


def test_a_bucket_tells_a_topic_and_that_tells_us(
    world: World, aws: Aws, bucket: str, topic: str
) -> None:
    aws.new_bucket(bucket, topic=topic)
    file = FileWanted(file_name="a.mp4", content_type="video/mp4", size_bytes=5)
    uploads = world.services.uploads
    grant = uploads.grant_video(world.env, file, world.wanted()).grant
    with served(world) as address:
        aws.client("sns").subscribe(TopicArn=topic, Protocol="http", Endpoint=address)
        aws.put(f"{bucket}/here/{direct_upload_path(grant)}")
        world.run_tasks()

    assert world.video(grant.video_id or "").state is VideoState.READY


def test_another_topic_is_not_heard(
    world: World, aws: Aws, bucket: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    another = aws.new_topic()
    with served(world) as address:
        client = aws.client("sns")
        client.subscribe(TopicArn=another, Protocol="http", Endpoint=address)
        client.publish(TopicArn=another, Message="{}")

    assert "a storage event is refused" in caplog.text
