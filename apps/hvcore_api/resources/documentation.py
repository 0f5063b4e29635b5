"""Serve the documentation as built pages; ``tox -e docs`` builds them."""

import json
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.errors import NotFoundError
from hvcore.services.playback.responses import PlaybackResponse
from hvcore_web.documentation import site
from hvcore_web.documentation.site import is_built
from hvcore_web.files import send
from hvcore_web.pages import (
    MARKDOWN_TYPE,
    PAGE_TYPE,
    SCRIPT_TYPE,
    STYLE_TYPE,
    PageTemplate,
    served_file,
)

_TYPES: Final = {
    ".html": PAGE_TYPE,
    ".css": STYLE_TYPE,
    ".js": SCRIPT_TYPE,
    ".md": MARKDOWN_TYPE,
    ".svg": "image/svg+xml; charset=utf-8",
    ".png": "image/png",
}
_NOT_BUILT: Final = PageTemplate(
    Path(__file__).parents[1] / "docs_page" / "not_built.html"
)
_TEXT_TYPE: Final = "text/plain; charset=utf-8"
"""The content type of files that pages link to, such as code."""

_INTRODUCTION: Final = """\
This service answers API requests at {api_url} and serves videos, pictures and the player at {worker_url}. \
API requests carry a key in the header {headers}; JSON is sent as `Content-Type: application/json`. \
Successes are `{{"body": …}}`, errors `{{"status", "code", "detail", "errors"}}`.

To call the API, read in this order:

- [Call the API with curl]({api_url}/docs/how-to/curl.md): each request from upload to deletion.
- [Routes]({api_url}/docs/api/routes.md): every route with its parameters, bodies and answers.
- [The HTTP interface]({api_url}/docs/reference/http.md): a page of rules for each subject.
- [OpenAPI document]({api_url}/v1/openapi.json): the routes for generators of clients.

The pages below are also HTML: leave out `.md`."""
"""The introduction of ``llms.txt``, above its lists of pages."""


class DocumentationResource:
    """``GET /docs/…``: a page by its name, with or without ``.html``, or one of its files."""

    def __init__(self, _services: Services) -> None:
        """Take the services as other resources do; the files need none."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, file: str) -> None:
        """
        Answer with a page of the documentation, or with a file that pages load.

        Raises:
            NotFoundError: The documentation has no such page or file.
        """
        if not file and not is_built():
            send(req, resp, served_file(_NOT_BUILT.fill({}), PAGE_TYPE))
            return
        send(req, resp, _read(site.FOLDER / self._name_of(file)))
        resp.set_header("Content-Security-Policy", self._policy)
        resp.set_header("Referrer-Policy", "no-referrer")

    on_head = on_get

    def _name_of(self, file: str) -> str:
        # Only names that stand in the site's own list are read.
        for name in (file, f"{file}.html", f"{file}index.html"):
            if name in self._names:
                return name
        raise NotFoundError("The documentation has no such page; /docs/ has a search.")

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(_names())

    @cached_property
    def _policy(self) -> str:
        hashes = json.loads((site.FOLDER / "policy.json").read_text("utf-8"))
        scripts, styles = " ".join(hashes["script"]), " ".join(hashes["style"])
        return (
            f"default-src 'none'; script-src 'self' {scripts}; style-src 'self' {styles}; "
            # The search reads the pages that it shows; icons are data.
            "connect-src 'self'; img-src 'self' data:; font-src 'self'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )


class DocumentationAddressResource:
    """``GET /docs``: redirects to the documentation."""

    def __init__(self, services: Services) -> None:
        self._public = services.settings.public

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """Redirect to the first page of the documentation."""
        resp.status = falcon.HTTP_302
        resp.location = f"{self._public.api_url}/docs/"

    on_head = on_get


class ProgramsIndexResource:
    """``GET /llms.txt``: the list of the documentation's pages, for programs that read them."""

    def __init__(self, services: Services) -> None:
        self._public = services.settings.public
        self._schemes = services.access.schemes

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Answer with the list of the documentation's pages.

        Raises:
            NotFoundError: The documentation is not built.
        """
        if not is_built():
            raise NotFoundError(
                "The documentation is not built; `tox -e docs` builds it."
            )
        listed = (site.FOLDER / "llms.txt").read_text("utf-8")
        text = listed.replace("](", f"]({self._public.api_url}/docs/")
        title, about, sections = text.split("\n\n", 2)
        parts = (title, about, self._introduction(), sections)
        send(req, resp, served_file("\n\n".join(parts).encode(), _TEXT_TYPE))

    on_head = on_get

    def _introduction(self) -> str:
        """Return the introduction with the addresses and key headers of this service."""
        return _INTRODUCTION.format(
            api_url=self._public.api_url,
            worker_url=self._public.worker_url,
            headers=" or ".join(f"`{scheme.header}`" for scheme in self._schemes),
        )


def _names() -> Iterator[str]:
    folder = site.FOLDER
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.relative_to(folder).as_posix()


# A reader opens a few pages, and each page loads the same files.
@lru_cache(maxsize=64)
def _read(path: Path) -> PlaybackResponse:
    return served_file(path.read_bytes(), _TYPES.get(path.suffix, _TEXT_TYPE))
