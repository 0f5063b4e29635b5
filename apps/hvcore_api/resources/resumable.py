"""Answer requests that create resumable uploads (tus)."""

import falcon

from hvcore.assembly import Services
from hvcore.errors import ConflictError
from hvcore.wire.requests import possible_with
from hvcore.wire.uploads.resumable import (
    CreationHeaders,
    in_headers,
    read_creation,
    resumable_upload,
)
from hvcore_api.answers import send
from hvcore_api.request_scope import find_environment
from hvcore_web.tus import check_version, expires


class TusCreationResource:
    """The address at which clients of the tus protocol create an upload."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._processing = services.processing
        self._captions = services.caption_orders
        self._uploads = services.resumable

    def on_options(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """Answer 204; the middleware adds the supported version and extensions of tus."""
        resp.status = falcon.HTTP_204

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Create an upload; the video exists at once and awaits its bytes.

        Raises:
            UnsupportedVersionError: The client uses another version of the protocol (412).
            PayloadTooLargeError: The file is larger than allowed (413).
        """
        check_version(req)
        env = find_environment(self._access, req)
        check = possible_with(self._processing.capabilities(), self._captions.refusal)
        headers = CreationHeaders(
            length=req.get_header("Upload-Length"),
            metadata=req.get_header("Upload-Metadata"),
            defer_length=req.get_header("Upload-Defer-Length"),
        )
        wanted = read_creation(headers, check)
        try:
            granted = self._uploads.create(env, wanted.file, wanted.video)
        except ConflictError as error:
            error.errors = tuple(map(in_headers, error.errors))
            raise
        grant = granted.grant
        send(resp, resumable_upload(granted))
        resp.status = falcon.HTTP_201
        resp.set_header("Location", granted.signed_url)
        resp.set_header("X-Asset-Id", grant.video_id or "")
        resp.set_header("X-Bucket-Path", grant.path)
        resp.set_header("Upload-Expires", expires(grant.expires_at))
        # Of a client that sends the first bytes along, none was taken.
        resp.set_header("Upload-Offset", "0")
