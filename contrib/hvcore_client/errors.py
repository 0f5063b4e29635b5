"""
The errors of the client; every error of a call is an ``HvClientError``.

No message and no ``repr`` contains a key, a token, or the query of an address, which
may be a signature.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore_client.generated.models import ProblemPart


class HvClientError(Exception):
    """The base class of all errors of the client's calls."""


class UnreachableError(HvClientError):
    """
    The service did not answer: nothing listens, or the connection broke or took too long.

    Args:
        was_sent: Whether the service may have got the request, or some of it.
    """

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class UnexpectedAnswerError(HvClientError):
    """The answer does not come from this API, but perhaps from a proxy or another program."""


@attrs.frozen(kw_only=True)
class Refusal:
    """
    The facts of an answer with an error status.

    Attributes:
        request: The method and the address of the request, without the query.
        code: The error code for programs; empty if the answer is no problem document.
        problems: One for each wrong part of the request.
        request_id: The id by which the operator finds the request in the log.
        retry_after_s: The seconds after which to try again; None if the answer does not
            say.
        is_replayed: Whether the same answer was given to the same request before.
        answered_at: The time of the answer by the clock of the service; None if it does
            not say.
    """

    request: str
    status: int
    code: str = ""
    detail: str = ""
    problems: Sequence[ProblemPart] = ()
    request_id: str | None = None
    retry_after_s: float | None = None
    is_replayed: bool = False
    answered_at: datetime | None = None


class ApiError(HvClientError):
    """
    The service refused a request.

    Attributes:
        status: The HTTP status.
        code: The error code, such as ``video_not_found``; empty if something else
            answered, such as an object store or a proxy.
        detail: A sentence for people.
        problems: One for each wrong part of the request: where, and why.
        request_id: The id by which the operator finds the request in the log, or None.
        retry_after_s: The seconds after which to try again; None if the answer does not
            say.
        follows_lost_answer: Whether the client had sent the same request before, which
            may have been carried out.
    """

    def __init__(self, refusal: Refusal) -> None:
        self.status = refusal.status
        self.code = refusal.code
        self.detail = refusal.detail
        self.problems = tuple(refusal.problems)
        self.request_id = refusal.request_id
        self.retry_after_s = refusal.retry_after_s
        self.is_replayed = refusal.is_replayed
        self.answered_at = refusal.answered_at
        self.follows_lost_answer = False
        what = ": ".join(text for text in (refusal.code, refusal.detail) if text)
        super().__init__(f"{refusal.request}: {refusal.status} {what}".rstrip())


class InvalidParametersError(ApiError):
    """The request is wrong (400, 413, 415, 422); ``problems`` says where."""


class AlreadyDeletedError(InvalidParametersError):
    """The video is deleted already (400), so nothing is left to delete."""


class UnauthorizedError(ApiError):
    """The key is missing, unknown, revoked or has expired (401)."""


class ForbiddenError(ApiError):
    """The API key may not do this or belongs elsewhere (403), or a signed address has expired."""


class NotFoundError(ApiError):
    """The video, upload or other thing does not exist (404), or is gone (410)."""


class ConflictError(ApiError):
    """The present state forbids a call (409), such as ``processing_in_progress``."""


class PreconditionFailedError(ApiError):
    """
    The thing was changed by somebody else since it was read (412), so nothing was changed.

    Read it again, and send the change with the ``etag`` that it has then.
    """


class RateLimitedError(ApiError):
    """There were too many requests (429); ``retry_after_s`` says when to go on."""


class QuotaExceededError(ApiError):
    """The organization has used up what it may use (429, 507)."""


class ServiceError(ApiError):
    """The service failed or is not available now (5xx)."""


class VideoFailedError(HvClientError):
    """
    No video could be made of the file.

    Attributes:
        video_id: The id of the video.
        reason: The service's sentence that says why, and what to do.
    """

    def __init__(self, *, video_id: str, name: str, reason: str) -> None:
        super().__init__(f"{name} could not be processed: {reason}")
        self.video_id = video_id
        self.reason = reason


class WaitedTooLongError(HvClientError, TimeoutError):
    """A video was not ready in time, and may still become ready."""


class WebhookVerificationError(HvClientError):
    """A webhook request was not sent by the service, or not within the time limit."""


_BY_CODE: Final[dict[str, type[ApiError]]] = {
    "already_deleted": AlreadyDeletedError,
    "precondition_failed": PreconditionFailedError,
    "quota_exceeded": QuotaExceededError,
    "rate_limit_exceeded": RateLimitedError,
}
_BY_STATUS: Final[dict[int, type[ApiError]]] = {
    400: InvalidParametersError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: NotFoundError,
    413: InvalidParametersError,
    415: InvalidParametersError,
    422: InvalidParametersError,
    429: RateLimitedError,
}
_FIRST_SERVER_ERROR: Final = 500


def error_of(refusal: Refusal) -> ApiError:
    """Return the error for a refusal: by its code, or else by its status."""
    other = ServiceError if refusal.status >= _FIRST_SERVER_ERROR else ApiError
    by_status = _BY_STATUS.get(refusal.status, other)
    return _BY_CODE.get(refusal.code, by_status)(refusal)
