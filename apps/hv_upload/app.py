"""
The addresses under ``{upload_url}``.

Source: interface, "upload-url": the bytes are sent with a PUT to
``signedURL``; the reply is 200, after the address expired 403.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

import falcon

from hv_upload.incoming import IncomingFiles
from hv_upload.places import UploadPlaces
from hv_upload.query import single
from hv_upload.resumable import ResumableUploadResource, ResumableUseCases
from hv_web.app import make_app as make_web_app
from hv_web.cors import UPLOAD
from hv_web.tus import TusMiddleware
from hvcore.clock import Clock
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import DEFAULT_CONTENT_TYPE, UploadGrant
from hvcore.envelope import encode, success
from hvcore.errors import InvalidFileSizeError
from hvcore.incoming.disk_space import DiskReservation
from hvcore.settings import Settings
from hvcore.upload_signing import UploadSigner

MAX_CONCURRENT: Final = 16
"""Half of the server's threads, so that somebody can still watch."""
RESUMABLE_PREFIX: Final = "/uploads/"


class UploadUseCases(Protocol):
    """
    The part of the uploads service that receives bytes.
    """

    def open_upload(self, grant_id: str) -> UploadGrant:
        """
        Return the grant of an upload that may begin now.
        """
        ...

    def check_announced(
        self, grant: UploadGrant, content_type: str | None, size_bytes: int | None
    ) -> None:
        """
        Refuse an upload by its headers.
        """
        ...

    def incoming_dir(self) -> Path:
        """
        Return the folder in which bytes are collected.
        """
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """
        Hold room for a body while it comes in.
        """
        ...

    def is_room_scarce(self) -> bool:
        """
        Tell whether others wait for room.
        """
        ...

    def clean_incoming(self) -> int:
        """
        Remove what uploads that were cut off have left.
        """
        ...

    def receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        """
        Keep a file that has come in whole.
        """
        ...


class UploadServices(Protocol):
    """
    What these addresses need.
    """

    @property
    def uploads(self) -> UploadUseCases:
        """
        Bytes on their way in.
        """
        ...

    @property
    def resumable(self) -> ResumableUseCases:
        """
        Bytes that come in pieces.
        """
        ...

    @property
    def upload_signer(self) -> UploadSigner:
        """
        Verifies addresses.
        """
        ...

    @property
    def settings(self) -> Settings:
        """
        Say what one client may have of it.
        """
        ...

    @property
    def clock(self) -> Clock:
        """
        The time.
        """
        ...


def make_app(
    services: UploadServices, *, max_concurrent: int = MAX_CONCURRENT
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the app of the upload address.

    Args:
        max_concurrent: How many bodies are read at a time; keep it below the
            threads of the server.
    """
    # A process that was killed has left its uploads, which may fill the disk.
    services.uploads.clean_incoming()
    services.resumable.tidy()
    app = make_web_app(cors=UPLOAD, middleware=[TusMiddleware(RESUMABLE_PREFIX)])
    places = UploadPlaces.make(
        capacity=max_concurrent, most_of_one=services.settings.shares.uploads_of_one
    )
    app.add_route("/upload/{grant_id}", SignedUploadResource(services, places))
    resumable = ResumableUploadResource(
        uploads=services.resumable,
        signer=services.upload_signer,
        places=places,
    )
    app.add_route(f"{RESUMABLE_PREFIX}{{grant_id}}", resumable)
    return app


class SignedUploadResource:
    """
    A signed upload address.
    """

    def __init__(self, services: UploadServices, places: UploadPlaces) -> None:
        self._uploads = services.uploads
        self._signer = services.upload_signer
        self._clock = services.clock
        self._places = places

    def on_put(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Take a file in.

        Raises:
            ForbiddenError: The address expired or was tampered with.
            ProcessingInProgressError: The file is being processed already.
            UnsupportedFormatError: 415; not the type of the grant.
            InvalidFileSizeError: Not the size of the grant, or cut off.
            UnavailableError: Too many uploads at a time, or no room.
        """
        verified = self._signer.verify(
            grant_id,
            expires=single(req, "expires"),
            signature=single(req, "signature"),
            now=self._clock.now(),
        )
        grant = self._uploads.open_upload(verified)
        with self._places.take(req, grant.org_id):
            content_type = req.content_type
            self._uploads.check_announced(grant, content_type, req.content_length)
            if req.content_length is None and not req.env.get("wsgi.input_terminated"):
                raise InvalidFileSizeError("The request has no body.")
            grant = self._receive(req, grant, content_type)
        resp.data = encode(success(_answer(grant)))
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")

    def _receive(
        self, req: falcon.Request, grant: UploadGrant, content_type: str | None
    ) -> UploadGrant:
        incoming = IncomingFiles(
            folder=self._uploads.incoming_dir(),
            is_scarce=self._do_others_wait,
        )
        limit = grant.size_bytes or MAX_UPLOAD_BYTES
        with (
            self._uploads.room_for(grant, req.content_length) as reserved,
            incoming.collect(req, reserved, max_bytes=limit) as (local, size_bytes),
        ):
            sent = (content_type or "").partition(";")[0].strip().lower()
            return self._uploads.receive(
                grant.id,
                local,
                size_bytes=size_bytes,
                content_type=sent or grant.content_type or DEFAULT_CONTENT_TYPE,
            )

    def _do_others_wait(self) -> bool:
        return self._places.is_scarce() or self._uploads.is_room_scarce()


def _answer(grant: UploadGrant) -> dict[str, object]:
    answer: dict[str, object] = {"bucketPath": grant.path}
    if grant.video_id is not None:
        answer["videoID"] = grant.video_id
    return answer
