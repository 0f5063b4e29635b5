"""
The errors of the client; every error of a call is an ``HvClientError``.

No message and no ``repr`` has a key, a token, or the query of an address, which may be
a signature.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore_client.generated.models import ProblemPart


class HvClientError(Exception):
    """A call did not bring what was asked for."""


class UnreachableError(HvClientError):
    """
    There is no answer: nobody listens, or the connection broke or took too long.

    Args:
        was_sent: Whether the service may have got the request, or some of it.
    """

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class UnexpectedAnswerError(HvClientError):
    """The answer is not one of this API, perhaps one of a proxy or of another program."""


@attrs.frozen(kw_only=True)
class Refusal:
    """
    The facts of an answer that is no success.

    Attributes:
        request: Method and address, without the query.
        code: For programs; empty if the answer is no problem document.
        problems: One for each wrong part of the request.
        request_id: By which the operator finds the request.
        retry_after_s: When it wants to be asked again, if it says so.
        is_replayed: It was given before, to the same request.
        answered_at: By the clock of the service, if it says so.
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
        status: Of HTTP.
        code: Such as ``video_not_found``; empty if somebody else answered, such as an
            object store or a proxy.
        detail: A sentence for people.
        problems: One for each wrong part of the request: where, and why.
        request_id: By which the operator finds the request; None if there is none.
        retry_after_s: When it wants to be asked again; None if it does not say so.
        follows_lost_answer: The client had sent the same request before, and that may
            have been carried out.
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


class UnauthorizedError(ApiError):
    """The key is missing, unknown, revoked or has expired (401)."""


class ForbiddenError(ApiError):
    """The key may not do this, or belongs elsewhere (403); or an address has ended."""


class NotFoundError(ApiError):
    """There is no such thing (404), or it is gone (410)."""


class ConflictError(ApiError):
    """The present state forbids a call (409), such as ``processing_in_progress``."""


class PreconditionFailedError(ApiError):
    """
    Somebody else changed it since it was read (412), so nothing was changed.

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
        video_id: The video.
        reason: The service's, which says what to do.
    """

    def __init__(self, *, video_id: str, name: str, reason: str) -> None:
        super().__init__(f"{name} could not be processed: {reason}")
        self.video_id = video_id
        self.reason = reason


class WaitedTooLongError(HvClientError, TimeoutError):
    """A video was not ready in time. It may still become so."""


class WebhookVerificationError(HvClientError):
    """A request was not sent by the service, or not just now."""


_BY_CODE: Final[dict[str, type[ApiError]]] = {
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
    """Return the error of a refusal, by its code or else its status."""
    other = ServiceError if refusal.status >= _FIRST_SERVER_ERROR else ApiError
    by_status = _BY_STATUS.get(refusal.status, other)
    return _BY_CODE.get(refusal.code, by_status)(refusal)
