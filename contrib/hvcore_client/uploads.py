"""
Uploads: resumable ones, which go on where a connection broke, and single PUTs.

Source: tus 1.0, "Core Protocol", "Creation"; the addresses of ``upload-url``.
"""

import base64
import json
import re
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore_client.answers import success_of
from hvcore_client.calling import called
from hvcore_client.errors import (
    ApiError,
    ConflictError,
    UnexpectedAnswerError,
    UnreachableError,
)
from hvcore_client.files import FilePart, FileToSend, SourceFile, content_type_of
from hvcore_client.generated import operations
from hvcore_client.generated.models import ResumableUpload, VideoUploadGrant
from hvcore_client.generated.upload_settings import SENT_AS, UploadSettings
from hvcore_client.options import ClientOptions
from hvcore_client.retries import LONGEST_WAIT_S, answered
from hvcore_client.steps import (
    Answer,
    OnProgress,
    Request,
    Steps,
    address_without_query,
    sent,
    waited_after,
)

VERSION: Final = {"Tus-Resumable": "1.0.0"}
CHUNK_TYPE: Final = "application/offset+octet-stream"
WAITS_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 30.0, 30.0)
"""The seconds between tries that bring no bytes; after arrived bytes they begin anew."""
STORED_WITHIN_S: Final = 600.0
"""The seconds to wait for an answer to the last bytes, because storing the file may take minutes."""
# Of more digits, int() would refuse some.
_NUMBER: Final = re.compile("[0-9]{1,18}")
_PASSING: Final = frozenset({409, 423, 429, 500, 502, 503, 504})
"""Statuses after which another try may succeed: at another offset, after another request, or later."""


def sent_settings(settings: UploadSettings) -> dict[str, object]:
    """
    Return the settings of an upload under the names of their JSON members.

    Raises:
        TypeError: A name is not a setting of an upload.
    """
    unknown = settings.keys() - SENT_AS.keys()
    if unknown:
        raise TypeError(f"{min(unknown)} is no setting of an upload.")
    return {SENT_AS[name]: value for name, value in settings.items()}


def nothing_told(_arrived_bytes: int, _size_bytes: int) -> None:
    """Ignore the progress of an upload for which no callback was given."""


