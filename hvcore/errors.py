"""
The errors of the service: one class per documented code.

Source: interface, "Errors". Every class carries the HTTP status and the code
of the documented envelope; :mod:`hvcore.wire.envelope` alone turns one into a body.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from http import HTTPStatus
from typing import ClassVar, Final

import attrs

MAX_ECHOED_CHARS = 256
_PHRASES: Final = {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""Which Python knows since 3.13; before, it had those of older RFCs."""


@attrs.frozen(kw_only=True)
class FieldError:
    """
    One problem of a request.

    Attributes:
        message: What is wrong and what is allowed.
        location: ``body.<field>``, ``query.<name>``, ``path.<name>`` or
            ``header.<name>``.
        value: The offending value as JSON has it; never a key or a token.
    """

    message: str
    location: str
    value: object = None


class HvcoreError(Exception):
    """The base class of all errors that hvcore raises on purpose."""


class ConfigError(HvcoreError):
    """The settings cannot be used; the text names each problem and its fix."""


class NotMigratedError(ConfigError):
    """The database has no tables of this version, for a program that embeds hvcore."""

    def __init__(self) -> None:
        super().__init__(
            "The database has no tables of this version of hvcore: run hv.migrate()."
        )


class OwnTransactionError(ConfigError):
    """A call would wait for a transaction that its own thread has open."""

    def __init__(self) -> None:
        super().__init__(
            "This thread is in a transaction that has SQLite's write lock, and this call "
            "would wait for it in vain. Within the transaction call "
            "in_transaction(connection), with the connection that has it, of an "
            "environment from before it; make other calls before it begins or after its "
            "end."
        )


