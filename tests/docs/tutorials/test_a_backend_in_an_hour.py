"""The tutorial for authors of plugins holds word by word."""

import subprocess
from pathlib import Path

import pytest

from tests.docs.tutorials.running import PAGES, ROOT, make_environment, tutorial

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]


def test_a_reader_writes_and_installs_a_backend(tmp_path: Path) -> None:
    author = tmp_path / "partners" / "author"
    make_environment(author, "-e", f"{ROOT}[all,testing]")
    make_environment(tmp_path / "partners" / "server", "-e", f"{ROOT}[all]")
    # The build of a wheel fetches it.
    wheels = tmp_path / "wheels"
    subprocess.run(
        [
            *(author / "bin" / "python", "-m", "pip", "--quiet", "download"),
            *("--no-deps", "--dest", wheels, "setuptools>=77"),
        ],
        check=True,
        timeout=120,
    )
    fetching = {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": (tmp_path / "nothing").as_uri(),
        "PIP_FIND_LINKS": str(wheels),
    }

    with tutorial(tmp_path, fetching) as reader:
        reader.follow((PAGES / "a-backend-in-an-hour.md").read_text("utf-8"))
