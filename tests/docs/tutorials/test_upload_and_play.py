"""The tutorial for clients of the API holds word by word."""

import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.docs.tutorials.running import PAGES, tutorial

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]
ROOT = PAGES.parents[1]


def test_a_reader_uploads_and_plays_a_film(tmp_path: Path) -> None:
    # What pip would fetch: the tutorial's network reaches nobody.
    environment = tmp_path / "shop" / "videos"
    for command in (
        ["venv", "--seed", "--python", sys.executable, environment],
        [
            *("pip", "install", "--python", environment / "bin" / "python"),
            *("-e", f"{ROOT}[all]", "-e", ROOT / "contrib" / "hvcore_client"),
        ],
    ):
        subprocess.run([find_uv_bin(), "--quiet", *command], check=True, timeout=300)

    with tutorial(tmp_path) as reader:
        reader.follow((PAGES / "upload-and-play.md").read_text("utf-8"))
