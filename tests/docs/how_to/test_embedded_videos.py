"""The guide of embedded videos is a program, which runs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from hvcore.testing.grey_film import init_segment

FOLDER: Final = Path(__file__).parents[3] / "docs" / "how-to"
PAGES: Final = ("embedding.md", "embedded-videos.md")
MOST_WORDS: Final = 2500
SHOWN: Final = """
assert set(ready) == set(), "no worker has told of them yet"
assert names == ["film"] and usage >= 2 and len(days) == 8
assert poster.endswith(".jpg") or "?token=" in poster
assert import_film(Path("film.mp4"), "order 1") == import_film(Path("film.mp4"), "order 1")
print("It has run.")
"""


def program() -> str:
    """Return the page's programs in one, with a look at what they have made."""
    text = (FOLDER / "embedded-videos.md").read_text("utf-8")
    *blocks, last = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return "\n".join([*blocks, SHOWN, last, "assert left == ()"])


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(init_segment(width_px=426, height_px=240))

    done = subprocess.run(
        [sys.executable, "-c", program()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "It has run.\n"


@pytest.mark.long
def test_the_programs_of_the_page_are_typed(tmp_path: Path) -> None:
    file = tmp_path / "page.py"
    file.write_text(program())
    root = Path(__file__).parents[3]

    for command in (
        ["mypy", "--strict", f"--config-file={root / 'pyproject.toml'}", str(file)],
        ["pyright", f"--pythonpath={sys.executable}", str(file)],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_a_page_about_embedding_can_be_read_in_one_go(page: str) -> None:
    words = (FOLDER / page).read_text("utf-8").split()

    assert len(words) <= MOST_WORDS
