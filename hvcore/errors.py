"""
The errors of the service: one class per documented code.

Source: the interface document, "Errors". Every class carries the HTTP status and the code
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
    Describe one problem of a request's field.

    Attributes:
        message: A sentence on what is wrong and what is allowed.
        location: The field: ``body.<field>``, ``query.<name>``, ``path.<name>`` or
            ``header.<name>``.
        value: The wrong value as JSON has it; never a key or a token.
    """

    message: str
    location: str
    value: object = None


class HvcoreError(Exception):
    """The base class of all errors that hvcore raises on purpose."""


class ConfigError(HvcoreError):
    """Say that the settings cannot be used; the text names each problem and its fix."""


class NotMigratedError(ConfigError):
    """Say, to a program that embeds hvcore, that the database lacks this version's tables."""

    def __init__(self) -> None:
        super().__init__(
            "The database has no tables of this version of hvcore: run hv.migrate()."
        )


class OwnTransactionError(ConfigError):
    """Refuse a call on SQLite that would wait in vain for an open transaction of its own thread."""

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
    Say that a plugin cannot be loaded or chosen; the text says what to do.

    Args:
        problem: Sentences on what is wrong.
        fix: What to do next.
    """

    def __init__(self, problem: str, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(f"{problem} {fix}".strip())


class SeveralPluginsError(PluginError):
    """Say that several backends that are needed together cannot be built."""

    def __init__(self, errors: Sequence[HvcoreError]) -> None:
        self.errors = tuple(errors)
        # On one line: the last one of a log is what hv up tells. A command that one of
        # them ends with goes on to the next number.
        told = " ".join(f"({n}) {error}" for n, error in enumerate(self.errors, 1))
        super().__init__(f"{len(self.errors)} backends cannot be used: {told}")


class WrongAnswerError(TypeError):
    """
    Say that a method of a backend has returned an object of a wrong class.

    Args:
        method: The method as it was called; its own code tells which class defines it.
        problem: A clause on what the method has returned.
        fix: A sentence on what to return instead.
    """

    def __init__(self, method: object, problem: str, fix: str) -> None:
        self.method = method
        name = getattr(method, "__qualname__", "a method")
        self.problem = f"{name} has returned {problem}"
        self.fix = fix
        super().__init__(f"{self.problem}. {fix}")


def require_answer(method: object, given: object, wanted: type) -> None:
    """
    Refuse a backend's return value that is no instance of the class its port names.

    Raises:
        WrongAnswerError: The value is no instance of the class.
    """
    if not isinstance(given, wanted):
        what = "None" if given is None else f"a {type(given).__name__}"
        fix = f"Let it return a {wanted.__name__}."
        raise WrongAnswerError(method, f"{what}, and no {wanted.__name__}", fix)


class HvError(HvcoreError):
    """
    The base class of the errors that a caller of the HTTP API sees.

    Args:
        detail: A sentence for the caller: the field, the value and what is allowed.
        errors: The problems of single fields, for ``errors`` of the error's JSON body.
        status: Overrides the class's status, where the kind of problem
            decides it (422 instead of 400 for a value of the wrong type).
        headers: Extra response headers, such as ``Allow``.
        rule: The rule that refused a playback (domain.playback.rules): for the log, and
            in no answer.
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
        """The HTTP status phrase, such as ``Bad Request``, from RFC 9110, section 15."""
        status = self.http_status
        return _PHRASES.get(status) or HTTPStatus(status).phrase


class InvalidFileSizeError(HvError):
    """Refuse an upload whose announced or real size is not allowed."""

    status, code = 400, "invalid_file_size"
    default_detail = "The file size is not one that can be uploaded."


class UnsupportedFormatError(HvError):
    """Refuse a content type that is not one of the five documented ones."""

    status, code = 400, "unsupported_format"
    default_detail = "The content type is not supported."


class UnauthorizedError(HvError):
    """Refuse a request without credentials, or with invalid ones."""

    status, code = 401, "unauthorized"
    default_detail = "Send a valid API key in the header X-Api-Key."


class ForbiddenError(HvError):
    """Refuse a caller with valid credentials who may not use the resource."""

    status, code = 403, "forbidden"
    default_detail = "This key gives no access to the requested resource."


