"""
Calls of the Transcoder API, by Google's client library.

The library's errors become the errors of the transcoder port. The calls use HTTP with
JSON: gRPC keeps threads and sockets that do not survive a fork.
"""

import json
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

import attrs
import google.auth
import requests.exceptions
from google.api_core.exceptions import GoogleAPICallError
from google.auth.credentials import AnonymousCredentials, Credentials
from google.auth.exceptions import GoogleAuthError, TransportError
from google.cloud.video.transcoder_v1 import TranscoderServiceClient
from google.cloud.video.transcoder_v1.services.transcoder_service.transports import (
    TranscoderServiceRestTransport,
)
from google.cloud.video.transcoder_v1.types import (
    CreateJobRequest,
    DeleteJobRequest,
    GetJobRequest,
    Job,
    ListJobsRequest,
)
from google.protobuf.json_format import ParseError
from google.rpc.error_details_pb2 import ErrorInfo

from hvcore.plugin_api import TranscodeError, UnavailableError
from hvcore_transcoder_google.job_errors import is_outage, request_failure
from hvcore_transcoder_google.job_requests import KEY_LABEL, Members, key_label
from hvcore_transcoder_google.options import GoogleTranscoderOptions

PENDING: Final = "PENDING"
RUNNING: Final = "RUNNING"
SUCCEEDED: Final = "SUCCEEDED"
FAILED: Final = "FAILED"
_STATES: Final = {
    Job.ProcessingState[name].value: name
    for name in (PENDING, RUNNING, SUCCEEDED, FAILED)
}
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_HOST: Final = "transcoder.googleapis.com"
_PAGE: Final = 100
_MOST_PAGES: Final = 200
_ANSWER_S: Final = 20
"""The time limit of a call; a thread of a light worker waits meanwhile."""
_NOT_FOUND: Final = 404
_UNAUTHENTICATED: Final = 401
_SILENT: Final = "The Transcoder API does not answer."
_HALF: Final = (
    "What answers for the Transcoder API or Google's sign-in is not it; check what is "
    "between."
)
_NO_SIGN_IN: Final = (
    "Google's sign-in does not answer, or this machine's metadata server. If it never "
    "does, set transcoder.options.credentials."
)
_GOES_ON: Final = "The job goes on at Google, and is asked for again."


@attrs.frozen(kw_only=True)
class GoogleJob:
    """
    Describe the state of a job, as the Transcoder API reports it.

    Attributes:
        name: The API's name of the job, ``projects/…/locations/…/jobs/…``.
        state: PENDING, RUNNING, SUCCEEDED or FAILED.
        started_at: When the job began to run; None until then.
        code: The google.rpc.Code of a failed job's error; 0 if the job has not failed.
        message: The text of the error.
        reason: The reason in the error's ErrorInfo; "" if there is none.
        details: The field ``details`` in the metadata of the same ErrorInfo.
    """

    name: str
    state: str
    started_at: datetime | None = None
    code: int = 0
    message: str = ""
    reason: str = ""
    details: str = ""


