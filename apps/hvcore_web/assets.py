"""
The files that an app's pages load: its own, and what npm brings.

Each is under two addresses. ``…/{build}/…`` names the bytes, so that browsers keep
them for a year and never mix two versions; ``build`` is a hash of all files. Without
it, the address is that of the present version.
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
    The files of npm packages that an app's ``vendor.json`` lists.

    Attributes:
        names: Of the files, below the folder of the app's files.
        style_hashes: Of what their elements write into themselves, for pages'
            policies.
    """

    names: tuple[str, ...]
    style_hashes: tuple[str, ...]

    @classmethod
    def read(cls, listed: Path) -> "VendoredFiles":
        """Read a ``vendor.json``."""
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
    The files of one app's pages; all are read when one is first asked for.

    The look of every page (``page.css``) is among them.

    Args:
        folder: Where they are.
        vendored: Those that npm brings.
        entry: The script that other pages import: without the build, it only names
            the one of the present build.
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
        The part of addresses that names the present bytes.

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
        Return a file.

        Args:
            name: As the address has it, with or without the build. Files of another
                build are the present ones, which nobody keeps for long.

        Raises:
            NotFoundError: There is no such file.
            UnavailableError: It should be there, and is not installed.
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
    """The pages' own files."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, name: str) -> None:
        """Answer with a file."""
        send(req, resp, self._assets.find(name))

    on_head = on_get
