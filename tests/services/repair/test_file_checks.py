"""
The bytes of a video's files are compared with those that were made.
"""

import threading
from typing import Any

import pytest

from hvcore.services.repair.file_checks import FileChecks
from tests.services.repair.planting import Site, media_of

TOGETHER = 4


def test_files_of_a_video_are_read_at_the_same_time(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    video, storage = site.ready(), site.world.services.storage
    root = str(video.media_root)
    opens, are_together = storage.open, threading.Event()
    begun: list[str] = []

    def slow(path: str, **options: Any) -> object:  # noqa: ANN401 - the port's own
        begun.append(path)
        if len(begun) == TOGETHER:
            are_together.set()
        # Of a store that answers the first only when others have asked, too.
        assert are_together.wait(5), "the first is awaited before others are read"
        return opens(path, **options)

    sizes = {
        info.path.removeprefix(f"{root}/"): info.size_bytes
        for info in storage.walk(root)
    }
    monkeypatch.setattr(storage, "open", slow)

    checks = FileChecks(storage=storage)
    bad = list(checks.bad_media(root, media_of(video), sizes, reads=True))

    assert bad == []
    assert len(set(begun)) >= TOGETHER
