"""Call MediaConvert by boto3, and turn boto3's errors into the transcoder port's errors."""

import threading
from collections.abc import Iterator
from typing import Any, Final

import attrs
import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
)

from hvcore.plugin_api import (
    TranscodeError,
    UnavailableError,
    UnusableSourceError,
    use_until_end,
)
from hvcore_transcoder_mediaconvert.job_errors import (
    FAILED,
    is_of_credentials,
    is_outage,
    request_failure,
)
from hvcore_transcoder_mediaconvert.job_requests import Members
from hvcore_transcoder_mediaconvert.options import KEY, MediaConvertOptions

RUNNING: Final = ("SUBMITTED", "PROGRESSING")
COMPLETE: Final = "COMPLETE"
CANCELED: Final = "CANCELED"
_STATES: Final = (*RUNNING, COMPLETE, CANCELED, "ERROR")
_PAGE: Final = 20
"""The number of jobs in a page of a list; MediaConvert allows no more."""
_MOST_PAGES: Final = 200
_LONGEST_INPUT: Final = 300
"""The most characters of a source's address that SearchJobs accepts as a filter."""
_CONNECT_S: Final = 5
_ANSWER_S: Final = 20
_ATTEMPTS: Final = 2
"""How often boto3 sends a request. Few times: the service polls again anyway, and a thread
of a light worker waits meanwhile."""
_SILENT: Final = "MediaConvert does not answer."
_HALF: Final = "What answers for MediaConvert says nothing; check what is between:"
_NO_JOB: Final = "NotFoundException"
_GOES_ON: Final = "The job goes on at MediaConvert, and is asked for again."
_NEEDED: Final = {
    "create_job": "Job",
    "get_job": "Job",
    "list_jobs": "Jobs",
    "search_jobs": "Jobs",
    "probe": "ProbeResults",
}
"""
The member that a complete answer has, by the name of the operation.

boto3 turns a proxy's page, and JSON that breaks off, into an answer without members.
"""


@attrs.frozen(kw_only=True)
class MediaConvertJob:
    """
    Describe the state of a job, as MediaConvert reports it.

    Attributes:
        status: ``SUBMITTED``, ``PROGRESSING``, ``COMPLETE``, ``CANCELED`` or ``ERROR``.
        percent: The finished share of the work, 0 to 100; 0 if it is unknown.
        error_code: MediaConvert's code of the job's error; 0 if there is none.
        error_message: MediaConvert's text of the job's error; "" if there is none.
    """

    status: str
    percent: int
    error_code: int
    error_message: str


