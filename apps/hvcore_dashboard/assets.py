"""The static files that the dashboard's pages load, under ``/dashboard/static/``."""

from pathlib import Path
from typing import Final

from hvcore_web.assets import VendoredFiles

STATIC: Final = Path(__file__).parent / "static"
DASHBOARD_FILES: Final = VendoredFiles.read(Path(__file__).parent / "vendor.json")
"""The dashboard's libraries from npm."""
