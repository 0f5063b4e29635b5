"""
The creation of a resumable upload: its HTTP headers, and its answer.

Source: tus 1.0, "Creation". The header ``Upload-Metadata`` has the fields of Family B's
upload-url as texts, and is judged by the same rules.
"""

import base64
import re
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import FileWanted, UploadGranted
from hvcore.domain.uploads.resumable import VERSION
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import (
    FieldError,
    HvError,
    InvalidParametersError,
    PayloadTooLargeError,
)
from hvcore.wire.converter import Check, LateFieldError, read_query
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE
from hvcore.wire.requests import VideoUploadRequest
from hvcore.wire.responses import Payload
from hvcore.wire.schema import (
    ADDRESS,
    COUNT,
    INTEGER,
    STRING,
    Schema,
    identifier,
    record,
)

ALIASES: Final = {"filename": "fileName", "filetype": "contentType"}
"""The names that tus clients use by themselves."""
REQUEST_HEADERS: Final[Mapping[str, Schema]] = {
    "Tus-Resumable": {"type": "string", "enum": [VERSION]},
    "Upload-Length": {**INTEGER, "minimum": 1, "maximum": MAX_UPLOAD_BYTES},
    "Upload-Metadata": STRING,
}
REFUSED_HEADERS: Final = ("Upload-Defer-Length",)
ANSWER_HEADERS: Final[Mapping[str, Schema]] = {
    "Location": ADDRESS,
    "X-Asset-Id": identifier("vid_"),
    "X-Bucket-Path": STRING,
    "Upload-Expires": STRING,
    "Upload-Offset": COUNT,
    "Tus-Resumable": STRING,
}
RESUMABLE_UPLOAD: Final = record(
    "ResumableUpload",
    {
        "uploadURL": ADDRESS,
        "bucketPath": STRING,
        "expiresAt": COUNT,
        "assetId": identifier("vid_"),
        "videoID": identifier("vid_"),
    },
)

_LENGTH: Final = "Upload-Length"
_METADATA: Final = "Upload-Metadata"
_DEFER: Final = "Upload-Defer-Length"
_NAME = re.compile(r"[!-+\--~]{1,64}")
"""Visible ASCII without the comma."""
_LARGE = re.compile(r"[1-9][0-9]{9,}")
"""Large enough to be too large."""
_MAX_DIGITS: Final = 19


@attrs.frozen(kw_only=True)
class CreationHeaders:
    """The HTTP headers of a request that creates a resumable upload; a header that was not sent is None."""

    length: str | None
    metadata: str | None
    defer_length: str | None


@attrs.frozen(kw_only=True)
class ResumableWanted:
    """The description of the file that a resumable upload is to send, and of the video that becomes of it."""

    file: FileWanted
    video: VideoWanted


def read_creation(headers: CreationHeaders, check: Check) -> ResumableWanted:
    """
    Return the file and the video that a resumable upload's headers describe.

    Args:
        check: Finds problems of the fields together; see requests.possible_with.

    Raises:
        HvError: A field has a problem; the error is that of VideoUploadRequest.
        PayloadTooLargeError: The announced size in bytes is over the limit.
    """
    if headers.defer_length is not None:
        raise refused_header(
            _DEFER,
            f"is not supported; send {_LENGTH}",
            headers.defer_length,
            NOT_ALLOWED,
        )
    _check_limit(headers.length)
    fields = read_metadata(headers.metadata or "")
    claimed = fields.pop("fileSize", headers.length)
    if headers.length is not None:
        fields["fileSize"] = headers.length

    def checked(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        yield from check(given)
        if headers.length is None:
            yield LateFieldError(name="fileSize", rule=f"is required; send {_LENGTH}")
        elif claimed != headers.length:
            yield LateFieldError(name="fileSize", rule=f"must be the same as {_LENGTH}")

    try:
        wanted = read_query(VideoUploadRequest, fields, checked)
    except HvError as error:
        error.errors = tuple(in_headers(item) for item in error.errors)
        raise
    file = attrs.evolve(wanted.file_wanted(), tus_metadata=headers.metadata or "")
    return ResumableWanted(file=file, video=wanted.video.video_wanted())


def read_metadata(header: str) -> dict[str, str]:
    """
    Return the fields of ``Upload-Metadata`` by their documented names.

    An alias of a name, such as upload clients send, counts if the documented name is missing and
    the alias's value is not empty.

    Raises:
        InvalidParametersError: The header does not have the tus protocol's form.
    """
    sent: dict[str, str] = {}
    for pair in header.split(",") if header.strip() else ():
        name, _, value = pair.strip(" \t").partition(" ")
        if not _NAME.fullmatch(name):
            rule = "must be pairs of a name and a Base64 value, separated by commas"
            raise refused_header(_METADATA, rule, pair, NOT_READABLE)
        if name in sent:
            raise refused_header(
                _METADATA, "must name each field once", name, NOT_ALLOWED
            )
        sent[name] = _text(name, value)
    for alias, name in ALIASES.items():
        value = sent.pop(alias, "")
        if value:
            sent.setdefault(name, value)
    return sent


def resumable_upload(granted: UploadGranted) -> Payload:
    """Return the JSON payload of a resumable upload that was created."""
    return {
        "uploadURL": granted.signed_url,
        "bucketPath": granted.grant.path,
        "expiresAt": int(granted.grant.expires_at.timestamp()),
        "assetId": granted.grant.video_id,
        "videoID": granted.grant.video_id,
    }


def _text(name: str, value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode("utf-8")
    except ValueError as exc:
        rule = f"must have the value of {name} in Base64, of UTF-8"
        raise refused_header(_METADATA, rule, value, NOT_READABLE) from exc


def _check_limit(length: str | None) -> None:
    if length is None or not _LARGE.fullmatch(length):
        return
    # Longer ones are costly to convert.
    if len(length) > _MAX_DIGITS or int(length) > MAX_UPLOAD_BYTES:
        message = f"{_LENGTH} must be at most {MAX_UPLOAD_BYTES} (5 GB)."
        raise PayloadTooLargeError(
            message,
            errors=[FieldError(message=message, location=f"header.{_LENGTH}")],
            headers={"Tus-Max-Size": str(MAX_UPLOAD_BYTES)},
        )


def in_headers(item: FieldError) -> FieldError:
    """Return a field's problem with the HTTP header that carries the field as its location."""
    header = _LENGTH if item.location == "query.fileSize" else _METADATA
    return attrs.evolve(item, location=f"header.{header}")


def refused_header(
    header: str, rule: str, value: object, status: int
) -> InvalidParametersError:
    """
    Return the error for a header of the tus protocol that breaks a rule.

    Args:
        rule: The rule, as the end of a sentence that begins with the header's name.
        value: The header's value, as the client sent it.
        status: The HTTP status of the error.
    """
    message = f"{header} {rule}."
    problem = FieldError(message=message, location=f"header.{header}", value=value)
    return InvalidParametersError(message, errors=[problem], status=status)