@attrs.frozen(kw_only=True)
class Uploads:
    """Creates, sends and resumes uploads, by steps that either client carries out."""

    options: ClientOptions

    def begun(
        self, file: FileToSend, settings: Mapping[str, object]
    ) -> Steps[ResumableUpload]:
        """
        Create a resumable upload for a file, without sending any of it.

        Args:
            settings: The settings of the video, by the names of members of
                ``VideoUploadRequest``.
        """
        source = SourceFile.of(file)
        return (yield from self.created(source.name, source.size_bytes, settings))

    def created(
        self, name: str, size_bytes: int, settings: Mapping[str, object]
    ) -> Steps[ResumableUpload]:
        """
        Create a resumable upload for a file that another program may have.

        Args:
            name: The name of the file.
            size_bytes: The size of the file.
            settings: The settings of the video, by the names of members of
                ``VideoUploadRequest``.
        """
        fields = _described(name, size_bytes, settings)
        operation = operations.CREATE_RESUMABLE_UPLOAD
        arguments = {
            "upload_length": size_bytes,
            "upload_metadata": ",".join(_pair(*item) for item in fields.items()),
        }
        return (yield from called(self.options, operation, arguments))

    def uploaded(
        self,
        file: FileToSend,
        settings: Mapping[str, object],
        on_progress: OnProgress | None,
    ) -> Steps[ResumableUpload]:
        """Create a resumable upload and send the whole file."""
        made = yield from self.begun(file, settings)
        yield from self.resumed(made.upload_url, file, on_progress)
        return made

    def resumed(
        self, url: str, file: FileToSend, on_progress: OnProgress | None
    ) -> Steps[None]:
        """
        Send the missing bytes of an upload, and go on wherever the connection breaks.

        Raises:
            ValueError: The file has another size than the upload was created for.
            ApiError: The upload was refused, or has ended.
            UnreachableError: The service did not answer, also after several tries.
        """
        source, tell = SourceFile.of(file), on_progress or nothing_told
        size_bytes, tries = source.size_bytes, 0
        offset: int | None = None
        while True:
            try:
                if offset is None:
                    offset = yield from self.offset(url, size_bytes)
                tell(offset, size_bytes)
                offset = yield from self._sent_from(url, source, offset, tell)
            except (ApiError, UnreachableError) as error:
                if not _is_passing(error) or tries == len(WAITS_S):
                    raise
                wait_s = getattr(error, "retry_after_s", 0) or WAITS_S[tries]
                name = f"PATCH {address_without_query(url)}"
                yield from waited_after(error, wait_s, name)
                reached = yield from self._offset_or(url, size_bytes, offset)
                tries = 0 if (reached or 0) > (offset or 0) else tries + 1
                offset = reached
            if offset == size_bytes:
                tell(offset, size_bytes)
                return

    def offset(self, url: str, size_bytes: int | None = None) -> Steps[int]:
        """
        Return the number of bytes of a resumable upload that have arrived, asking once.

        Args:
            size_bytes: The size of the file to send, or None if there is none.
        """
        answer = yield from _exchanged(Request(method="HEAD", url=url, headers=VERSION))
        length = _number(answer, "upload-length")
        arrived = _number(answer, "upload-offset")
        if size_bytes is not None and length != size_bytes:
            raise ValueError(
                f"The file has {size_bytes} bytes, and the upload was created for "
                f"{length}: send the file that it was created for."
            )
        if arrived > length:
            raise _foreign_offset(arrived, length)
        return arrived

    def put(
        self,
        url: str,
        file: FileToSend,
        content_type: str | None,
        on_progress: OnProgress | None,
        *,
        is_new: bool = False,
    ) -> Steps[None]:
        """
        Send a whole file to the ``signed_url`` of an upload grant; each try begins at the start.

        Args:
            content_type: The media type to send; None sends none.
            on_progress: Called with the number of bytes so far, and the size of the file.
            is_new: Whether nobody else knows the address: then an answer that a file
                has arrived already means that an earlier try was successful.
        """
        source, tell = SourceFile.of(file), on_progress or nothing_told
        part = FilePart(
            source=source, offset=0, at=lambda at: tell(at, source.size_bytes)
        )
        headers = {
            "Content-Type": content_type or content_type_of(source.name),
            "Content-Length": str(source.size_bytes),
        }
        request = Request(
            method="PUT",
            url=url,
            headers=headers,
            content=part,
            timeout_s=STORED_WITHIN_S,
        )
        try:
            yield from answered(request, self.options.retries, success_of)
        except ConflictError as error:
            if not (is_new or _is_taken(error, source.size_bytes)):
                raise
            if error.code != "processing_in_progress" or not error.follows_lost_answer:
                raise

    def uploaded_by_put(
        self,
        file: FileToSend,
        settings: Mapping[str, object],
        on_progress: OnProgress | None,
    ) -> Steps[VideoUploadGrant]:
        """Ask for an upload grant, send the file to its address by one PUT, and have it processed."""
        source = SourceFile.of(file)
        fields = _described(source.name, source.size_bytes, settings)
        operation = operations.CREATE_UPLOAD_URL
        arguments = {
            argument: fields[name]
            for argument, name in (operation.body or {}).items()
            if name in fields
        }
        grant = yield from called(self.options, operation, arguments)
        yield from self.put(
            grant.signed_url,
            file,
            str(fields["contentType"]),
            on_progress,
            is_new=True,
        )
        if grant.direct:
            yield from self._completed(grant.video_id)
        return grant

    def _completed(self, video_id: str) -> Steps[None]:
        # The store does not tell the service, which notices by itself, only later.
        try:
            arguments = {"video_id": video_id}
            yield from called(self.options, operations.COMPLETE_UPLOAD, arguments)
        except (ApiError, UnreachableError):
            return

    def _sent_from(
        self, url: str, source: SourceFile, offset: int, tell: OnProgress
    ) -> Steps[int]:
        part = FilePart(
            source=source, offset=offset, at=lambda at: tell(at, source.size_bytes)
        )
        headers = {
            **VERSION,
            "Content-Type": CHUNK_TYPE,
            "Content-Length": str(part.size_bytes),
            "Upload-Offset": str(offset),
        }
        request = Request(
            method="PATCH",
            url=url,
            headers=headers,
            content=part,
            timeout_s=STORED_WITHIN_S,
        )
        arrived = _number((yield from _exchanged(request)), "upload-offset")
        if not offset <= arrived <= source.size_bytes:
            raise _foreign_offset(arrived, source.size_bytes)
        if arrived == offset and part.size_bytes:
            raise UnreachableError(
                "The service took nothing of the file.", was_sent=True
            )
        return arrived

    def _offset_or(
        self, url: str, size_bytes: int, known: int | None
    ) -> Steps[int | None]:
        try:
            return (yield from self.offset(url, size_bytes))
        except (ApiError, UnreachableError) as error:
            if not _is_passing(error):
                raise
            return known


def _exchanged(request: Request) -> Steps[Answer]:
    outcome = yield from sent(request)
    if isinstance(outcome, UnreachableError):
        raise outcome
    return success_of(request, outcome)


def _is_taken(error: ApiError, size_bytes: int) -> bool:
    """Return whether the file that the service already processes has the size of this file."""
    return any(problem.value == size_bytes for problem in error.problems)


def _number(answer: Answer, name: str) -> int:
    value = answer.headers.get(name, "")
    if not _NUMBER.fullmatch(value):
        raise UnexpectedAnswerError(
            f"This is no address of a resumable upload: its answer has no {name}."
        )
    return int(value)


def _foreign_offset(arrived_bytes: int, size_bytes: int) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(
        f"The upload's address says that {arrived_bytes} bytes of {size_bytes} have "
        "arrived, which cannot be; begin a new upload."
    )


def _is_passing(error: ApiError | UnreachableError) -> bool:
    if isinstance(error, UnreachableError):
        return True
    is_soon = (error.retry_after_s or 0) <= LONGEST_WAIT_S
    return is_soon and error.status in _PASSING


def _described(
    name: str, size_bytes: int, settings: Mapping[str, object]
) -> dict[str, object]:
    """Return the members of the request that creates an upload."""
    given = {key: value for key, value in settings.items() if value is not None}
    name = str(given.get("fileName", name))
    return {
        "fileName": name,
        "contentType": content_type_of(name),
        "fileSize": size_bytes,
        **given,
    }


def _pair(name: str, value: object) -> str:
    """Return a name and value as a field of ``Upload-Metadata``."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, Mapping):
        text = json.dumps(value)
    elif isinstance(value, list | tuple):
        text = ",".join(value)
    else:
        text = str(value)
    return f"{name} {base64.b64encode(text.encode()).decode()}"
