"""
The Python client through everything: a film of 2 GB whose senders are killed.
"""

import logging
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore_client import HvClient
from tests.e2e.clips import make_clip
from tests.e2e.uploads.test_tus import kill_delivery, sha256_of
from tests.support.live import LiveService, live_service, until

SIZE_BYTES: Final = 2 * 1024**3
KILLS: Final = 10
BLOCK_BYTES: Final = 1024**2
SENDER: Final = Path(__file__).with_name("python_sender.py")

_log = logging.getLogger(__name__)

pytestmark = [pytest.mark.long, pytest.mark.services, pytest.mark.timeout(900)]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path) as running:
        yield running


@pytest.fixture
def film(tmp_path: Path) -> Path:
    clip = make_clip(tmp_path / "film.mp4", seconds=4, size="320x240")
    left_bytes = SIZE_BYTES - clip.stat().st_size
    with clip.open("ab") as file:
        # Players skip such a box (ISO/IEC 14496-12, "Free Space Box"), whose size is
        # written in eight bytes.
        file.write(struct.pack(">I4sQ", 1, b"free", left_bytes))
        # No two blocks are alike, so that none can stand in another's place.
        while (at := file.tell()) < SIZE_BYTES:
            block = struct.pack(">Q", at) * (BLOCK_BYTES // 8)
            file.write(block[: SIZE_BYTES - at])
    assert clip.stat().st_size == SIZE_BYTES
    return clip


def sender(service: LiveService, url: str, film: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SENDER), service.api, url, str(film)],
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
        stdout=subprocess.PIPE,
        text=True,
    )


def killed_beyond(process: subprocess.Popen[str], wanted_bytes: int) -> tuple[int, int]:
    """
    Kill a sender once it is far enough; return where it began and where it was.
    """
    assert process.stdout is not None
    with process, process.stdout as lines:
        began = at = int(next(lines))
        for line in lines:
            at = int(line)
            if at >= wanted_bytes:
                break
        process.kill()
    return began, at


def test_a_film_of_2_gb_comes_whole_from_eleven_processes(
    own: LiveService, film: Path
) -> None:
    with HvClient(own.api, own.key) as client:
        upload = client.begin_upload(film, name="Film")
        told = list[tuple[int, int]]()

        for number in range(1, KILLS + 1):
            process = sender(own, upload.upload_url, film)
            told.append(killed_beyond(process, SIZE_BYTES * number // (KILLS + 1)))
            if number in {3, 7}:
                kill_delivery(own)
        last = subprocess.run(
            [sys.executable, str(SENDER), own.api, upload.upload_url, str(film)],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout.splitlines()

        assert last[-1] == "done"
        # Each went on, and did not begin anew.
        begun = [began for began, _ in told] + [int(last[0])]
        assert begun[0] == 0
        assert begun == sorted(begun)
        assert min(begun[1:]) > 0
        _log.info("processes began at these bytes: %s", begun)
        folder = own.data / "storage" / "uploads"
        (stored,) = (path for path in folder.rglob("*") if path.is_file())
        assert sha256_of(stored) == sha256_of(film)
        video = client.wait_until_ready(upload.video_id, timeout_s=120)
        assert video.status.ready
    incoming = own.data / "storage" / ".incoming"
    until(lambda: not list(incoming.glob("tus-*")), within_s=5, what="a tidy folder")
