"""Answer requests that list, show, change and delete videos."""

import falcon

from hvcore.assembly import Services
from hvcore.domain.videos.preconditions import entity_tag
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, LIST_THUMBNAIL_PX
from hvcore.wire import responses
from hvcore.wire.converter import read_document
from hvcore.wire.entity_tags import quoted, read_if_match
from hvcore.wire.member_names import read_changes
from hvcore.wire.parameter_names import read_list_query
from hvcore.wire.query import ListParameters, days_in_order
from hvcore.wire.requests import DeleteRequest
from hvcore.wire.videos.bin import DeleteParameters
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, find_environment, scope_of
from hvcore_web.json_media import read_json


class VideoListResource:
    """The route that lists videos, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics
        self._catalog = services.catalog
        self._playback = services.playback

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        """List an environment's videos, one page per request."""
        env = find_environment(self._access, req)
        query = read_list_query(ListParameters, req.params, days_in_order).query()
        page = self._catalog.page(env, query)
        thumbnails = {
            video.id: self._playback.thumbnail_url(video, *LIST_THUMBNAIL_PX)
            for video in page.videos
        }
        served = self._analytics.views(page.videos)
        payload = responses.video_list(
            page,
            query,
            served=served,
            thumbnails=thumbnails,
            roots=self._playback.roots(env.org_id, env.id),
        )
        send(resp, payload)


class VideoDetailsResource:
    """The route that gives the details of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._analytics = services.analytics
        self._catalog = services.catalog
        self._playback = services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        video = self._catalog.details(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        thumbnail_url = self._playback.thumbnail_url(video, *BEST_THUMBNAIL_PX)
        served = self._analytics.views([video])[video.id]
        payload = responses.video_details(
            video,
            served=served,
            thumbnail_url=thumbnail_url,
            addresses=self._playback.addresses(video, BEST_THUMBNAIL_PX),
            downloads=self._playback.downloads(video),
        )
        send(resp, payload)
        # Not for caches, which keep nothing of it: for If-Match of a change.
        resp.set_header("ETag", quoted(entity_tag(video)))


class VideoDeletionResource:
    """The route that deletes a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._deletion = services.deletion

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Hide a video at once; its files are removed soon after, or when it leaves the bin."""
        scope = scope_of(req)
        asked = read_list_query(DeleteParameters, req.params)
        # The body is optional, and null equals absent.
        document = read_json(req)
        wanted = read_document(DeleteRequest, {} if document is None else document)
        video = self._deletion.delete(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            wanted.reason,
            keep_hours=asked.keep_hours,
        )
        send(resp, responses.deletion(video))


class VideoChangeResource:
    """The route that changes a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._editing = services.editing
        self._details = VideoDetailsResource(services)

    def on_patch(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Change a video, and describe it as it is now."""
        scope = scope_of(req)
        wanted = read_changes(VideoChangeRequest, read_json(req))
        self._editing.change(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            wanted.changes(),
            if_match=read_if_match(req.get_header("If-Match")),
        )
        self._details.on_get(req, resp, video_id)


class OwnedVideoResource:
    """The address of a video below ``/v1/api/{orgID}``: change and delete it."""

    def __init__(self, services: Services) -> None:
        self.on_patch = VideoChangeResource(services).on_patch
        self.on_delete = VideoDeletionResource(services).on_delete


class VideoResource:
    """The address of a video below ``/v1``: show its details, change and delete it."""

    def __init__(self, services: Services) -> None:
        self.on_get = VideoDetailsResource(services).on_get
        self.on_patch = VideoChangeResource(services).on_patch
        self.on_delete = VideoDeletionResource(services).on_delete
