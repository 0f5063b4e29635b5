"""The errors with which MediaConvert refuses requests or ends jobs."""

from typing import Final

import attrs

STATUS_OF: Final = {
    "BadRequestException": 400,
    "ForbiddenException": 403,
    "NotFoundException": 404,
    "ConflictException": 409,
    "UnprocessableEntityException": 422,
    "TooManyRequestsException": 429,
    "InternalServerErrorException": 500,
    # Of what stands before every service of AWS.
    "IncompleteSignatureException": 403,
    "InvalidSignatureException": 403,
    "MissingAuthenticationTokenException": 403,
    "UnrecognizedClientException": 403,
    "UnknownOperationException": 404,
}
"""The HTTP status of each type of error."""


class MediaConvertError(Exception):
    """
    Say that a request is refused, with one of MediaConvert's types of errors.

    Args:
        kind: The type of the error, a key of STATUS_OF; clients find it in the header
            ``x-amzn-errortype``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    @property
    def status(self) -> int:
        """The HTTP status of the error."""
        return STATUS_OF[self.kind]


def bad_request(message: str) -> MediaConvertError:
    """Return the error for an invalid request."""
    return MediaConvertError("BadRequestException", message)


def not_found(message: str) -> MediaConvertError:
    """Return the error for a job, queue or the like that does not exist."""
    return MediaConvertError("NotFoundException", message)


def conflict(message: str) -> MediaConvertError:
    """Return the error for a request that conflicts with the present state of a resource."""
    return MediaConvertError("ConflictException", message)


class JobFailedError(Exception):
    """
    Say that a job fails with an error code and message.

    Args:
        code: The job's ``errorCode``, a key of ERROR_CODES.
        message: The job's ``errorMessage``; "" for the meaning of the code.
    """

    def __init__(self, code: int, message: str = "") -> None:
        self.code = code
        self.message = message or ERROR_CODES.get(code, ERROR_CODES[1999]).meaning
        super().__init__(f"{code}: {self.message}")


@attrs.frozen(kw_only=True)
class ErrorCode:
    """
    Explain an ``errorCode`` of jobs.

    Attributes:
        made_by: The cause for which this server fails a job with the code; "" if only a
            test can order the code.
    """

    meaning: str
    made_by: str = ""


ERROR_CODES: Final = {
    1010: ErrorCode(
        meaning="An input file cannot be opened.",
        made_by="The input is no media file, or its end is missing.",
    ),
    1020: ErrorCode(
        meaning="The input has no video.",
        made_by="An output asks for video, and the input has none.",
    ),
    1021: ErrorCode(
        meaning="The input has no such audio.",
        made_by="An output asks for an audio track that the input does not have.",
    ),
    1030: ErrorCode(
        meaning="The codec or the container of the input is not supported.",
        made_by="ffmpeg has no decoder for the input.",
    ),
    1040: ErrorCode(
        meaning="The settings do not fit together, or do not fit the input.",
        made_by="ffmpeg refuses the settings.",
    ),
    1041: ErrorCode(meaning="The settings do not allow accelerated transcoding."),
    1050: ErrorCode(
        meaning="The disk is full.", made_by="The folder for work has no room left."
    ),
    1056: ErrorCode(meaning="An input or output file cannot be opened."),
    1075: ErrorCode(
        meaning="The input's container is damaged.",
        made_by="The input has pictures, and ffmpeg can decode none of them.",
    ),
    1076: ErrorCode(meaning="The input ends too early."),
    1401: ErrorCode(
        meaning="The bucket refused access.",
        made_by="The bucket answered 401 or 403 to a read or a write.",
    ),
    1404: ErrorCode(
        meaning="A file or a bucket was not found.",
        made_by="The bucket or the object does not exist.",
    ),
    1432: ErrorCode(meaning="The role has a problem."),
    1433: ErrorCode(meaning="The role does not exist."),
    1434: ErrorCode(meaning="The role may not be assumed."),
    1550: ErrorCode(meaning="Accelerated transcoding failed."),
    1999: ErrorCode(
        meaning="Transcoding failed for an unknown reason.",
        made_by="ffmpeg failed, or the bucket did not answer.",
    ),
    3401: ErrorCode(
        meaning="The HTTP server wants the reader to sign in.",
        made_by="The input's address answered 401.",
    ),
    3403: ErrorCode(
        meaning="The HTTP server refuses access.",
        made_by="The input's address answered 403; a presigned one may have ended.",
    ),
    3404: ErrorCode(
        meaning="The HTTP server has no such file.",
        made_by="The input's address answered 404.",
    ),
    3450: ErrorCode(
        meaning="The HTTP server failed.",
        made_by="The input's address answered 5xx, or broke off.",
    ),
    3451: ErrorCode(
        meaning="The HTTP server cannot be reached.",
        made_by="Nothing listens at the input's address.",
    ),
    3999: ErrorCode(
        meaning="The input cannot be fetched for an unknown reason.",
        made_by="The input's address answered with another status, or with too much.",
    ),
}
"""MediaConvert's error codes that programs handle; tests can order all of them."""
