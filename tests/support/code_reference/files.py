"""Write generated pages, and remove the pages of what is gone."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
REFERENCE: Final = ROOT / "docs" / "reference"
NOTE: Final = "<!-- Written by: python -m tests.support.code_reference -->"


def write(pages: Mapping[Path, str], folders: Iterable[Path]) -> None:
    """
    Write each page whose text has changed.

    Args:
        folders: The folders with nothing but generated pages.
    """
    for file in gone(pages, folders):
        file.unlink()
        sys.stdout.write(f"- {file}\n")
    for file in outdated(pages):
        file.parent.mkdir(exist_ok=True)
        file.write_text(pages[file], "utf-8")
        sys.stdout.write(f"+ {file}\n")


def outdated(pages: Mapping[Path, str]) -> list[Path]:
    """Return the files of the pages whose text on disk differs from the generated text."""
    return [
        file
        for file, text in pages.items()
        if not file.exists() or file.read_text("utf-8") != text
    ]


def gone(pages: Mapping[Path, str], folders: Iterable[Path]) -> list[Path]:
    """Return the files of folders of generated pages that no page is written to."""
    there = [file for folder in folders for file in sorted(folder.glob("*.md"))]
    return [file for file in there if file not in pages]
