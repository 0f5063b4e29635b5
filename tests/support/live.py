"""
A whole service as its users have it: ``hv up`` in a process of its own.
"""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import psutil

from tests.support.databases.migrated import lay_database_in
from tests.support.hv_processes import RunningHv, run_hv, start_hv
from tests.support.tried_ffmpeg import tried_ffmpeg

READY_WITHIN_S: Final = 60
MANY_UPLOADS: Final = {
    "HV_LIMITS__UPLOAD_URL_PER_HOUR": "10000",
    "HV_LIMITS__UPLOAD_URL_PER_MINUTE_AND_KEY": "1000",
}
"""Tests that share a service ask for more addresses together than one client may."""
POLL_S: Final = 0.05
T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Answer:
    """
    An answer of the service.
    """

    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON data
        """
        The answer's body, parsed.
        """
        return json.loads(self.data)

    @property
    def body(self) -> Any:  # noqa: ANN401 - JSON data
        """
        What stands under ``body``.
        """
        return self.json["body"]


def request(
    method: str,
    url: str,
    *,
    data: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """
    Send one request; an error status is an answer like any other.
    """
    wanted = urllib.request.Request(  # noqa: S310 - addresses of our own service
        url, data=data, headers=dict(headers or {}), method=method
    )
    try:
        with urllib.request.urlopen(wanted, timeout=60) as got:  # noqa: S310
            return Answer(status=got.status, headers=dict(got.headers), data=got.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(
                status=error.code, headers=dict(error.headers), data=error.read()
            )


def files_below(folder: Path) -> Iterator[Path]:
    """
    Yield every file; unlike rglob, it walks past what goes while it looks.
    """
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)


def until(condition: Callable[[], T], *, within_s: float, what: str = "it") -> T:
    """
    Ask again and again; return the first answer that counts.
    """
    deadline = time.monotonic() + within_s
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {within_s} s")
        time.sleep(POLL_S)


def words_of(process: psutil.Process) -> list[str]:
    """
    Return what a process is shown as; gunicorn puts its name into brackets.

    Raises:
        psutil.Error: It has ended.
    """
    # A title is one string, with what is left of a longer command behind it.
    return [word.strip("[]") for word in " ".join(process.cmdline()).split()]


def is_left(process: psutil.Process) -> bool:
    """
    Tell whether a process still runs.
    """
    try:
        # A zombie runs no more; it waits for its reaper, which is not ours.
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@attrs.define
class LiveService:
    """
    A running ``hv up``, its addresses, and a client with a key.

    Attributes:
        loads_anew: Whether it, and its commands, begin with a new Python.
    """

    data: Path
    port: int
    supervisor: RunningHv
    environ: Mapping[str, str]
    words: tuple[str, ...] = ()
    loads_anew: bool = False

    @property
    def api(self) -> str:
        """
        The API's root address.
        """
        return f"http://127.0.0.1:{self.port}"

    @property
    def worker(self) -> str:
        """
        The root address of delivery, player and uploads.
        """
        return f"http://127.0.0.1:{self.port + 1}"

    @property
    def key(self) -> str:
        """
        The key of the environment ``live``.
        """
        text = json.dumps(json.loads((self.data / "first-keys.json").read_text()))
        start = text.index("hv_live_")
        return text[start : start + 40]

    def call(
        self, method: str, path: str, json_body: object = None, **headers: str
    ) -> Answer:
        """
        Call the API as a client with the key of ``live``.
        """
        sent = {"X-Api-Key": self.key, **headers}
        data = None
        if json_body is not None:
            data = json.dumps(json_body).encode()
            sent["Content-Type"] = "application/json"
        return request(method, self.api + path, data=data, headers=sent)

    def hv(self, *words: str) -> subprocess.CompletedProcess[str]:
        """
        Run another ``hv`` command on the same data folder.
        """
        return run_hv(*words, environ=self.environ, loads_anew=self.loads_anew)

    def uploaded(self, clip: Path, content_type: str = "video/mp4") -> str:
        """
        Upload as Family A does; return the ``bucketPath``.
        """
        grant = self.call(
            "POST",
            "/v1/api/org_local/environments/live/videos/upload-url",
            {
                "filename": clip.name,
                "fileSize": clip.stat().st_size,
                "contentType": content_type,
            },
        ).body
        sent = request(
            "PUT",
            grant["signedURL"],
            data=clip.read_bytes(),
            headers={"Content-Type": content_type},
        )
        if sent.status != 200:
            raise AssertionError(f"upload: {sent.status} {sent.data!r}")
        return str(grant["bucketPath"])

    def process(self, path: str, **fields: object) -> Answer:
        """
        Ask for processing, as quick as can be if nothing else is said.
        """
        wanted = {
            "gcsPath": path,
            "videoQuality": "standard",
            "compressionRatio": "superfast",
            "allowPublicAccess": True,
            **fields,
        }
        return self.call(
            "POST", "/v1/api/org_local/environments/live/videos/process", wanted
        )

    def process_path_is_refused(self, path: str) -> bool:
        """
        Tell whether nothing that could be processed lies at a path.
        """
        answer = self.process(path)
        return answer.status == 400 and answer.json["code"] == "invalid_gcs_path"

    def details(self, video_id: str) -> Any:  # noqa: ANN401 - JSON data
        """
        Read a video's details.
        """
        return self.call("GET", f"/v1/videos/{video_id}").body

    def finished(self, video_id: str, *, within_s: float = 300) -> Any:  # noqa: ANN401
        """
        Wait until a video is ready or failed; return its details.
        """

        def ended() -> Any:  # noqa: ANN401 - JSON data
            details = self.details(video_id)
            status = details["status"]
            return details if status["ready"] or status["failed"] else None

        return until(ended, within_s=within_s, what=f"the end of {video_id}")

    def made(self, clip: Path, **fields: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Upload, process and wait; return the details.
        """
        content_type = str(fields.pop("content_type", "video/mp4"))
        answer = self.process(self.uploaded(clip, content_type), **fields)
        if answer.status != 200:
            raise AssertionError(f"process: {answer.status} {answer.data!r}")
        return self.finished(answer.body["videoID"])

    def public_url(self, video_id: str, file: str = "master.m3u8") -> str:
        """
        Return an address on the public path.
        """
        return f"{self.worker}/v1/public/org_local/live/{video_id}/{file}"

    def start(self) -> None:
        """
        Start again after the process has ended.
        """
        self.ended(within_s=15)
        self.supervisor = start_up(
            self.environ,
            self.data,
            self.port,
            self.words,
            loads_anew=self.loads_anew,
        )
        self.wait_ready()

    def wait_ready(self) -> None:
        """
        Wait until both addresses answer.
        """

        def ready() -> bool:
            if self.supervisor.poll() is not None:
                log = self.data.with_name(self.data.name + ".log")
                raise AssertionError(f"hv up ended: {log.read_text()[-2000:]}")
            try:
                return (
                    all(
                        request("GET", f"{root}/health/live").status == 200
                        for root in (self.api, self.worker)
                    )
                    and request("GET", f"{self.api}/health").status == 200
                )
            except (OSError, http.client.HTTPException):
                # The latter: of one that was killed while it answered.
                return False

        until(ready, within_s=READY_WITHIN_S, what="readiness")

    def ended(self, *, within_s: float) -> int:
        """
        Wait for the end of ``hv up``; return its exit status.
        """
        return self.supervisor.wait(timeout=within_s)

    def stop(self) -> int:
        """
        Ask it to end and return its exit status.
        """
        self.supervisor.send_signal(signal.SIGTERM)
        return self.ended(within_s=20)


def free_ports() -> int:
    """
    Find a port that is free, and so is the one after it.

    Below those that Linux gives to outgoing connections, of which one could take it
    before the service does.
    """
    # Not the generator that is seeded alike in all workers.
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(20_000, 32_000, 2)
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def start_up(
    environ: Mapping[str, str],
    data: Path,
    port: int,
    words: Sequence[str] = (),
    *,
    loads_anew: bool = False,
) -> RunningHv:
    """
    Start ``hv up``; with a new Python if that is wanted.
    """
    return start_hv(
        *("up", "--port", str(port), *words),
        environ=environ,
        out=data.with_name(data.name + ".log"),
        loads_anew=loads_anew,
    )


@contextmanager
def live_service(
    folder: Path, *words: str, loads_anew: bool = False, **settings: str
) -> Iterator[LiveService]:
    """
    Run a service of its own in a folder until the block ends.

    Args:
        words: For ``hv up``.
        loads_anew: Whether it begins with a new Python and without a database, as the
            first start of a user does.
    """
    data = folder / "data"
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    environ |= {"HV_DATA": str(data), **MANY_UPLOADS, **settings}
    port = free_ports()
    with tried_ffmpeg(data):
        if not loads_anew and "HV_DATABASE__URL" not in settings:
            lay_database_in(data)
        up = start_up(environ, data, port, words, loads_anew=loads_anew)
        service = LiveService(data, port, up, environ, words, loads_anew)
        with ended_afterwards(service):
            service.wait_ready()
            yield service


@contextmanager
def ended_afterwards(service: LiveService) -> Iterator[None]:
    """
    End a service with the block.
    """
    try:
        yield
    finally:
        if service.supervisor.poll() is None:
            service.supervisor.send_signal(signal.SIGTERM)
            try:
                service.supervisor.wait(timeout=20)
            except subprocess.TimeoutExpired:
                service.supervisor.kill()
                service.supervisor.wait()