class PluginError(HvcoreError):
    """
    A plugin cannot be loaded or chosen; the text says what to do.

    Args:
        problem: What is wrong, in sentences.
        fix: What to do next.
    """

    def __init__(self, problem: str, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(f"{problem} {fix}".strip())


class SeveralPluginsError(PluginError):
    """Several backends that are needed together cannot be made."""

    def __init__(self, errors: Sequence[HvcoreError]) -> None:
        self.errors = tuple(errors)
        # On one line: the last one of a log is what hv up tells. A command that one of
        # them ends with goes on to the next number.
        told = " ".join(f"({n}) {error}" for n, error in enumerate(self.errors, 1))
        super().__init__(f"{len(self.errors)} backends cannot be used: {told}")


class WrongAnswerError(TypeError):
    """
    A method of a backend has returned something else than its port names.

    Args:
        method: As it was called: its own code tells whose it is.
        problem: What it has returned, a clause.
        fix: What to return instead, a sentence.
    """

    def __init__(self, method: object, problem: str, fix: str) -> None:
        self.method = method
        name = getattr(method, "__qualname__", "a method")
        self.problem = f"{name} has returned {problem}"
        self.fix = fix
        super().__init__(f"{self.problem}. {fix}")


def require_answer(method: object, given: object, wanted: type) -> None:
    """
    Refuse the answer of a backend that is no instance of the class its port names.

    Raises:
        WrongAnswerError: It is none.
    """
    if not isinstance(given, wanted):
        what = "None" if given is None else f"a {type(given).__name__}"
        fix = f"Let it return a {wanted.__name__}."
        raise WrongAnswerError(method, f"{what}, and no {wanted.__name__}", fix)


class HvError(HvcoreError):
    """
    Base of the errors that a caller of the service sees.

    Args:
        detail: A sentence for the caller: field, value, what is allowed.
        errors: The single problems, for ``errors`` of the envelope.
        status: Overrides the class's status, where the kind of problem
            decides it (422 instead of 400 for a value of the wrong type).
        headers: Extra response headers, such as ``Allow``.
        rule: Of a playback, which rule refused it (domain.playback.rules):
            for the log, and in no answer.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal_error"
    default_detail: ClassVar[str] = "The service failed to answer this request."

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Sequence[FieldError] = (),
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        rule: Enum | None = None,
    ) -> None:
        self.detail = detail or self.default_detail
        self.errors = tuple(errors)
        self.http_status = status or self.status
        self.headers = dict(headers or {})
        self.rule = rule
        super().__init__(self.detail)

    @property
    def title(self) -> str:
        """The status phrase, such as ``Bad Request``; of RFC 9110, section 15."""
        status = self.http_status
        return _PHRASES.get(status) or HTTPStatus(status).phrase


class InvalidFileSizeError(HvError):
    """The announced or the sent size is not one that can be uploaded."""

    status, code = 400, "invalid_file_size"
    default_detail = "The file size is not one that can be uploaded."


class UnsupportedFormatError(HvError):
    """The content type is not one of the five documented ones."""

    status, code = 400, "unsupported_format"
    default_detail = "The content type is not supported."


class UnauthorizedError(HvError):
    """No authentication, or one that is not valid."""

    status, code = 401, "unauthorized"
    default_detail = "Send a valid API key in the header X-Api-Key."


class ForbiddenError(HvError):
    """Valid authentication without access to this."""

    status, code = 403, "forbidden"
    default_detail = "This key gives no access to the requested resource."


class InvalidGcsPathError(HvError):
    """``gcsPath`` names nothing that this environment has uploaded."""

    status, code = 400, "invalid_gcs_path"
    default_detail = "gcsPath must be a bucketPath of a finished upload."


class InvalidQualityPresetError(HvError):
    """``videoQuality`` is not a preset."""

    status, code = 400, "invalid_quality_preset"
    default_detail = "videoQuality must be one of the quality presets."


class InvalidParametersError(HvError):
    """Some other parameter is missing or not allowed."""

    status, code = 400, "invalid_parameters"
    default_detail = "The request has invalid parameters."


class InvalidPageSizeError(HvError):
    """``pageSize`` is not from 1 to 100."""

    status, code = 400, "invalid_page_size"
    default_detail = "pageSize must be from 1 to 100."


class InvalidExpirationError(HvError):
    """``expiration`` is not one of the six documented values."""

    status, code = 400, "invalid_expiration"
    default_detail = "expiration must be one of 15m, 30m, 1h, 4h, 24h, 7d."


class AlreadyDeletedError(HvError):
    """The video was deleted before."""

    status, code = 400, "already_deleted"
    default_detail = "The video is deleted already."


class ProcessingInProgressError(HvError):
    """The video is being processed, or was."""

    status, code = 409, "processing_in_progress"
    default_detail = "The video is being processed already."


class ConflictError(HvError):
    """Another request changed the same thing at the same time."""

    status, code = 409, "conflict"
    default_detail = "Another request is changing the same resource; try again."


class PreconditionFailedError(HvError):
    """The resource is not as the caller saw it (RFC 9110, section 13.1.1, ``If-Match``)."""

    status, code = 412, "precondition_failed"
    default_detail = (
        "This was changed since it was read, and nothing of the request was done: read "
        "it again, and send the change with its ETag in If-Match."
    )


class EnvironmentNotFoundError(HvError):
    """The organization has no such environment."""

    status, code = 404, "environment_not_found"
    default_detail = "The organization has no such environment."


class VideoNotFoundError(HvError):
    """No such video, or it is deleted."""

    status, code = 404, "video_not_found"
    default_detail = "There is no such video."


class NotFoundError(HvError):
    """No such route or resource."""

    status, code = 404, "not_found"
    default_detail = "There is nothing at this address."


class RateLimitExceededError(HvError):
    """The organization has made too many requests of a kind."""

    status, code = 429, "rate_limit_exceeded"
    default_detail = "The rate limit is exceeded; try again later."


class QuotaExceededError(HvError):
    """The organization has used up what an operator lets it use; 507 in a body."""

    status, code = 429, "quota_exceeded"
    default_detail = "A quota of the organization is used up."


class MethodNotAllowedError(HvError):
    """The route exists, but not with this method."""

    status, code = 405, "method_not_allowed"
    default_detail = "This address does not take this method."


class PayloadTooLargeError(HvError):
    """The body is larger than the route takes."""

    status, code = 413, "payload_too_large"
    default_detail = "The request's body is too large."


class RangeNotSatisfiableError(HvError):
    """The requested range is outside the file (RFC 9110, section 15.5.17)."""

    status, code = 416, "range_not_satisfiable"
    default_detail = "The requested range lies outside the file."


class InternalError(HvError):
    """A bug; the request id finds it in the log."""

    status, code = 500, "internal_error"


RETRY_AFTER_S: Final = 5
"""When to ask again a service that cannot answer, where nothing says it better."""


class UnavailableError(HvError):
    """
    A part that the service needs does not answer at present.

    Args:
        retry_after_s: When to try again, for the header ``Retry-After``.
        said: Words of the other side, for operators: callers of the API are not shown
            them, since they may name accounts and hosts.
    """

    status, code = 503, "unavailable"
    default_detail = "The service is temporarily unavailable; try again soon."

    def __init__(
        self,
        detail: str | None = None,
        *,
        retry_after_s: int = RETRY_AFTER_S,
        said: str | None = None,
    ) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_after_s)})
        self.retry_after_s = retry_after_s
        self.said = said


class NoRoomError(UnavailableError):
    """A disk has no room for what is to be written."""

    default_detail = "There is no room on a disk of the service; try again later."

    def __init__(self, detail: str | None = None, *, retry_after_s: int = 60) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)


class ShareMetError(UnavailableError):
    """A client has all that one client gets of something that others need, too."""
