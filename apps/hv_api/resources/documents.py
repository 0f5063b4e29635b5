"""
The description of the API, for programs and for people.
"""

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final

import falcon

from hv_api.openapi import Document
from hv_api.openapi_page import render_page
from hv_web.files import send
from hvcore.assembly import Services
from hvcore.envelope import SUCCESS_TYPE, encode
from hvcore.services.playback.responses import Lifetime, PlaybackResponse

STYLE: Final = Path(__file__).parents[1] / "docs.css"

POLICY: Final = (
    # data: is the empty icon; no such picture asks anybody for anything.
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""Of the page: it loads its style and nothing else."""


class DescriptionResource:
    """
    Shows the description of the API, in some form.

    Args:
        describe: Makes the document of all routes. The app hands it over, because
            the table of routes names the classes of this module.
    """

    def __init__(self, describe: Callable[[], Document]) -> None:
        self._describe = describe


class OpenApiResource(DescriptionResource):
    """
    ``GET {base_url}/openapi.json``, sent bare.
    """

    @cached_property
    def _served(self) -> PlaybackResponse:
        # Made when it is first asked for, so that processes start sooner.
        return _served(encode(self._describe()), SUCCESS_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._served)


class DocsPageResource(DescriptionResource):
    """
    ``GET /docs``.
    """

    @cached_property
    def _served(self) -> PlaybackResponse:
        page = render_page(self._describe())
        return _served(page, "text/html; charset=utf-8")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._served)
        resp.set_header("Content-Security-Policy", POLICY)
        resp.set_header("Referrer-Policy", "no-referrer")


class DocsStyleResource:
    """
    ``GET /docs/style.css``.
    """

    def __init__(self, _services: Services) -> None:
        self._served = _served(STYLE.read_bytes(), "text/css; charset=utf-8")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._served)


def _served(body: bytes, content_type: str) -> PlaybackResponse:
    return PlaybackResponse(
        body=body,
        content_type=content_type,
        etag=hashlib.sha256(body).hexdigest()[:32],
        # Ten minutes: it changes with releases only.
        lifetime=Lifetime.PICTURE,
        is_public=True,
        is_text=True,
    )
