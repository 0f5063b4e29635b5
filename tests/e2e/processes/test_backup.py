"""
A whole service that is backed up under load, restored elsewhere, and moved.
"""

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import LiveService, live_service, request, until
from tests.support.servers import PostgresqlServer

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


def test_a_backup_under_load_plays_elsewhere(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=3, size="320x180")
    whole, rows_only = tmp_path / "whole", tmp_path / "rows.tar"
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with live_service(tmp_path / "first") as first:
        stays, goes = (first.made(clip)["id"] for _ in range(2))
        private = first.made(clip, allowPublicAccess=False)["id"]
        signed = _signed_url(first, private)
        with _load(first, clip):
            for words in ([str(whole), "--objects"], [str(rows_only)]):
                made = first.hv("backup", *words)
                assert made.returncode == 0, made.stderr
        assert first.call("DELETE", f"/v1/videos/{goes}").status == 200
        storage = first.data / "storage"
        until(lambda: not (storage / "media" / goes).exists(), within_s=60)
        _restore_beside(first, rows_only, tmp_path / "third", goes)
    shutil.rmtree(first.data)

    second = tmp_path / "second"
    restored = first.hv("--data", str(second / "data"), "restore", str(whole))
    assert restored.returncode == 0, restored.stderr
    with live_service(second) as there:
        for video_id in (stays, goes):
            assert ffmpeg_complaints(there.public_url(video_id)) == ""
        # The keys are the same: what was signed there plays here.
        address = urlsplit(signed)
        moved = f"{there.worker}{address.path}?{address.query}"
        assert request("GET", moved).status == 200
        # And so are those of callers; it goes on working.
        assert (
            there.key
            == json.loads((whole / "first-keys.json").read_text())["live"]["apiKey"]
        )
        assert there.made(clip)["status"]["ready"]


def test_the_service_plays_on_from_postgresql(
    tmp_path: Path, postgresql: PostgresqlServer
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=3, size="320x180")
    url = postgresql.new_database()
    with live_service(tmp_path) as service:
        before = service.made(clip)["id"]
        running = service.hv("migrate", "--to", url)
        assert (running.returncode, "already running" in running.stderr) == (1, True)
        assert service.stop() == 0

        moved = service.hv("migrate", "--to", url)
        assert moved.returncode == 0, moved.stderr
        service.environ = {**service.environ, "HV_DATABASE__URL": url}
        service.start()

        assert ffmpeg_complaints(service.public_url(before)) == ""
        after = service.made(clip)["id"]
        assert ffmpeg_complaints(service.public_url(after)) == ""
    postgresql.drop_database(url)


@contextmanager
def _load(service: LiveService, clip: Path) -> Iterator[None]:
    """
    Upload and delete videos meanwhile.
    """
    stops = threading.Event()
    deleted: list[str] = []

    def work() -> None:
        while not stops.is_set():
            video_id = service.made(clip)["id"]
            assert service.call("DELETE", f"/v1/videos/{video_id}").status == 200
            deleted.append(video_id)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        until(lambda: deleted, within_s=60)
        yield
    finally:
        stops.set()
        for thread in threads:
            thread.join()


def _restore_beside(
    service: LiveService, backup: Path, folder: Path, gone: str
) -> None:
    """
    Restore rows to look at the same storage, which a deleted video has left.
    """
    environ = {
        **service.environ,
        "HV_STORAGE__OPTIONS__URL": (service.data / "storage").as_uri(),
    }
    other = LiveService(folder, 0, service.supervisor, environ)
    restored = other.hv("--data", str(folder), "restore", str(backup), "--json")
    told: Any = json.loads(restored.stdout)
    assert restored.returncode == 0
    assert gone in told["missingVideos"]


def _signed_url(service: LiveService, video_id: str) -> str:
    answer = service.call("GET", f"/v1/videos/{video_id}/signed-url")
    assert answer.status == 200, answer.data
    return next(v for v in answer.body.values() if str(v).startswith("http"))
