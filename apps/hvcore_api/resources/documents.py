"""Serve the description of the API, as OpenAPI for programs and as pages for people."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final

import falcon

from hvcore import __version__
from hvcore.assembly import Services
from hvcore.services.playback.responses import PlaybackResponse
from hvcore.wire.envelope import SUCCESS_TYPE, encode
from hvcore_api.docs_page.markdown import render_markdown
from hvcore_api.docs_page.page import render_page
from hvcore_api.openapi.components import Document
from hvcore_web.documentation.site import API_PAGES, is_built
from hvcore_web.files import send
from hvcore_web.pages import (
    MARKDOWN_TYPE,
    PAGE_TYPE,
    SCRIPT_TYPE,
    STYLE,
    STYLE_TYPE,
    Markup,
    PageTemplate,
    dashboard_item,
    served_file,
)

FOLDER: Final = Path(__file__).parents[1] / "docs_page"

POLICY: Final = (
    # data: is the empty icon; no such picture asks anybody for anything.
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of the pages: they load only their own style and script."""


_DOCUMENTATION: Final = Markup(
    '<li><a href="docs/"><b>Documentation</b>\n'
    "<span>Tutorials, how-to pages, reference and explanations</span></a></li>"
)


class DescriptionResource:
    """
    Base of the resources that serve the OpenAPI document of the API in some form.

    Args:
        describe: Makes the OpenAPI document of all routes. The app passes it, because
            the table of routes names the classes of this module.
    """

    def __init__(self, describe: Callable[[], Document]) -> None:
        self._describe = describe


class OpenApiResource(DescriptionResource):
    """``GET {base_url}/openapi.json``: the OpenAPI document as it is, without the usual envelope."""

    @cached_property
    def _response(self) -> PlaybackResponse:
        # Made when it is first asked for, so that processes start sooner.
        return served_file(encode(self._describe()), SUCCESS_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._response)


class DocsPageResource(DescriptionResource):
    """``GET /docs/api/``: the HTML page that documents every route; ``GET /docs/api`` redirects to it."""

    @cached_property
    def _response(self) -> PlaybackResponse:
        return served_file(render_page(self._describe()), PAGE_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not req.path.endswith("/"):
            # The page's own files are relative to the address with the slash.
            resp.status = falcon.HTTP_302
            resp.location = f"{API_PAGES}/"
            return
        _send_page(req, resp, self._response)

    on_head = on_get


class RoutesMarkdownResource(DescriptionResource):
    """``GET /docs/api/routes.md``: the routes as Markdown, for programs that read pages."""

    @cached_property
    def _response(self) -> PlaybackResponse:
        return served_file(render_markdown(self._describe()), MARKDOWN_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._response)

    on_head = on_get


class ApiFrontPageResource:
    """``GET /``: a page that says what is served at this address, with links to the documentation."""

    def __init__(self, services: Services) -> None:
        self._settings = services.settings

    @cached_property
    def _response(self) -> PlaybackResponse:
        public = self._settings.public
        page = PageTemplate(FOLDER / "front.html").fill(
            {
                "api_url": public.api_url,
                "worker_url": public.worker_url,
                "player_url": public.player_url,
                "upload_url": public.upload_url,
                "documentation": _DOCUMENTATION if is_built() else Markup(),
                "dashboard": dashboard_item(self._settings),
                "version": __version__,
            }
        )
        return served_file(page, PAGE_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _send_page(req, resp, self._response)


class DocsStyleResource:
    """``GET /docs/api/style.css``: the style sheet of the API's documentation pages."""

    def __init__(self, _services: Services) -> None:
        body = STYLE.read_bytes() + (FOLDER / "docs.css").read_bytes()
        self._response = served_file(body, STYLE_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._response)


class DocsScriptResource:
    """``GET /docs/api/search.js``: the script that searches the API's documentation page."""

    def __init__(self, _services: Services) -> None:
        self._response = served_file((FOLDER / "docs.js").read_bytes(), SCRIPT_TYPE)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        send(req, resp, self._response)


def _send_page(
    req: falcon.Request, resp: falcon.Response, response: PlaybackResponse
) -> None:
    send(req, resp, response)
    resp.set_header("Content-Security-Policy", POLICY)
    resp.set_header("Referrer-Policy", "no-referrer")
