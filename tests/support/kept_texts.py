"""
Texts that the repository keeps, to see in a difference what a change does to a page.
"""

import os
from pathlib import Path


def check_kept(path: Path, text: str) -> None:
    """
    Compare a text with the file that keeps it; with ``KEEP_TEXTS=1``, keep the new text.

    Whoever keeps a new text reads its difference in ``git diff`` before the commit.
    """
    text = f"{text.rstrip()}\n"
    if os.environ.get("KEEP_TEXTS"):
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    assert text.splitlines() == kept.splitlines(), (
        f"{path.name} is another one; run this test with KEEP_TEXTS=1, and read git diff"
    )
