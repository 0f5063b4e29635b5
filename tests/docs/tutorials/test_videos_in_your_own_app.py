"""The tutorial for programs that embed the service holds word by word, in each framework."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.docs.tutorials.running import (
    PAGES,
    ROOT,
    make_environment,
    tutorial,
    with_tabs_of,
)

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]
FRAMEWORKS: Final = (
    "Flask",
    *(pytest.param(name, marks=pytest.mark.long) for name in ("FastAPI", "Django")),
)
"""Each takes a minute."""
INSTALLED: Final = re.compile(r"pip install --quiet 'hvcore(\[.+\])' (.+)")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_reader_has_films_in_an_app(framework: str, tmp_path: Path) -> None:
    page = (PAGES / "videos-in-your-own-app.md").read_text("utf-8")
    read = with_tabs_of(page, framework)
    ((extras, others),) = INSTALLED.findall(read)
    environment = tmp_path / "film-shop" / "python"
    make_environment(environment, "-e", f"{ROOT}{extras}", *others.split())

    with tutorial(tmp_path) as reader:
        reader.follow(read)
