"""The files that the pages load, under ``/v1/player/``."""

from pathlib import Path
from typing import Final

from hvcore_web.assets import Assets, VendoredFiles

STATIC: Final = Path(__file__).parent / "static"
PLAYER_FILES: Final = VendoredFiles.read(Path(__file__).parent / "vendor.json")
"""What npm brings."""


def player_assets(folder: Path) -> Assets:
    """Return the files of the player's pages; ``hv-player.js`` is what others import."""
    return Assets(folder, PLAYER_FILES, entry="hv-player.js")
