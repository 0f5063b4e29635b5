"""
A service that makes videos elsewhere: jobs over HTTP, outputs in a bucket.

As plain as such a service can be: it does not recognise a job that was submitted twice.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import attrs

from tests.support.fakes import grey_init, grey_segment
from tests.support.stores.object_store import s3_client

BROKEN = b"broken"


@attrs.define(kw_only=True)
class RemoteJob:
    """
    A job, as the service knows it.
    """

    id: str
    key: str
    wanted: dict[str, Any]
    submitted_at: datetime
    fails: bool
    is_cancelled: bool = False
    outputs: list[dict[str, Any]] | None = None


class RemoteService:
    """
    The service's memory, and what a test changes of it.

    Attributes:
        length_s: How long a job takes, by the clock.
        failing: How many of the next jobs end with an error, half-way.
        is_down: Whether requests are refused.
        on_submit: Called when a job comes, before it is taken.
        polls: How often somebody asked for a job.
        cancels: The ids of jobs that were cancelled, each time.
        source_bytes: What it has read of sources.
    """

    def __init__(self, store: str, now: Callable[[], datetime]) -> None:
        self.store = store
        self.now = now
        self.jobs: dict[str, RemoteJob] = {}
        self.length_s = 60.0
        self.failing = 0
        self.is_down = False
        self.on_submit: Callable[[], None] = lambda: None
        self.polls = 0
        self.cancels: list[str] = []
        self.source_bytes = 0
        self.url = ""
        self._lock = threading.Lock()

    def running(self) -> list[RemoteJob]:
        """
        Return the jobs that cost money now.
        """
        return [job for job in self.jobs.values() if self._state(job) == "running"]

    def probe(self, wanted: dict[str, Any]) -> tuple[int, object]:
        """
        Say how large a source is.
        """
        with urlopen(wanted["source"]) as answer:  # noqa: S310 - the test's own store
            return 200, {"size": int(answer.headers["Content-Length"])}

    def submit(self, wanted: dict[str, Any]) -> tuple[int, object]:
        """
        Take a job.
        """
        self.on_submit()
        with self._lock:
            job = RemoteJob(
                id=f"job-{len(self.jobs) + 1}",
                key=wanted["key"],
                wanted=wanted,
                submitted_at=self.now(),
                fails=self.failing > 0,
            )
            self.failing = max(0, self.failing - 1)
            self.jobs[job.id] = job
        return 201, {"id": job.id}

    def find(self, key: str) -> tuple[int, object]:
        """
        Name the jobs with a key; ``*`` is every key.
        """
        return 200, [job.id for job in self.jobs.values() if key in {job.key, "*"}]

    def show(self, job_id: str) -> tuple[int, object]:
        """
        Say how a job is.
        """
        self.polls += 1
        job = self.jobs.get(job_id)
        if job is None:
            return 404, {}
        state = self._state(job)
        if state == "done" and job.outputs is None:
            job.outputs = self._make(job)
        return 200, {
            "state": state,
            "progress": self._share(job),
            "outputs": job.outputs,
        }

    def cancel(self, job_id: str) -> tuple[int, object]:
        """
        End a job.
        """
        job = self.jobs.get(job_id)
        if job is None:
            return 404, {}
        self.cancels.append(job_id)
        if self._state(job) == "running":
            job.is_cancelled = True
        return 200, {}

    def _share(self, job: RemoteJob) -> float:
        elapsed_s = (self.now() - job.submitted_at).total_seconds()
        return min(1.0, elapsed_s / self.length_s)

    def _state(self, job: RemoteJob) -> str:
        if job.is_cancelled:
            return "cancelled"
        if job.outputs is not None:
            return "done"
        share = self._share(job)
        if job.fails and share >= 0.5:
            return "failed"
        return "done" if share >= 1 else "running"

    def _make(self, job: RemoteJob) -> list[dict[str, Any]]:
        with urlopen(job.wanted["source"]) as answer:  # noqa: S310 - likewise
            self.source_bytes += len(answer.read())
        return [
            {
                "rung": rung["key"],
                "init": self._put(job, f"{rung['key']}-init.mp4", grey_init(**rung)),
                "segment": self._put(job, f"{rung['key']}-1.mp4", grey_segment(0)),
            }
            for rung in job.wanted["rungs"]
        ]

    def _put(self, job: RemoteJob, name: str, data: bytes) -> dict[str, Any]:
        target = urlsplit(job.wanted["target"])
        s3_client(self.store).put_object(
            Bucket=target.netloc, Key=f"{target.path.lstrip('/')}/{name}", Body=data
        )
        digest = sha256(data).hexdigest()
        return {"name": name, "size": len(data), "sha256": digest}


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, service: RemoteService, *args: object) -> None:
        self.service = service
        super().__init__(*args)  # type: ignore[arg-type]  # passed on

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        wanted = json.loads(self.rfile.read(length))
        service = self.service
        answer = service.probe if self.path == "/probes" else service.submit
        self._answer(partial(answer, wanted))

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.query:
            key = parse_qs(parts.query)["key"][0]
            self._answer(partial(self.service.find, key))
            return
        self._answer(partial(self.service.show, parts.path.rpartition("/")[2]))

    def do_DELETE(self) -> None:
        job_id = self.path.rpartition("/")[2]
        self._answer(partial(self.service.cancel, job_id))

    def log_message(self, *_: object) -> None:
        """
        Keep quiet.
        """

    def _answer(self, answer: Callable[[], tuple[int, object]]) -> None:
        status, body = (503, {}) if self.service.is_down else answer()
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def remote_service(store: str, now: Callable[[], datetime]) -> Iterator[RemoteService]:
    """
    Run the service until the block ends.

    Args:
        store: Address of the object store that it writes to.
    """
    service = RemoteService(store, now)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, service))
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
