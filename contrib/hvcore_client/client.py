"""The blocking client of the API."""

import time
from collections.abc import Callable
from typing import Unpack

from hvcore_client import waiting
from hvcore_client.files import UNNAMED, FileToSend
from hvcore_client.generated.calls import Calls
from hvcore_client.generated.models import (
    ResumableUpload,
    VideoDetails,
    VideoUploadGrant,
)
from hvcore_client.generated.upload_settings import UploadSettings
from hvcore_client.steps import OnProgress
from hvcore_client.uploads import Uploads, sent_settings


class HvClient(Calls):
    """
    A client of the API that carries out one call at a time and blocks meanwhile.

    It has a method for each operation, for uploads, and for waiting until a video is
    ready.
    """

    def upload(
        self,
        file: FileToSend,
        *,
        on_progress: OnProgress | None = None,
        **settings: Unpack[UploadSettings],
    ) -> ResumableUpload:
        """
        Upload a file, from which the service then makes a video.

        The upload goes on by itself where a connection breaks. To go on in another
        process, call begin_upload, keep its ``upload_url``, and call resume_upload.

        Args:
            file: A path, or a file that is open for reading bytes and can seek.
            on_progress: Called with the number of bytes that have arrived, and the size
                of the file.
            settings: Settings of the video, such as ``name`` and ``video_quality``.

        Raises:
            ApiError: The service refused the upload.
            UnreachableError: The service did not answer, also after several tries.
            OSError: The file cannot be read.
        """
        return self._run(
            self._uploads.uploaded(file, sent_settings(settings), on_progress)
        )

    def begin_upload(
        self, file: FileToSend, **settings: Unpack[UploadSettings]
    ) -> ResumableUpload:
        """
        Create a resumable upload without sending any of the file yet.

        Send it with resume_upload and the ``upload_url`` of what is returned, from any
        process that has the file. Treat that address as a password.
        """
        return self._run(self._uploads.begun(file, sent_settings(settings)))

    def create_upload(
        self, size_bytes: int, **settings: Unpack[UploadSettings]
    ) -> ResumableUpload:
        """
        Create a resumable upload for a file of which only the size is known here.

        Give the ``upload_url`` of what is returned to the page or program that has the
        file; it needs no key. Treat that address as a password.

        Raises:
            ApiError: The service refused the upload.
            UnreachableError: The service did not answer, also after several tries.
        """
        return self._run(
            self._uploads.created(UNNAMED, size_bytes, sent_settings(settings))
        )

    def resume_upload(
        self,
        upload_url: str,
        file: FileToSend,
        *,
        on_progress: OnProgress | None = None,
    ) -> None:
        """
        Send the missing bytes of an upload, or nothing if all bytes have arrived.

        The upload may pause for an hour, and take a day in all.

        Raises:
            ValueError: The file has another size than the upload was created for.
            ApiError: The upload was refused, or has ended (``NotFoundError``, 410).
            UnreachableError: The service did not answer, also after several tries.
        """
        self._run(self._uploads.resumed(upload_url, file, on_progress))

    def get_upload_offset(self, upload_url: str) -> int:
        """
        Return the number of bytes of an upload that have arrived, asking once.

        Raises:
            UnreachableError: The upload address cannot be reached from here.
        """
        return self._run(self._uploads.offset(upload_url))

    def upload_by_put(
        self,
        file: FileToSend,
        *,
        on_progress: OnProgress | None = None,
        **settings: Unpack[UploadSettings],
    ) -> VideoUploadGrant:
        """
        Upload a file with a single PUT, which begins again if the connection breaks.

        The bytes may go straight to the object store. Prefer ``upload`` for large files
        and bad networks.

        Raises:
            ApiError: The service refused the upload.
            UnreachableError: The service did not answer, also after several tries.
        """
        return self._run(
            self._uploads.uploaded_by_put(file, sent_settings(settings), on_progress)
        )

    def put_file(
        self,
        signed_url: str,
        file: FileToSend,
        *,
        content_type: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        """
        Send a file to the ``signed_url`` of an upload grant.

        Args:
            content_type: The content type that was announced for the upload; by default
                that of the file's name.

        Raises:
            ApiError: The upload was refused; ForbiddenError if the address has expired.
            UnreachableError: The address did not answer, also after several tries.
        """
        self._run(self._uploads.put(signed_url, file, content_type, on_progress))

    def wait_until_ready(
        self,
        video_id: str,
        *,
        timeout_s: float | None = None,
        poll_s: float | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> VideoDetails:
        """
        Wait until a video can be played, and return its details.

        Args:
            timeout_s: The most seconds to wait; None: no limit.
            poll_s: The seconds between two requests; by default they grow from 0.5 s to
                5 s.
            on_progress: Called with the percentage that is encoded.

        Raises:
            VideoFailedError: No video could be made of the file; the error has the
                reason.
            WaitedTooLongError: The video was not ready in time, and may still become
                ready.
        """
        steps = waiting.ready(
            self._options,
            video_id,
            timeout_s=timeout_s,
            poll_s=poll_s,
            on_progress=on_progress,
            now_s=time.monotonic,
        )
        return self._run(steps)

    @property
    def _uploads(self) -> Uploads:
        return Uploads(options=self._options)
