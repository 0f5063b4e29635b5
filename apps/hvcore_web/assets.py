"""
Serve the static files that an app's pages load: the app's own files and those from npm.

Each file has two addresses. ``…/{build}/…`` names a build, which is a hash of all files:
browsers keep these answers for a year, and never mix files of two versions. The address
without ``{build}`` always gives the file of the present version.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Final

import attrs
import falcon

from hvcore.errors import NotFoundError, UnavailableError
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore_web.files import send
from hvcore_web.pages import SCRIPT_TYPE, STYLE, STYLE_TYPE, served_file

NOT_INSTALLED: Final = (
    "Files of the pages are missing; run ./hv setup, which fetches them."
)
_TYPES: Final = {
    ".js": SCRIPT_TYPE,
    ".mjs": SCRIPT_TYPE,
    ".css": STYLE_TYPE,
    ".svg": "image/svg+xml; charset=utf-8",
    ".ts": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
_BUILD: Final = re.compile("[0-9a-f]{12}")


@attrs.frozen(kw_only=True)
class VendoredFiles:
    """
    The list of the files from npm packages that an app serves, as its ``vendor.json`` has it.

    Attributes:
        names: The paths of the files, relative to the folder of the app's static files.
        style_hashes: The hashes of the styles that the packages' elements write into
            pages, quoted for ``style-src`` of a Content-Security-Policy.
    """

    names: tuple[str, ...]
    style_hashes: tuple[str, ...]

    @classmethod
    def read(cls, listed: Path) -> "VendoredFiles":
        """Read the names and the style hashes from a ``vendor.json`` file."""
        packages = json.loads(listed.read_text("utf-8")).values()
        return cls(
            names=tuple(
                f"vendor/{name}"
                for package in packages
                for name in package["files"].values()
            ),
            style_hashes=tuple(
                f"'{value}'"
                for package in packages
                for value in package.get("style_hashes", ())
            ),
        )


class Assets:
    """
    The static files that one app's pages load, kept in memory once they are asked for.

    The style sheet of all pages (``page.css``) is among them.

    Args:
        folder: The folder of the app's static files.
        vendored: The files from npm packages.
        entry: The script that pages of other sites import. At the address without a
            build, it only re-exports the script of the present build.
    """

    def __init__(
        self, folder: Path, vendored: VendoredFiles, *, entry: str = ""
    ) -> None:
        self._folder = folder
        self._entry = entry
        own = (path.relative_to(folder) for path in folder.rglob("*"))
        names = {path.as_posix() for path in own if path.parts[0] != "vendor"}
        self._names = {
            name
            for name in (*names, *vendored.names, STYLE.name)
            if Path(name).suffix in _TYPES
        }
        self._read: dict[str, PlaybackResponse] = {}
        self._build = ""

    @property
    def build(self) -> str:
        """
        The present build: a hash of all files, which is a part of the files' addresses.

        Raises:
            UnavailableError: A file is not installed.
        """
        if not self._build:
            digest = hashlib.sha256()
            for name in sorted(self._names):
                read = self._load(name)
                digest.update(f"{name} {read.etag}\n".encode())
                self._read[name] = read
            self._build = digest.hexdigest()[:12]
        return self._build

    def find(self, name: str) -> PlaybackResponse:
        """
        Return the answer with a static file.

        Args:
            name: The file's path, with or without the build (a hash of all files) before it. A path
                with an old build gives the present file, which browsers do not keep for long.

        Raises:
            NotFoundError: The app has no such file.
            UnavailableError: The file belongs to the app, but is not installed.
        """
        build, slash, rest = name.partition("/")
        is_named = bool(slash and _BUILD.fullmatch(build))
        file = rest if is_named else name
        if file not in self._names:
            raise NotFoundError
        if is_named and build == self.build:
            return attrs.evolve(self._read[file], lifetime=Lifetime.IMMUTABLE)
        if file == self._entry:
            return self._forward(".." if is_named else ".")
        return self._read[file] if self._build else self._load(file)

    def _forward(self, to: str) -> PlaybackResponse:
        text = f'export * from "{to}/{self.build}/{self._entry}";\n'
        return served_file(text.encode(), SCRIPT_TYPE)

    def _load(self, name: str) -> PlaybackResponse:
        try:
            body = (STYLE if name == STYLE.name else self._folder / name).read_bytes()
        except FileNotFoundError as exc:
            raise UnavailableError(NOT_INSTALLED, retry_after_s=60) from exc
        return served_file(body, _TYPES[Path(name).suffix])


class AssetFilesResource:
    """The Falcon resource that serves the static files of an app's pages."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        """Answer with the static file of this name, to GET and HEAD."""
        send(req, resp, self._assets.find(name))

    on_head = on_get
