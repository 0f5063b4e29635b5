"""Serve our client for JavaScript, which web pages of any origin may load."""

from pathlib import Path
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore_client_js import MODULE, TYPES
from hvcore_web.files import send
from hvcore_web.pages import SCRIPT_TYPE, served_file

_TYPES_TYPE: Final = "text/plain; charset=utf-8"
"""The content type of the TypeScript types: TypeScript has no type of its own, and ``.ts``
usually is a video file."""


class ClientFileResource:
    """
    ``GET`` of one file of the JavaScript client.

    Args:
        path: The path at which the file was installed.
        content_type: The content type of the file.
    """

    def __init__(self, path: Path, content_type: str) -> None:
        self._response = served_file(path.read_bytes(), content_type)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._response)

    on_head = on_get


class ClientModuleResource(ClientFileResource):
    """``GET /client.js``: the JavaScript client."""

    def __init__(self, _services: Services) -> None:
        super().__init__(MODULE, SCRIPT_TYPE)


class ClientTypesResource(ClientFileResource):
    """``GET /client.d.ts``: the TypeScript types of the JavaScript client."""

    def __init__(self, _services: Services) -> None:
        super().__init__(TYPES, _TYPES_TYPE)
