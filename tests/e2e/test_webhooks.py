"""
Webhooks of a running service: real processes, a real queue, a real receiver.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook

from tests.support.live import LiveService, live_service, until
from tests.support.network.receivers import Receiver, receiver


@pytest.fixture
def service(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path, HV_FETCH__ALLOWED_HOSTS="127.0.0.1") as made:
        yield made


def add(service: LiveService, hook: Receiver) -> str:
    added = service.hv(
        *("webhooks", "add", "--org", "org_local", "--env", "live", hook.url),
        *("--event", "video.processing.failed", "--json"),
    )
    assert added.returncode == 0, added.stderr
    return str(json.loads(added.stdout)["secret"])


def test_a_failed_video_is_told_while_another_receiver_is_dead(
    service: LiveService, tmp_path: Path
) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("this is no video")
    with receiver() as dead, receiver() as live:
        dead.status = None
        add(service, dead)
        secret = add(service, live)

        video_id = service.process(service.uploaded(text)).body["videoID"]
        until(lambda: bool(live.received), within_s=60)

        received = live.received[0]
        verified = Webhook(secret).verify(received.body, dict(received.headers))
        assert (verified["videoId"], verified["envID"]) == (video_id, "live")
        assert verified["error"]
        listed = service.call("GET", "/v1/events?event=video.processing.failed")
        assert listed.body["events"] == [verified]
        # A request in flight does not hold up the end of the service.
        until(lambda: bool(dead.received), within_s=10)
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 10
