"""The tutorial for clients of the API holds word by word."""

from pathlib import Path

import pytest

from tests.docs.tutorials.running import PAGES, ROOT, install, tutorial

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]


def test_a_reader_uploads_and_plays_a_film(tmp_path: Path) -> None:
    client = ROOT / "contrib" / "hvcore_client"
    install(tmp_path / "shop" / "videos", "-e", f"{ROOT}[all]", "-e", client)

    with tutorial(tmp_path) as reader:
        reader.follow((PAGES / "upload-and-play.md").read_text("utf-8"))
