"""
Receive uploads at the addresses under ``{upload_url}``.

Source: the interface document, "upload-url": the bytes are sent with a PUT to
``signedURL``; the reply is 200, after the address expired 403.
"""

import hashlib
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.direct import sent_type
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.errors import InvalidFileSizeError
from hvcore.wire.envelope import encode, success
from hvcore_upload.chunk_writer import ChunkWriter
from hvcore_upload.content_range import check_whole
from hvcore_upload.incoming import IncomingFiles
from hvcore_upload.query import single
from hvcore_upload.resumable import ResumableUploadResource
from hvcore_upload.slots import UploadSlots
from hvcore_web.app import make_app as make_web_app
from hvcore_web.cors import UPLOAD
from hvcore_web.documentation.help_links import help_links
from hvcore_web.errors import pace_others
from hvcore_web.tus import TusMiddleware

MAX_CONCURRENT: Final = 16
"""The most uploads at a time: half of the server's threads, so that viewers get the rest."""
RESUMABLE_PREFIX: Final = "/uploads/"
FILES_APART_S: Final = 0.2
"""The seconds between two stored files of one client. A key gets ten upload addresses a minute,
but each address accepts a file again and again, and storing a file delays the disk for all."""


def make_app(
    services: Services, *, max_concurrent: int = MAX_CONCURRENT
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the Falcon app of the upload address.

    Args:
        max_concurrent: The most bodies that are read at the same time; keep it below the
            threads of the server.
    """
    # A process that was killed has left its uploads, which may fill the disk.
    services.uploads.clean_incoming()
    services.resumable.tidy()
    app = make_web_app(
        name="upload",
        cors=UPLOAD,
        middleware=[
            *help_links(services.settings.public.api_url),
            TusMiddleware(RESUMABLE_PREFIX),
        ],
    )
    slots = UploadSlots.make(
        capacity=max_concurrent, most_of_one=services.settings.shares.uploads_of_one
    )
    app.add_route("/upload/{grant_id}", SignedUploadResource(services, slots))
    resumable = ResumableUploadResource(
        uploads=services.resumable,
        signer=services.upload_signer,
        clock=services.clock,
        slots=slots,
        writer=ChunkWriter(uploads=services.resumable, slots=slots),
    )
    app.add_route(f"{RESUMABLE_PREFIX}{{grant_id}}", resumable)
    return app


class SignedUploadResource:
    """``PUT`` to a signed upload address, with a whole file."""

    def __init__(self, services: Services, slots: UploadSlots) -> None:
        self._uploads = services.uploads
        self._signer = services.upload_signer
        self._clock = services.clock
        self._slots = slots

    def on_put(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Receive and store the file of an upload grant.

        Raises:
            ForbiddenError: The address expired or was tampered with, or its key has
                ended.
            ProcessingInProgressError: The file is being processed already.
            UnsupportedFormatError: The media type is not that of the grant (415).
            InvalidFileSizeError: The size is not that of the grant, or the body was cut off.
            InvalidParametersError: The body is only a part of a file, by ``Content-Range``.
            UnavailableError: There are too many uploads at the same time, or no disk space.
        """
        verified = self._signer.verify(
            grant_id,
            expires=single(req, "expires"),
            signature=single(req, "signature"),
            now=self._clock.now(),
        )
        grant = self._uploads.open_upload(verified)
        with self._slots.take(req, grant.org_id):
            check_whole(req)
            content_type = req.content_type
            self._uploads.check_announced(grant, content_type, req.content_length)
            if req.content_length is None and not req.env.get("wsgi.input_terminated"):
                raise InvalidFileSizeError("The request has no body.")
            grant = self._receive(req, grant, content_type)
            pace_others(req, FILES_APART_S, of_all_below=True)
        resp.data = encode(success(_answer(grant)))
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("ETag", _entity_tag(grant))

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
            return self._uploads.receive(
                grant.id,
                local,
                size_bytes=size_bytes,
                content_type=sent_type(content_type, grant),
            )

    def _do_others_wait(self) -> bool:
        return self._slots.is_scarce() or self._uploads.is_room_scarce()


def _entity_tag(grant: UploadGrant) -> str:
    """
    Return a strong validator of what is stored now (RFC 9110, section 9.3.4).

    Clients made for object stores wait for one. Each upload is stored at a path of its
    own, so the path tells uploads apart, and nothing has to read the bytes again.
    """
    path = (grant.stored_path or grant.path).encode()
    return f'"{hashlib.sha256(path).hexdigest()[:32]}"'


def _answer(grant: UploadGrant) -> dict[str, object]:
    answer: dict[str, object] = {"bucketPath": grant.path}
    if grant.video_id is not None:
        answer["videoID"] = grant.video_id
    return answer