class MediaConvertCalls:
    """Submit, read, find and cancel jobs of MediaConvert, and probe sources; thread-safe."""

    def __init__(self, options: MediaConvertOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._made: Any = None

    def create(self, request: Members) -> str:
        """Submit a job to MediaConvert, and return the job's id."""
        return _id_of(self._ask("create_job", **request)["Job"])

    def job(self, job_id: str) -> MediaConvertJob:
        """
        Return the state of a job at MediaConvert.

        Raises:
            TranscodeError: The job does not exist.
            UnavailableError: MediaConvert does not answer, refuses the request, or does
                not tell the job's state. The job goes on meanwhile, and is paid for.
        """
        try:
            found: Members = self._ask("get_job", Id=job_id)["Job"]
        except _RefusedError as exc:
            if exc.kind == _NO_JOB:
                raise
            raise UnavailableError(f"{exc.log}. {_GOES_ON}") from exc
        status = found.get("Status")
        if status not in _STATES:
            raise UnavailableError(f"MediaConvert tells no state of a job. {_GOES_ON}")
        return MediaConvertJob(
            status=status,
            percent=_number(found.get("JobPercentComplete")),
            error_code=_number(found.get("ErrorCode")),
            error_message=str(found.get("ErrorMessage") or ""),
        )

    def submitted(self, key: str, source: str) -> str | None:
        """
        Return the id of the newest job with the key of a remote job; None if there is none.

        Args:
            source: The address of the job's source: MediaConvert can search jobs by
                their source, but not by their metadata, where the key is.
        """
        asked: Members = {"Order": "DESCENDING"}
        if len(source) <= _LONGEST_INPUT:
            asked["InputFile"] = source
        return next(self._with_key(key, "search_jobs", asked), None)

    def running(self, key: str) -> list[str]:
        """Return the ids of the jobs with the key of a remote job that have not ended."""
        return [
            job_id
            for status in RUNNING
            for job_id in self._with_key(key, "list_jobs", {"Status": status})
        ]

    def cancel(self, job_id: str) -> None:
        """
        Order MediaConvert to cancel a job; a job that is unknown or has ended is no error.

        Raises:
            UnavailableError: MediaConvert does not answer, or the job still runs after
                the order. Call again later.
        """
        try:
            self._ask("cancel_job", Id=job_id)
        except _RefusedError as exc:
            # Unknown, or it has ended by itself.
            if exc.kind == _NO_JOB:
                return
            if exc.kind != "ConflictException":
                raise
        if self.job(job_id).status in RUNNING:
            raise UnavailableError("MediaConvert has not confirmed that the job ended.")

    def probe(self, address: str) -> Members:
        """
        Return the answer of MediaConvert's operation Probe about the source at an address.

        Raises:
            UnusableSourceError: MediaConvert cannot read the source.
            TranscodeError: MediaConvert tells nothing about the source; that does not
                mean that the source is unusable.
        """
        try:
            answer = self._ask("probe", InputFiles=[{"FileUrl": address}])
        except _RefusedError as exc:
            if exc.kind == "UnprocessableEntityException":
                raise UnusableSourceError(UNREADABLE) from exc
            raise
        found: Members = next(iter(answer["ProbeResults"]), {})
        if not found.get("Container"):
            # For good it would be an outage without an end.
            raise TranscodeError(FAILED, log="MediaConvert's Probe told nothing")
        return dict(found)

    def close(self) -> None:
        """Close the connections to MediaConvert."""
        if self._made is not None:
            self._made.close()

    def _with_key(self, key: str, operation: str, asked: Members) -> Iterator[str]:
        for _ in range(_MOST_PAGES):
            page = self._ask(operation, MaxResults=_PAGE, **asked)
            for job in page["Jobs"]:
                if job.get("UserMetadata", {}).get(KEY) == key:
                    yield _id_of(job)
            if not page.get("NextToken"):
                return
            asked = {**asked, "NextToken": page["NextToken"]}

    def _ask(self, operation: str, **members: object) -> Members:
        try:
            answer: Members = getattr(self._client(), operation)(**members)
        except ClientError as exc:
            kind = str(exc.response.get("Error", {}).get("Code", ""))
            message = str(exc.response.get("Error", {}).get("Message", ""))
            status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if is_of_credentials(kind):
                self._forget_client()
            if is_outage(kind, status):
                raise UnavailableError(request_failure(kind, "").log) from exc
            raise _RefusedError(kind, message) from exc
        except (NoCredentialsError, PartialCredentialsError) as exc:
            self._forget_client()
            raise _RefusedError("NoCredentials", "") from exc
        except BotoCoreError as exc:
            # Such as EndpointConnectionError and ReadTimeoutError.
            raise UnavailableError(f"{_SILENT} {type(exc).__name__}") from exc
        except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as exc:
            # The client's own, of JSON that has something else where objects belong, and
            # of half an answer of whoever gives credentials.
            raise UnavailableError(f"{_HALF} {operation}") from exc
        if _NEEDED.get(operation, "ResponseMetadata") not in answer:
            raise UnavailableError(f"{_HALF} {operation}")
        return answer

    def _forget_client(self) -> None:
        # It keeps the credentials that it was made with, or that there were none: also
        # if the machine's metadata answers again, or a key was rotated. Other threads
        # may be using it, so it is not closed.
        if self._options.access_key:
            # Of the settings, which stay.
            return
        with self._lock:
            self._made = None

    def _client(self) -> Any:  # noqa: ANN401 - boto3 ships no types
        # Made late: processes that only ask for capabilities need none.
        with self._lock:
            if self._made is None:
                options = self._options
                session = boto3.session.Session()
                if not options.access_key:
                    use_until_end(session.get_credentials())
                self._made = session.client(
                    "mediaconvert",
                    region_name=options.region,
                    endpoint_url=options.endpoint or None,
                    aws_access_key_id=options.access_key or None,
                    aws_secret_access_key=options.secret_key or None,
                    config=Config(
                        connect_timeout=_CONNECT_S,
                        read_timeout=_ANSWER_S,
                        retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
                    ),
                )
            return self._made


def _id_of(job: Members) -> str:
    found = job.get("Id")
    if not found:
        raise UnavailableError("MediaConvert names a job without its id.")
    return str(found)


def _number(told: object) -> int:
    return told if isinstance(told, int) else 0


UNREADABLE: Final = (
    "The file is damaged, or of a kind that cannot be read. Check that it plays on "
    "your own device, and upload it again."
)


class _RefusedError(TranscodeError):
    """Say that MediaConvert has refused a request."""

    def __init__(self, kind: str, message: str) -> None:
        told = request_failure(kind, message)
        super().__init__(told.reason, log=told.log)
        self.kind = kind
