"""The folder with the built documentation, and the address of the documentation."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "docs_site"
"""The folder of the built documentation, which ``tox -e docs`` makes and wheels contain."""
API_PAGES: Final = "api"
"""The folder of the API reference below ``/docs/``, which the app makes from its routes."""


def is_built() -> bool:
    """Return whether the built documentation pages are part of this installation."""
    return (FOLDER / "index.html").is_file()


def documentation_url(api_url: str) -> str:
    """Return the address of the documentation, or of the API reference if no documentation is built."""
    return f"{api_url}/docs/" if is_built() else f"{api_url}/docs/{API_PAGES}/"
