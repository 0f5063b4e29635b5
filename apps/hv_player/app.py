"""
The addresses under ``{player_url}``.

Source: interface, "Delivery". ``{player_url}/v1/embed/{video}`` is the page of
a video, ``?token=`` for private ones; its files lie under ``/v1/player/``.
"""

import hashlib
from pathlib import Path
from typing import Final, Protocol

import attrs
import falcon

from hv_player.html import content_policy, embed_page, message_page
from hv_web.app import make_app as make_web_app
from hv_web.cors import ANY_ORIGIN
from hv_web.files import send
from hv_web.viewers import viewer_of
from hvcore.errors import HvError, NotFoundError, UnavailableError
from hvcore.services.delivery import Delivery
from hvcore.services.served import Lifetime, Served
from hvcore.settings import Settings

STATIC: Final = Path(__file__).parent / "static"
HLS_JS: Final = "vendor/hls.min.js"
ASSET_TYPES: Final = {
    "player.js": "text/javascript; charset=utf-8",
    "player.css": "text/css; charset=utf-8",
    HLS_JS: "text/javascript; charset=utf-8",
}
NOT_INSTALLED: Final = "hls.js is missing; run ./hv setup, which fetches it."

_PERMISSION: Final = (
    "The permission in this address is missing, not valid or has expired. Go back to "
    "the page that you came from and open the video again."
)
_TEXTS: Final = {
    401: ("This video needs permission", _PERMISSION),
    403: (
        "This video cannot be watched here",
        "The permission in this address is for another video or another page.",
    ),
    404: ("This video is not available", "It was removed, or it is not ready yet."),
    503: ("The player is not ready", "Please try again in a moment."),
}


class PlayerServices(Protocol):
    """
    What these addresses need.
    """

    @property
    def delivery(self) -> Delivery:
        """
        Who may watch what.
        """
        ...

    @property
    def settings(self) -> Settings:
        """
        The public addresses.
        """
        ...


def make_app(
    services: PlayerServices, *, static: Path = STATIC
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make the app of the player.

    Args:
        static: The folder of the page's files.
    """
    assets = Assets(static)
    worker_url = services.settings.public.worker_url.rstrip("/")
    app = make_web_app(cors=ANY_ORIGIN)
    app.add_route("/v1/embed/{video}", EmbedPage(services.delivery, assets, worker_url))
    app.add_route("/v1/player/{name:path}", AssetFiles(assets))
    return app


class Assets:
    """
    The page's own files; each is read once, when it is first asked for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Served] = {}

    def find(self, name: str) -> Served:
        """
        Return a file.

        Raises:
            NotFoundError: The page has no such file.
            UnavailableError: It should be there, and is not installed.
        """
        if name not in ASSET_TYPES:
            raise NotFoundError
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def _load(self, name: str) -> Served:
        try:
            body = (self._folder / name).read_bytes()
        except FileNotFoundError as exc:
            raise UnavailableError(NOT_INSTALLED, retry_after_s=60) from exc
        return Served(
            body=body,
            content_type=ASSET_TYPES[name],
            etag=hashlib.sha256(body).hexdigest()[:32],
            lifetime=Lifetime.PICTURE,
            is_public=True,
            is_text=True,
        )


class AssetFiles:
    """
    The page's own files.
    """

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        """
        Answer with a file.
        """
        send(req, resp, self._assets.find(name))

    on_head = on_get


@attrs.frozen
class EmbedPage:
    """
    The page of a video.
    """

    delivery: Delivery
    assets: Assets
    worker_url: str

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, video: str) -> None:
        """
        Answer with the page, or with one that says why there is none.
        """
        resp.content_type = falcon.MEDIA_HTML
        # The page's address may hold a token: no cache keeps it, and other
        # hosts are told the origin alone.
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("Referrer-Policy", "strict-origin")
        domains: tuple[str, ...] = ()
        try:
            shown = self.delivery.describe(video, viewer_of(req))
            self.assets.find(HLS_JS)
            resp.data = embed_page(shown, self.worker_url)
            domains = shown.domains
        except HvError as error:
            self._explain(resp, error)
        policy = content_policy(self.worker_url, domains)
        resp.set_header("Content-Security-Policy", policy)

    on_head = on_get

    def _explain(self, resp: falcon.Response, error: HvError) -> None:
        if error.http_status not in _TEXTS:
            raise error
        title, text = _TEXTS[error.http_status]
        if error.detail == NOT_INSTALLED:
            text = NOT_INSTALLED
        resp.status = error.http_status
        resp.data = message_page(title, text)
        for name, value in error.headers.items():
            resp.set_header(name, value)
