"""
Resumable uploads by the client that most pages use, through everything.
"""

import hashlib
import json
import os
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, Self

import psutil
import pytest

from tests.e2e.clips import make_clip
from tests.support.live import LiveService, live_service, until, words_of
from tests.support.npm_packages import npm_packages

CLIENT: Final = "tus-js-client@4.3.1"
SIZE_BYTES: Final = 200 * 1024 * 1024


@pytest.fixture
def own(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def client() -> Path:
    return npm_packages(CLIENT) / "tus-js-client"


@pytest.fixture
def padded(tmp_path: Path) -> Path:
    clip = make_clip(tmp_path / "padded.mp4", seconds=4, size="320x240")
    padding = SIZE_BYTES - clip.stat().st_size
    with clip.open("ab") as file:
        # Players skip such a box (ISO/IEC 14496-12, "Free Space Box").
        file.write(struct.pack(">I4s", padding, b"free"))
        for block in range((padding - 8) // 4096 + 1):
            left = SIZE_BYTES - file.tell()
            file.write(struct.pack(">Q", block).ljust(min(4096, left), b"\0")[:left])
    assert clip.stat().st_size == SIZE_BYTES
    return clip


class Sender:
    """
    The client at work, and what it has told.
    """

    def __init__(self, service: LiveService, client: Path, file: Path) -> None:
        self.said: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [
                "node",
                str(Path(__file__).with_name("tus_client.cjs")),
                str(client),
                f"{service.api}/v1/uploads",
                str(file),
            ],
            env={**os.environ, "HV_KEY": service.key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def hears(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """
        Read on until the client says something.
        """
        for line in self._pipe(self._process.stdout):
            self.said.append(json.loads(line))
            assert "error" not in self.said[-1], self.said[-5:]
            if wanted(self.said[-1]):
                return self.said[-1]
        raise AssertionError(f"the client ended: {self.said[-5:]}")

    def give_up_and_go_on(self) -> None:
        """
        Let the client break off in the middle of a chunk, and resume.
        """
        pipe = self._pipe(self._process.stdin)
        pipe.write("now\n")
        pipe.flush()

    def _pipe(self, pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def kill_delivery(service: LiveService) -> None:
    supervisor = psutil.Process(service.supervisor.pid)
    arbiter = next(p for p in supervisor.children() if "delivery" in words_of(p))
    for process in [arbiter, *arbiter.children(recursive=True)]:
        process.kill()


def sha256_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@pytest.mark.timeout(300)
def test_an_upload_survives_a_killed_server_and_a_client_that_breaks_off(
    own: LiveService, client: Path, padded: Path
) -> None:
    with Sender(own, client, padded) as sender:
        video_id = sender.hears(lambda said: "asset" in said)["asset"]
        sender.hears(lambda said: said.get("sent", 0) > SIZE_BYTES // 4)
        kill_delivery(own)
        sender.hears(lambda said: said.get("sent", 0) > SIZE_BYTES // 2)
        sender.give_up_and_go_on()
        sender.hears(lambda said: "aborted" in said)
        sender.hears(lambda said: "done" in said)

    heads = [said for said in sender.said if said.get("request") == "HEAD"]
    assert [said["status"] for said in heads if said["status"] == 200][1:], sender.said
    (stored,) = (
        path for path in (own.data / "storage" / "uploads").rglob("*") if path.is_file()
    )
    assert sha256_of(stored) == sha256_of(padded)
    assert own.finished(video_id)["status"]["ready"]
    incoming = own.data / "storage" / ".incoming"
    until(lambda: not list(incoming.glob("tus-*")), within_s=5, what="a tidy folder")
