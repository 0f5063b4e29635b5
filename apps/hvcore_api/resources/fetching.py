"""Answer requests that make the service fetch a file from a URL."""

from collections.abc import Iterable, Mapping
from functools import partial

import falcon

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment
from hvcore.wire.converter import LateFieldError, read_document
from hvcore.wire.requests import possible_with
from hvcore.wire.uploads import fetching as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import find_environment
from hvcore_web.json_media import read_json


class VideoUploadResource:
    """``POST``, by key: create a video at once, and fetch its file from a URL."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._fetching = services.fetching
        self._processing = services.processing
        self._captions = services.caption_orders

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        env = find_environment(self._access, req)
        wanted = read_document(
            wire.FetchVideoRequest, read_json(req), partial(self._check, env)
        )
        video = self._fetching.fetch_video(
            env, wanted.url, wanted.file_wanted(), wanted.video.video_wanted()
        )
        send(resp, wire.fetched_video(video.id))

    def _check(
        self, env: Environment, given: Mapping[str, object]
    ) -> Iterable[LateFieldError]:
        refusal = partial(self._fetching.refusal, env)
        yield from wire.fetchable(wire.VIDEO_URL, refusal)(given)
        yield from possible_with(
            self._processing.capabilities(), self._captions.refusal
        )(given)


class DownloadResource:
    """``POST``, by key: fetch a file from a URL; a later process request makes the video."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._fetching = services.fetching

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        env = find_environment(self._access, req)
        check = wire.fetchable(wire.SOURCE_URL, partial(self._fetching.refusal, env))
        wanted = read_document(wire.DownloadRequest, read_json(req), check)
        send(resp, wire.fetched_file(self._fetching.fetch_file(env, wanted.url)))
