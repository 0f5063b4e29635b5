"""Answer requests for the captions by machine that an environment's new videos get."""

import falcon

from hvcore.assembly import Services
from hvcore.services.captions.defaults import CaptionDefault
from hvcore.wire.converter import read_document
from hvcore.wire.responses import Payload
from hvcore.wire.videos import captions as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import find_environment, scope_of
from hvcore_web.json_media import read_json


class CaptionDefaultResource:
    """The default captions of an environment's new videos, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._defaults = services.caption_defaults

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        found = self._defaults.of(find_environment(self._access, req))
        send(resp, _told(found))

    def on_put(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        env = find_environment(self._access, req)
        self._access.check_settings(scope_of(req).caller)
        wanted = read_document(wire.CaptionDefaultRequest, read_json(req))
        send(resp, _told(self._defaults.change(env, wanted.languages)))


def _told(found: CaptionDefault) -> Payload:
    return wire.caption_default(found.languages, is_inherited=found.is_inherited)
