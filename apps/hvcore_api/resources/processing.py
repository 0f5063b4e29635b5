"""Answer requests that start the processing of a video."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.converter import read_document
from hvcore.wire.requests import ProcessRequest, possible_with
from hvcore_api.answers import send
from hvcore_api.request_scope import find_environment
from hvcore_web.json_media import read_json


class ProcessResource:
    """The route that starts the processing of an uploaded file, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._processing = services.processing
        self._captions = services.caption_orders

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        env = find_environment(self._access, req)
        check = possible_with(self._processing.capabilities(), self._captions.refusal)
        wanted = read_document(ProcessRequest, read_json(req), check)
        video_id = self._processing.process(env, wanted.path, wanted.video_wanted())
        send(resp, {"videoID": video_id})