class InvalidGcsPathError(HvError):
    """Refuse a ``gcsPath`` that names no upload of the environment."""

    status, code = 400, "invalid_gcs_path"
    default_detail = "gcsPath must be a bucketPath of a finished upload."


class InvalidQualityPresetError(HvError):
    """Refuse a ``videoQuality`` that is not a preset."""

    status, code = 400, "invalid_quality_preset"
    default_detail = "videoQuality must be one of the quality presets."


class InvalidParametersError(HvError):
    """Refuse a request with any other parameter that is missing or not allowed."""

    status, code = 400, "invalid_parameters"
    default_detail = "The request has invalid parameters."


class InvalidPageSizeError(HvError):
    """Refuse a ``pageSize`` that is not from 1 to 100."""

    status, code = 400, "invalid_page_size"
    default_detail = "pageSize must be from 1 to 100."


class InvalidExpirationError(HvError):
    """Refuse an ``expiration`` that is not one of the six documented values."""

    status, code = 400, "invalid_expiration"
    default_detail = "expiration must be one of 15m, 30m, 1h, 4h, 24h, 7d."


class AlreadyDeletedError(HvError):
    """Refuse an operation on a video that is deleted already."""

    status, code = 400, "already_deleted"
    default_detail = "The video is deleted already."


class ProcessingInProgressError(HvError):
    """Refuse to process a video that is being processed, or was processed already."""

    status, code = 409, "processing_in_progress"
    default_detail = "The video is being processed already."


class ConflictError(HvError):
    """Refuse a change because another request changed the same resource at the same time."""

    status, code = 409, "conflict"
    default_detail = "Another request is changing the same resource; try again."


class PreconditionFailedError(HvError):
    """
    Refuse a change of a resource that is not as the caller read it (``If-Match``).

    Source: RFC 9110, section 13.1.1.
    """

    status, code = 412, "precondition_failed"
    default_detail = (
        "This was changed since it was read, and nothing of the request was done: read "
        "it again, and send the change with its ETag in If-Match."
    )


class EnvironmentNotFoundError(HvError):
    """Say that the organization has no such environment."""

    status, code = 404, "environment_not_found"
    default_detail = "The organization has no such environment."


class VideoNotFoundError(HvError):
    """Say that there is no such video, or that it is deleted."""

    status, code = 404, "video_not_found"
    default_detail = "There is no such video."


class NotFoundError(HvError):
    """Say that there is no such route or resource."""

    status, code = 404, "not_found"
    default_detail = "There is nothing at this address."


class RateLimitExceededError(HvError):
    """Refuse a request because the organization has made too many requests of this kind."""

    status, code = 429, "rate_limit_exceeded"
    default_detail = "The rate limit is exceeded; try again later."


class QuotaExceededError(HvError):
    """
    Refuse a request because a quota of the organization is used up.

    The status is 507 in a body.
    """

    status, code = 429, "quota_exceeded"
    default_detail = "A quota of the organization is used up."


class MethodNotAllowedError(HvError):
    """Refuse an HTTP method that the route does not have."""

    status, code = 405, "method_not_allowed"
    default_detail = "This address does not take this method."


class PayloadTooLargeError(HvError):
    """Refuse a request body that is larger than the route accepts."""

    status, code = 413, "payload_too_large"
    default_detail = "The request's body is too large."


class RangeNotSatisfiableError(HvError):
    """Refuse a requested range outside of the file (RFC 9110, section 15.5.17)."""

    status, code = 416, "range_not_satisfiable"
    default_detail = "The requested range lies outside the file."


class InternalError(HvError):
    """Report a bug of the service; the request id finds it in the log."""

    status, code = 500, "internal_error"


RETRY_AFTER_S: Final = 5
"""When to ask again a service that cannot answer, where nothing says it better."""


class UnavailableError(HvError):
    """
    Say that a server that the service needs does not answer at present.

    Args:
        retry_after_s: The seconds after which to try again, for the header
            ``Retry-After``.
        said: The other server's message, for operators: callers of the API are not
            shown it, since it may name accounts and hosts.
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
    """Say that a disk has no room for the data to be written."""

    default_detail = "There is no room on a disk of the service; try again later."

    def __init__(self, detail: str | None = None, *, retry_after_s: int = 60) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)


class ShareMetError(UnavailableError):
    """Refuse a client that already uses its full share of a resource, such as request threads."""
