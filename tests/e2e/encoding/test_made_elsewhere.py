"""
A whole service of which one part of the videos is made elsewhere.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.services.processing.remote_world import PLUGINS
from tests.support.live import LiveService, live_service, until
from tests.support.network.remote_service import RemoteService, remote_service
from tests.support.stores.object_store import environ_of_bucket, new_bucket, s3_server

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def elsewhere(store: str) -> Iterator[RemoteService]:
    with remote_service(store, lambda: datetime.now(UTC)) as service:
        yield service


@pytest.fixture(scope="module")
def service(
    store: str, elsewhere: RemoteService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveService]:
    with live_service(
        tmp_path_factory.mktemp("service"),
        **environ_of_bucket(store, new_bucket(store)),
        PYTHONPATH=str(ROOT),
        HV_PLUGINS=PLUGINS,
        HV_TRANSCODER__ROUTES="far if size > 20 MB",
        HV_TRANSCODER__FURTHER__FAR__URL=elsewhere.url,
    ) as made:
        yield made


def large(folder: Path) -> Path:
    """
    Make a file that the rule sends elsewhere, where nobody looks into it.
    """
    file = folder / "large.mp4"
    file.write_bytes(b"\0" * 21_000_000)
    return file


def processed(service: LiveService, file: Path) -> str:
    answer = service.process(service.uploaded(file))
    assert answer.status == 200, answer.data
    return str(answer.body["videoID"])


def part_of(service: LiveService, video_id: str) -> dict[str, Any]:
    """
    Return what operators see of a video's only part.
    """
    words = ("--kind", "transcode.remote", "--video", video_id, "--json")
    listed = service.hv("tasks", *words)
    assert listed.returncode == 0, listed.stderr
    (part,) = json.loads(listed.stdout)["tasks"]
    assert isinstance(part, dict)
    return part


@pytest.mark.long
def test_large_videos_are_made_elsewhere_and_small_ones_here(
    service: LiveService, elsewhere: RemoteService, tmp_path: Path
) -> None:
    elsewhere.length_s, known = 5, len(elsewhere.jobs)
    clip = make_clip(tmp_path / "small.mp4", seconds=4, size="640x360")
    pending = processed(service, large(tmp_path))
    until(elsewhere.running, within_s=30, what="the remote job")

    small = service.made(clip, allowPublicAccess=True)

    assert small["status"]["ready"], small
    assert ffmpeg_complaints(service.public_url(small["id"])) == ""
    assert service.finished(pending)["status"]["ready"]
    assert len(elsewhere.jobs) == known + 1


@pytest.mark.long
def test_a_deleted_video_is_cancelled_elsewhere_and_operators_see_who_made_it(
    service: LiveService, elsewhere: RemoteService, tmp_path: Path
) -> None:
    elsewhere.length_s = 3600
    video_id = processed(service, large(tmp_path))
    until(elsewhere.running, within_s=30, what="the remote job")
    (job,) = elsewhere.running()
    until(
        lambda: part_of(service, video_id)["handle"] == job.id,
        within_s=30,
        what="the handle",
    )
    shown = part_of(service, video_id)
    told = json.loads(service.hv("videos", "show", video_id, "--json").stdout)

    service.call("DELETE", f"/v1/videos/{video_id}")

    until(lambda: not elsewhere.running(), within_s=30, what="the cancellation")
    assert shown["transcoder"] == "far"
    assert shown["transcoderBecause"] == "size > 20 MB"
    assert (told["transcoder"], told["transcoderBecause"]) == ("far", "size > 20 MB")
