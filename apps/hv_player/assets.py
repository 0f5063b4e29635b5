"""
The files that the pages load: script, style, hls.js.
"""

import hashlib
from pathlib import Path
from typing import Final

import falcon

from hv_web.files import send
from hvcore.errors import NotFoundError, UnavailableError
from hvcore.services.playback.responses import Lifetime, PlaybackResponse

STATIC: Final = Path(__file__).parent / "static"
HLS_JS: Final = "vendor/hls.min.js"
ASSET_TYPES: Final = {
    "player.js": "text/javascript; charset=utf-8",
    "player.css": "text/css; charset=utf-8",
    HLS_JS: "text/javascript; charset=utf-8",
}
NOT_INSTALLED: Final = "hls.js is missing; run ./hv setup, which fetches it."


class Assets:
    """
    The pages' own files; each is read once, when it is first asked for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, PlaybackResponse] = {}

    def find(self, name: str) -> PlaybackResponse:
        """
        Return a file.

        Raises:
            NotFoundError: The pages have no such file.
            UnavailableError: It should be there, and is not installed.
        """
        if name not in ASSET_TYPES:
            raise NotFoundError
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def _load(self, name: str) -> PlaybackResponse:
        try:
            body = (self._folder / name).read_bytes()
        except FileNotFoundError as exc:
            raise UnavailableError(NOT_INSTALLED, retry_after_s=60) from exc
        return PlaybackResponse(
            body=body,
            content_type=ASSET_TYPES[name],
            etag=hashlib.sha256(body).hexdigest()[:32],
            lifetime=Lifetime.PICTURE,
            is_public=True,
            is_text=True,
        )


class AssetFilesResource:
    """
    The pages' own files.
    """

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        send(req, resp, self._assets.find(name))

    on_head = on_get
