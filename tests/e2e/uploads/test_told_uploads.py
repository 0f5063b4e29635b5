"""
Uploads to the object store of which the service is told.
"""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.e2e.clips import make_clip
from tests.notify.queues import REGION, Aws
from tests.notify.senders import s3_event
from tests.support.hv_processes import HV
from tests.support.live import LiveService, live_service, request, until
from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    s3_server,
)

TOKEN: Final = "a-secret-of-more-than-32-characters"
BEFORE_ANYBODY_LOOKS_S: Final = 4.5
"""After the grant; the first look is after five seconds."""
ATTEMPTS: Final = 3
"""Of a machine that may be busy: a single one that is early proves it."""


@attrs.frozen(kw_only=True)
class Told:
    """
    A service, and the queue of its store.
    """

    service: LiveService
    aws: Aws
    queue: str
    bucket: str

    def send_to_queue(self, event: object) -> None:
        self.aws.send(self.queue, event)

    def send_to_service(self, event: object) -> None:
        address = f"{self.service.worker}/notify/events"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = request(
            "POST", address, data=json.dumps(event).encode(), headers=headers
        )
        assert answer.status == 204, answer


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, swift: str) -> Iterator[Told]:
    bucket = new_swift_bucket(swift)
    with s3_server() as endpoint:
        aws = Aws(endpoint=endpoint)
        queue = aws.new_queue()
        with live_service(
            tmp_path_factory.mktemp("told"),
            **environ_of_swift(swift, bucket),
            HV_UPLOADS__DIRECT="auto",
            HV_NOTIFY__SQS_URL=queue,
            HV_NOTIFY__SQS_REGION=REGION,
            HV_NOTIFY__SQS_KEY="k",
            HV_NOTIFY__SQS_SECRET="s",
            HV_NOTIFY__TOKEN=TOKEN,
        ) as service:
            yield Told(service=service, aws=aws, queue=queue, bucket=bucket)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "small.mp4", seconds=1, size="320x180")


def begun_after_s(
    told: Told, clip: Path, tell: Callable[[object], None]
) -> tuple[str, float]:
    """
    Upload a clip and tell of it; return the video, and when its processing began.
    """
    service = told.service
    wanted = {
        "fileName": clip.name,
        "fileSize": clip.stat().st_size,
        "contentType": "video/mp4",
    }
    began_s = time.monotonic()
    grant = service.call("POST", "/v1/videos/upload-url", wanted).body
    video_id, headers = grant["videoID"], {"Content-Type": "video/mp4"}
    sent = request("PUT", grant["signedURL"], data=clip.read_bytes(), headers=headers)
    assert sent.status == 200
    tell(s3_event(f"{told.bucket}/here/{grant['bucketPath']}/arrival"))

    def has_begun() -> bool:
        status = service.details(video_id)["status"]
        return bool(status["transcoding"] or status["ready"])

    until(has_begun, within_s=30, what="its processing")
    return video_id, time.monotonic() - began_s


def taken_early(
    told: Told, clip: Path, tell: Callable[[object], None]
) -> tuple[str, bool]:
    """
    Return a video, and whether it was begun before anybody would look.
    """
    for _ in range(ATTEMPTS):
        video_id, after_s = begun_after_s(told, clip, tell)
        if after_s < BEFORE_ANYBODY_LOOKS_S:
            return video_id, True
    return video_id, False


@pytest.mark.long
def test_a_file_of_which_the_queue_tells_is_taken_before_anybody_would_look(
    told: Told, small: Path
) -> None:
    video_id, is_early = taken_early(told, small, told.send_to_queue)

    assert is_early
    assert told.service.finished(video_id)["status"]["ready"]


def test_so_is_a_file_of_which_the_service_is_told_itself(
    told: Told, small: Path
) -> None:
    _, is_early = taken_early(told, small, told.send_to_service)

    assert is_early


@pytest.mark.long
def test_strangers_tell_nothing(told: Told) -> None:
    address = f"{told.service.worker}/notify"

    answers = [
        request("POST", f"{address}/{name}", data=b"{}")
        for name in ("events", "sns", "pubsub", "else")
    ]

    assert [answer.status for answer in answers] == [401, 404, 404, 404]
    assert all(answer.json["status"] == answer.status for answer in answers)


def test_what_nobody_can_read_ends_no_process(told: Told) -> None:
    told.send_to_queue("not an event")

    until(lambda: not told.aws.waiting(told.queue), within_s=20, what="its removal")

    log = told.service.data / "logs" / "notify.log"
    assert "no event of a store" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert not any("notify ended" in line for line in told_by_up(told))


@pytest.mark.long
def test_without_a_queue_there_is_nothing_to_read(told: Told, tmp_path: Path) -> None:
    done = told.service.hv("--data", str(tmp_path), "notify", "--help")
    assert done.returncode == 0
    environ = {
        name: value
        for name, value in told.service.environ.items()
        if not name.startswith("HV_NOTIFY")
    }

    done = attrs.evolve(told.service, environ=environ).hv("notify")

    assert done.returncode == 1
    assert "HV_NOTIFY__SQS_URL" in done.stderr


def test_the_process_ends_when_it_is_asked_to(told: Told) -> None:
    """
    It does not wait for a queue that holds its request.
    """
    environ = dict(told.service.environ) | {"HV_NOTIFY__SQS_URL": told.aws.new_queue()}
    with subprocess.Popen([*HV, "notify"], env=environ, stderr=subprocess.PIPE) as one:
        assert one.stderr is not None
        assert b"the queue is read" in one.stderr.readline()

        one.send_signal(signal.SIGTERM)

        assert one.wait(timeout=10) == 0
        assert one.stderr.read() == b""


def told_by_up(told: Told) -> list[str]:
    """
    Return what ``hv up`` has said.
    """
    log = told.service.data.with_name(told.service.data.name + ".log")
    return log.read_text().splitlines()
