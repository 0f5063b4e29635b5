"""
The Transcoder API's errors in plain words, and whether another attempt may help.

Source: google.rpc.Code, and the reasons in the details of errors (google.rpc.ErrorInfo).
"""

import re
from typing import Final

from hvcore.plugin_api import TranscodeError, UnusableSourceError

_BUSY: Final = "The service cannot process videos at the moment."
_FAILED: Final = "The video could not be processed."
UNREADABLE: Final = (
    "The file is damaged, or of a kind that cannot be read. Check that it plays on "
    "your own device, and upload it again."
)

INVALID: Final = 3
DEADLINE: Final = 4
NOT_FOUND: Final = 5
FORBIDDEN: Final = 7
EXHAUSTED: Final = 8
PRECONDITION: Final = 9
INTERNAL: Final = 13
UNAVAILABLE: Final = 14
UNKNOWN_CALLER: Final = 16

_READS: Final = (
    "give the service agent (service-NUMBER@gcp-sa-transcoder.iam.gserviceaccount.com) "
    "the role roles/storage.objectAdmin of the bucket"
)
_QUOTA: Final = (
    "a quota of the Transcoder API is used up; it goes on by itself. Ask Google for "
    "more, or set transcoder.options.mode to batch"
)
_FIXES: Final = {
    INVALID: "the Transcoder API refuses the job; report it",
    NOT_FOUND: "the project, the location or the bucket does not exist; check "
    "transcoder.options.project, location and writes_to",
    FORBIDDEN: "give the account of transcoder.options.credentials, or of the "
    "machine, the role roles/transcoder.admin in the project",
    EXHAUSTED: _QUOTA,
    PRECONDITION: "enable the Transcoder API and billing in the project",
    UNKNOWN_CALLER: "the credentials are not valid; check "
    "transcoder.options.credentials",
}
_REASONS: Final = {
    "ACCESS_TOKEN_EXPIRED": "the credentials have ended; check the clock",
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": "the credentials need the scope cloud-platform",
    "BILLING_DISABLED": "enable billing in the project; nothing is made until then",
    "CONSUMER_INVALID": "transcoder.options.project does not exist; correct it",
    "GCSPermissionDenied": _READS,
    "LOCATION_POLICY_VIOLATED": "the project's policy forbids transcoder.options.location",
    "RATE_LIMIT_EXCEEDED": _QUOTA,
    "RESOURCE_QUOTA_EXCEEDED": _QUOTA,
    "SERVICE_DISABLED": "enable the Transcoder API in the project: gcloud services "
    "enable transcoder.googleapis.com",
    "USER_PROJECT_DENIED": "the account may not use the project",
}
"""What an operator can do about an error, by the reason in its ErrorInfo."""
_OUTAGES: Final = frozenset({DEADLINE, EXHAUSTED, INTERNAL, UNAVAILABLE})
_SERVER_ERROR: Final = 500
_TOO_MANY: Final = 429
_CODES: Final = {
    400: INVALID,
    401: UNKNOWN_CALLER,
    403: FORBIDDEN,
    404: NOT_FOUND,
    429: EXHAUSTED,
}
_OF_THE_SOURCE: Final = re.compile(
    r"(?i)\b(codec|container|format|stream|track|video|audio|input|asset|media|file)\b"
    r"[^.]*\b(unsupported|not supported|invalid|corrupt(ed)?|damaged|missing|empty"
    r"|cannot be (read|decoded|parsed)|could not be (read|decoded|parsed))\b"
)
_OF_THE_REQUEST: Final = re.compile(r"(?i)config|elementary|mux_?stream|manifest|uri\b")
_QUERY: Final = re.compile(r"\?[^\s'\"<>]+")
"""The query of an address, which is left out of logs: it may contain a signature."""


def is_outage(status: int) -> bool:
    """
    Return whether an answer tells of an outage, so that the request is sent again.

    Args:
        status: The HTTP status of the answer.
    """
    return status >= _SERVER_ERROR or status == _TOO_MANY


def job_failure(
    code: int, message: str, reason: str = "", details: str = ""
) -> UnusableSourceError | TranscodeError:
    """
    Return the error with which a failed job of the Transcoder API is reported.

    Args:
        code: The google.rpc.Code of the job's error.
        message: The text of the error. Only operators see it; the text behind a
            question mark is left out.
        reason: The reason in the error's ErrorInfo; "" if there is none.
        details: Further text of the ErrorInfo, for operators.

    Returns:
        UnusableSourceError if the text says that the source cannot be read, else
        TranscodeError, which lets the service try again.
    """
    told = f"{message} {details}".strip()
    if code == INVALID and not reason.startswith("GCS") and _is_of_the_source(told):
        return UnusableSourceError(UNREADABLE)
    fix = _REASONS.get(reason)
    if fix is None and code == FORBIDDEN:
        # The caller could submit it; so it is the service's own account.
        fix = _READS
    if fix is None and code in _OUTAGES:
        fix = "the Transcoder API failed; the job is tried again"
    return TranscodeError(
        _BUSY if code in _OUTAGES | {FORBIDDEN} else _FAILED,
        log=_log(code, reason, told, fix or _FIXES.get(code, "the job failed")),
    )


def request_failure(status: int, message: str, reason: str = "") -> TranscodeError:
    """
    Return the error with which a refused request to the Transcoder API is reported.

    Args:
        status: The HTTP status of the answer.
        message: The text of the error, for operators.
        reason: The reason in the answer's ErrorInfo; "" if there is none.
    """
    code = _CODES.get(status, 0)
    fix = _REASONS.get(reason) or _FIXES.get(code)
    owner = _FAILED if code == INVALID else _BUSY
    log = _log(status, reason, message, fix or "the Transcoder API is out of order")
    return TranscodeError(owner, log=log)


def _is_of_the_source(told: str) -> bool:
    return bool(_OF_THE_SOURCE.search(told)) and not _OF_THE_REQUEST.search(told)


def _log(number: int, reason: str, message: str, fix: str) -> str:
    named = f"{number} {reason}".strip()
    return f"Transcoder API {named}: {_QUERY.sub('?…', message)} ({fix})"
