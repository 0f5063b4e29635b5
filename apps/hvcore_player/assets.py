"""The static files that the player's pages load, under ``/v1/player/``."""

from pathlib import Path
from typing import Final

from hvcore_web.assets import Assets, VendoredFiles

STATIC: Final = Path(__file__).parent / "static"
PLAYER_FILES: Final = VendoredFiles.read(Path(__file__).parent / "vendor.json")
"""The player's libraries from npm."""


def player_assets(folder: Path) -> Assets:
    """Return the static files of the player; ``hv-player.js`` is the script that other pages import."""
    return Assets(folder, PLAYER_FILES, entry="hv-player.js")
