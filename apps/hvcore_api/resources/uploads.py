"""Answer requests for upload grants: addresses to which a client may send a file."""

import falcon

from hvcore.assembly import Services
from hvcore.wire import responses
from hvcore.wire.converter import read_document
from hvcore.wire.requests import UploadUrlRequest, VideoUploadRequest, possible_with
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, find_environment, scope_of
from hvcore_web.json_media import read_json


class UploadUrlResource:
    """Grant an upload, by organization; the video is made by a later process request."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._uploads = services.uploads

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        env = find_environment(self._access, req)
        wanted = read_document(UploadUrlRequest, read_json(req))
        granted = self._uploads.grant(env, wanted.file_wanted())
        send(resp, responses.upload_grant(granted))


class VideoUploadUrlResource:
    """Grant an upload, by key, and create its video at once, which then awaits the file."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._uploads = services.uploads
        self._processing = services.processing
        self._captions = services.caption_orders

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        env = find_environment(self._access, req)
        check = possible_with(self._processing.capabilities(), self._captions.refusal)
        wanted = read_document(VideoUploadRequest, read_json(req), check)
        granted = self._uploads.grant_video(
            env, wanted.file_wanted(), wanted.video.video_wanted()
        )
        send(resp, responses.upload_grant(granted))


class UploadCompleteResource:
    """Take note, by key, that a client has sent a file directly to the object store."""

    def __init__(self, services: Services) -> None:
        self._direct_uploads = services.direct_uploads

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Check at once whether the file has arrived in the object store."""
        scope = scope_of(req)
        found = self._direct_uploads.complete(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, {"videoID": found})
