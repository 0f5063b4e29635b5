"""
The plugin that the page about adding to the service shows.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "how-to" / "extend.md"
NAME: Final = "acme_notes"


def code() -> str:
    """
    Return the module as it stands on the page.
    """
    (found,) = re.findall(
        rf"```python\n(# {NAME}\.py\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    return str(found)


@contextmanager
def importable(folder: Path) -> Iterator[str]:
    """
    Have the module on the path of imports for a block; give its name.
    """
    folder.mkdir()
    (folder / f"{NAME}.py").write_text(code(), encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        yield NAME
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(NAME, None)
