"""All pages that are written from the code, and the folders that hold nothing else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.code_reference import (
    commands_pages,
    settings_pages,
    since,
    texts_pages,
)

_PARTS: Final = (settings_pages, commands_pages, texts_pages)
FOLDERS: Final = (settings_pages.FOLDER, commands_pages.FOLDER)


def pages() -> Mapping[Path, str]:
    """Return the text of each file, by its path."""
    found = {since.FILE: since.text_of(names())}
    for part in _PARTS:
        found |= part.pages()
    return found


def names() -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of all that has a first version."""
    for part in _PARTS:
        yield from part.names()
