"""
A Transcoder API on this machine: REST with JSON, jobs that ffmpeg makes.

Requests are read by the client library's own messages, so that nothing passes that the API
does not know.
"""

import json
import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol
from urllib.parse import parse_qs, urlsplit

import attrs
from google.cloud.video.transcoder_v1.types import Job

from tests.plugins.transcoder_google.encoding import encode
from tests.plugins.transcoder_google.job_rules import problems
from tests.support.stores.object_store import s3_client

State = Job.ProcessingState
NAMES: Final = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
NAMES_OF_MORE: Final = {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
FILTER: Final = re.compile(r'labels\.(\w+)="([^"]*)"')
DOMAIN: Final = "transcoder.googleapis.com"

Answer = tuple[int, dict[str, Any]]
Query = dict[str, list[str]]


class CloudObjects(Protocol):
    """
    What Google's store has.
    """

    def fetch(self, bucket: str, name: str) -> bytes:
        """
        Read an object.
        """
        ...

    def put(self, bucket: str, name: str, data: bytes) -> None:
        """
        Write an object.
        """
        ...


@attrs.frozen
class S3Objects:
    """
    A store of S3, whose buckets and names are taken for Google's.
    """

    endpoint: str

    def fetch(self, bucket: str, name: str) -> bytes:
        """
        Read an object.
        """
        found = s3_client(self.endpoint).get_object(Bucket=bucket, Key=name)
        data: bytes = found["Body"].read()
        return data

    def put(self, bucket: str, name: str, data: bytes) -> None:
        """
        Write an object.
        """
        s3_client(self.endpoint).put_object(Bucket=bucket, Key=name, Body=data)


@attrs.define
class TranscoderStandIn:
    """
    The API's memory, and what a test changes of it.

    Attributes:
        refusal: What every request is answered with: status, message, reason.
        filters: Whether lists leave out what a filter does not let pass.
        created: How many jobs were submitted.
        deleted: Names of jobs that were deleted.
    """

    store: CloudObjects
    url: str = ""
    jobs: dict[str, Job] = attrs.field(factory=dict)
    refusal: tuple[int, str, str] | None = None
    filters: bool = True
    created: int = 0
    deleted: list[str] = attrs.field(factory=list)

    def running(self) -> list[str]:
        """
        Name the jobs that cost money now.
        """
        states = {State.PENDING, State.RUNNING}
        return [name for name, job in self.jobs.items() if job.state in states]

    def start(self, name: str, at: datetime) -> None:
        """
        Have a job run.
        """
        self.jobs[name].state = State.RUNNING
        self.jobs[name].start_time = at

    def fail(
        self, name: str, code: int, message: str, reason: str, details: str
    ) -> None:
        """
        Have a job end with an error.
        """
        error = _status(code, message, reason, details)
        told = Job.from_json(json.dumps({"error": error}))
        self.jobs[name].state = State.FAILED
        self.jobs[name].error = told.error

    def finish(self) -> None:
        """
        Make what is wanted, and end.
        """
        for name in self.running():
            self._make(self.jobs[name])
            self.jobs[name].state = State.SUCCEEDED

    def create(self, parent: str, body: bytes) -> Answer:
        """
        Take a job.
        """
        try:
            job = Job.from_json(body.decode())
        except Exception as exc:  # noqa: BLE001 - of many kinds
            return _error(400, f"the body is no job: {exc}")
        wrong = list(problems(job))
        if wrong:
            return _error(400, "; ".join(wrong))
        job.name = f"{parent}/jobs/{uuid.uuid4()}"
        job.state = State.PENDING
        job.create_time = datetime.now(UTC)
        self.jobs[job.name] = job
        self.created += 1
        return 200, _json(job)

    def find(self, _: str, query: Query) -> Answer:
        """
        List what a filter lets pass, the newest first.
        """
        wanted = FILTER.fullmatch(query.get("filter", [""])[0])
        if wanted is None:
            return _error(400, "filter")
        found = [
            _json(job)
            for job in reversed(self.jobs.values())
            if job.labels.get(wanted[1]) == wanted[2] or not self.filters
        ]
        return 200, {"jobs": found}

    def show(self, name: str) -> Answer:
        """
        Show a job.
        """
        job = self.jobs.get(name)
        return (200, _json(job)) if job else _error(404, f"{name} not found")

    def delete(self, name: str, query: Query) -> Answer:
        """
        Delete a job.
        """
        if self.jobs.pop(name, None) is None and query.get("allowMissing") != ["true"]:
            return _error(404, f"{name} not found")
        self.deleted.append(name)
        return 200, {}

    def _make(self, job: Job) -> None:
        taken = urlsplit(job.config.inputs[0].uri)
        target = urlsplit(job.config.output.uri)
        with TemporaryDirectory() as folder:
            source = Path(folder) / "source"
            source.write_bytes(self.store.fetch(taken.netloc, taken.path[1:]))
            for path, own in encode(job.config, source, Path(folder)):
                name = f"{target.path[1:]}{own}"
                self.store.put(target.netloc, name, path.read_bytes())


def _json(job: Job) -> dict[str, Any]:
    told = Job.to_json(job, always_print_fields_with_no_presence=False)
    found: dict[str, Any] = json.loads(told)
    return found


def _status(code: int, message: str, reason: str = "", details: str = "") -> Any:  # noqa: ANN401 - JSON data
    told: dict[str, Any] = {"code": code, "message": message}
    if reason:
        told["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": DOMAIN,
                "metadata": {"details": details},
            }
        ]
    return told


def _error(status: int, message: str, reason: str = "") -> Answer:
    names = NAMES | NAMES_OF_MORE
    told = _status(status, message, reason)
    return status, {"error": {**told, "status": names.get(status, "UNKNOWN")}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, api: TranscoderStandIn, *args: object) -> None:
        self.api = api
        super().__init__(*args)  # type: ignore[arg-type]  # passed on

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(lambda parent, _: self.api.create(parent, body))

    def do_GET(self) -> None:
        if urlsplit(self.path).path.endswith("/jobs"):
            self._answer(self.api.find)
        else:
            self._answer(lambda name, _: self.api.show(name))

    def do_DELETE(self) -> None:
        self._answer(self.api.delete)

    def log_message(self, *_: object) -> None:
        """
        Keep quiet.
        """

    def _answer(self, answer: Any) -> None:  # noqa: ANN401 - a bound method
        parts = urlsplit(self.path)
        name = parts.path.removeprefix("/v1/").removesuffix("/jobs")
        if self.api.refusal:
            status, told = _error(*self.api.refusal)
        else:
            status, told = answer(name, parse_qs(parts.query))
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Clients keep connections open.
    block_on_close = False


@contextmanager
def transcoder_stand_in(store: CloudObjects) -> Iterator[TranscoderStandIn]:
    """
    Run it until the block ends.
    """
    api = TranscoderStandIn(store)
    server = _Server(("127.0.0.1", 0), partial(_Handler, api))
    api.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
