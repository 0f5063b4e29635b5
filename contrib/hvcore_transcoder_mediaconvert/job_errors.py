"""MediaConvert's errors in plain words, and whether another attempt may help."""

import re
from typing import Final

import attrs

from hvcore.plugin_api import TranscodeError, UnusableSourceError

_BUSY: Final = "The service cannot process videos at the moment."
FAILED: Final = "The video could not be processed."


@attrs.frozen(kw_only=True)
class MediaConvertReason:
    """
    Explain an error of MediaConvert to a video's owner and to an operator.

    Attributes:
        owner: One sentence for the video's owner.
        operator: What an operator can do about the error; "" if the source is the cause.
    """

    owner: str
    operator: str = ""

    @property
    def is_of_the_source(self) -> bool:
        """True if the source is the cause, so that no attempt will ever succeed."""
        return not self.operator


def _source(owner: str) -> MediaConvertReason:
    return MediaConvertReason(owner=owner)


def _ours(operator: str, owner: str = _BUSY) -> MediaConvertReason:
    return MediaConvertReason(owner=owner, operator=operator)


_ROLE: Final = "check the role: its trust in mediaconvert.amazonaws.com, and its policy"
_READS: Final = "check that the role may read the source and write the target"
_ADDRESS: Final = (
    "MediaConvert cannot reach the source's address; it must be on the internet"
)

REASONS: Final = {
    1010: _source("The file cannot be opened; it may be damaged or of another kind."),
    1020: _source("The file has no video."),
    1021: _source("The file's sound cannot be read."),
    1030: _source("The file's codec is not supported; export it as H.264 in MP4."),
    1040: _ours("MediaConvert refuses the settings; report this job", FAILED),
    1041: _ours("set acceleration to PREFERRED or DISABLED"),
    1042: _ours("set acceleration to PREFERRED or DISABLED"),
    1050: _ours("MediaConvert's disk was full; the job is tried again"),
    1056: _ours(_READS),
    1075: _source("The file is damaged; export it again."),
    1076: _source("The file ends too early; upload it again."),
    1092: _source("The file's sound cannot be read."),
    1401: _ours(_READS),
    1404: _ours("the source or the bucket was not found; " + _READS),
    1432: _ours(_ROLE),
    1433: _ours("the role does not exist; correct its ARN"),
    1434: _ours(_ROLE),
    1507: _ours("MediaConvert's disk was full; the job is tried again"),
    1515: _ours(_ROLE),
    1550: _ours("accelerated transcoding failed; the job is tried again"),
    3401: _ours(_ADDRESS),
    3403: _ours("the source's presigned address was refused; it may have ended"),
    3404: _ours("the source's address has nothing; it may have been deleted"),
    3408: _ours(_ADDRESS),
    3450: _ours("the store failed while MediaConvert read the source"),
    3451: _ours(_ADDRESS),
    3457: _ours("MediaConvert's input policy forbids the source's place"),
    3999: _ours(_ADDRESS),
}
"""The explanations of errors, by the ``ErrorCode`` of a failed job."""

_REFUSALS: Final = {
    "AccessDeniedException": "the credentials may not call MediaConvert",
    "ForbiddenException": "the credentials may not call MediaConvert, or not pass the role",
    "UnrecognizedClientException": "the access key is unknown; correct it",
    "InvalidSignatureException": "the secret key is wrong, or the clock is",
    "TooManyRequestsException": "MediaConvert's limit of requests is reached; it goes on",
    "NoCredentials": "there are no credentials; set transcoder.options.access_key and "
    "secret_key, or give the machine a role",
    "ServiceQuotaExceededException": "a quota of MediaConvert is used up; ask AWS for more",
    "NotFoundException": "the queue, the job or the source does not exist",
    "BadRequestException": "MediaConvert refuses the request; report it",
}

_OUTAGES: Final = frozenset(
    {
        "InternalServerErrorException",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "RequestTimeout",
        "RequestTimeoutException",
        "ExpiredTokenException",
    }
)
_OF_CREDENTIALS: Final = frozenset(
    {
        "ExpiredTokenException",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "UnrecognizedClientException",
    }
)
_SERVER_ERROR: Final = 500
_QUERY: Final = re.compile(r"\?[^\s'\"<>]+")
"""The query of an address, which is left out of logs: it may contain a signature."""


def is_outage(kind: str, status: int) -> bool:
    """
    Return whether an answer tells of an outage, so that the request is sent again.

    Args:
        kind: The code of boto3's error, such as ``TooManyRequestsException``.
        status: The HTTP status of the answer.
    """
    return kind in _OUTAGES or status >= _SERVER_ERROR


def is_of_credentials(kind: str) -> bool:
    """
    Return whether the credentials of a request were refused, so that new ones may help.

    Args:
        kind: The code of boto3's error, such as ``ExpiredTokenException``.
    """
    return kind in _OF_CREDENTIALS


def job_failure(code: int, message: str) -> UnusableSourceError | TranscodeError:
    """
    Return the error with which a failed job of MediaConvert is reported.

    Args:
        code: The ``ErrorCode`` of the job.
        message: The ``ErrorMessage`` of the job. It may contain addresses, so only
            operators see it, and the text behind a question mark is left out.

    Returns:
        UnusableSourceError if the code says that the source is the cause, else
        TranscodeError, which lets the service try again.
    """
    reason = REASONS.get(code) or _ours("MediaConvert failed", FAILED)
    if reason.is_of_the_source:
        return UnusableSourceError(reason.owner)
    return TranscodeError(
        reason.owner, log=f"MediaConvert {code}: {_plain(message)} ({reason.operator})"
    )


def request_failure(kind: str, message: str) -> TranscodeError:
    """
    Return the error with which a refused request to MediaConvert is reported.

    Args:
        kind: The code of boto3's error, such as ``ForbiddenException``.
        message: The text of the error, for operators.
    """
    fix = _REFUSALS.get(kind, "MediaConvert does not answer as it should")
    owner = FAILED if kind == "BadRequestException" else _BUSY
    return TranscodeError(owner, log=f"MediaConvert {kind}: {_plain(message)} ({fix})")


def _plain(message: str) -> str:
    return _QUERY.sub("?…", message)