class TranscoderCalls:
    """Submit, read, find and delete jobs of Google's Transcoder API; thread-safe."""

    def __init__(self, options: GoogleTranscoderOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._own = threading.local()
        self._made: list[TranscoderServiceClient] = []
        self._credentials: Credentials | None = None

    def create(self, request: Members) -> str:
        """Submit a job, and return the API's name of the new job."""
        asked = CreateJobRequest(parent=self._options.parent, job=Job(request))
        with translated():
            made = self._client().create_job(asked, retry=None, timeout=_ANSWER_S)
        if not made.name:
            # Of a job that was made all the same, the key tells.
            raise UnavailableError("The Transcoder API does not name the new job.")
        return str(made.name)

    def job(self, name: str) -> GoogleJob:
        """
        Return the state of the job with the given name.

        Raises:
            TranscodeError: No job has this name.
            UnavailableError: The API does not answer, refuses the request, or does not
                tell the job's state. The job goes on meanwhile, and is paid for.
        """
        asked = GetJobRequest(name=name)
        try:
            with translated():
                found = self._client().get_job(asked, retry=None, timeout=_ANSWER_S)
        except RequestRefusedError as exc:
            if exc.status == _NOT_FOUND:
                raise
            raise UnavailableError(f"{exc.log}. {_GOES_ON}") from exc
        return _job(found)

    def submitted(self, key: str) -> str | None:
        """Return the API's name of the newest job with the key of a remote job; None if there is none."""
        return next((job.name for job in self._with_key(key)), None)

    def running(self, key: str) -> list[str]:
        """Return the API's names of the jobs with the key of a remote job that have not ended."""
        return [
            job.name for job in self._with_key(key) if job.state in {PENDING, RUNNING}
        ]

    def delete(self, name: str) -> None:
        """
        Delete a job, which also ends it; a job that does not exist is no error.

        Raises:
            UnavailableError: The API does not answer, or the job has not ended yet.
            TranscodeError: The API refuses to delete the job.
        """
        asked = DeleteJobRequest(name=name, allow_missing=True)
        try:
            with translated():
                self._client().delete_job(asked, retry=None, timeout=_ANSWER_S)
            left = self.job(name)
        except RequestRefusedError as exc:
            if exc.status == _NOT_FOUND:
                return
            raise
        if left.state in {PENDING, RUNNING}:
            raise UnavailableError("The Transcoder API has not ended the job as yet.")

    def close(self) -> None:
        """Close the connections to the API of all threads."""
        with self._lock:
            made, self._made = self._made, []
        for client in made:
            client.transport.close()

    def _with_key(self, key: str) -> Iterator[GoogleJob]:
        label = key_label(key)
        asked = ListJobsRequest(
            parent=self._options.parent,
            filter=f'labels.{KEY_LABEL}="{label}"',
            order_by="create_time desc",
            page_size=_PAGE,
        )
        with translated():
            found = self._client().list_jobs(asked, retry=None, timeout=_ANSWER_S)
            for number, page in enumerate(found.pages):
                for job in page.jobs:
                    # Nothing else is taken for ours, whatever the filter lets pass.
                    if job.labels.get(KEY_LABEL) == label:
                        yield _job(job)
                if number >= _MOST_PAGES:
                    return

    def _client(self) -> TranscoderServiceClient:
        # One for each thread: nobody promises that threads may share one.
        client: TranscoderServiceClient | None = getattr(self._own, "client", None)
        if client is None:
            client = TranscoderServiceClient(transport=self._transport())
            self._own.client = client
            with self._lock:
                self._made.append(client)
        return client

    def _transport(self) -> TranscoderServiceRestTransport:
        endpoint = urlsplit(self._options.endpoint or f"https://{_HOST}")
        return TranscoderServiceRestTransport(
            host=endpoint.netloc,
            url_scheme=endpoint.scheme,
            credentials=self._shared_credentials(endpoint.scheme),
        )

    def _shared_credentials(self, scheme: str) -> Credentials:
        with self._lock:
            if self._credentials is None:
                self._credentials = self._new_credentials(scheme)
            return self._credentials

    def _new_credentials(self, scheme: str) -> Credentials:
        if scheme == "http":
            # A token would be readable on its way.
            return AnonymousCredentials()
        found: Credentials
        if not self._options.credentials:
            found, _ = google.auth.default(scopes=[_SCOPE])
            return found
        with warnings.catch_warnings():
            # It warns of what others have sent; this is the operator's own.
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                found, _ = google.auth.load_credentials_from_dict(
                    json.loads(self._options.credentials), scopes=[_SCOPE]
                )
            except ValueError as exc:
                # Without its text: the key is a secret.
                told = f"they cannot be read: {type(exc).__name__}"
                raise RequestRefusedError(_UNAUTHENTICATED, told) from exc
        return found


class RequestRefusedError(TranscodeError):
    """
    Say that the Transcoder API has refused a request.

    Attributes:
        status: The HTTP status of the answer.
    """

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        told = request_failure(status, message, reason)
        super().__init__(told.reason, log=told.log)
        self.status = status


@contextmanager
def translated() -> Iterator[None]:
    """Turn the exceptions of Google's client library into errors of the transcoder port."""
    try:
        yield
    except GoogleAPICallError as exc:
        status = int(exc.code or 0)
        reason = str(exc.reason or "")
        if is_outage(status):
            told = request_failure(status, "", reason)
            raise UnavailableError(told.log) from exc
        raise RequestRefusedError(status, str(exc.message), reason) from exc
    except GoogleAuthError as exc:
        if exc.retryable or _is_of_transport(exc):
            raise UnavailableError(_NO_SIGN_IN) from exc
        # Its text names types and fields, and no values.
        raise RequestRefusedError(_UNAUTHENTICATED, str(exc)) from exc
    except requests.exceptions.RequestException as exc:
        raise UnavailableError(f"{_SILENT} {type(exc).__name__}") from exc
    except (ParseError, KeyError, TypeError, ValueError) as exc:
        # Such as of a page of a proxy: of the API, or of Google's sign-in, of which the
        # client raises what its parser did.
        raise UnavailableError(_HALF) from exc


def _is_of_transport(error: BaseException | None) -> bool:
    # Google's client wraps what the network did in a RefreshError, without a flag.
    while error is not None:
        # KeyError: of an answer without a token.
        if isinstance(error, TransportError | KeyError):
            return True
        error = error.__cause__
    return False


def _job(found: Job) -> GoogleJob:
    # The number alone: of one that it does not know, the client warns.
    state = _STATES.get(Job.pb(found).state)
    if state is None or not found.name:
        raise UnavailableError(f"The Transcoder API tells no state. {_GOES_ON}")
    reason, details = _explained(found)
    return GoogleJob(
        name=found.name,
        state=state,
        started_at=found.start_time if "start_time" in found else None,
        code=found.error.code,
        message=found.error.message,
        reason=reason,
        details=details,
    )


def _explained(found: Job) -> tuple[str, str]:
    for detail in found.error.details:
        info = ErrorInfo()
        if detail.Unpack(info):
            return info.reason, info.metadata.get("details", "")
    return "", ""
