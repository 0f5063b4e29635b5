"""What the distributions say of themselves is complete, and of one version."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hvcore import __version__

ROOT = Path(__file__).parents[2]
RELEASED = {"hvcore": ROOT, "hvcore-client": ROOT / "contrib" / "hvcore_client"}
VERSION_LINE = re.compile(r'^__version__: Final = "(.+)"$', re.MULTILINE)


def described(name: str) -> Mapping[str, Any]:
    text = (RELEASED[name] / "pyproject.toml").read_text("utf-8")
    project: Mapping[str, Any] = tomllib.loads(text)["project"]
    return project


@pytest.mark.parametrize("name", RELEASED)
def test_a_distribution_says_what_an_index_asks_for(name: str) -> None:
    project = described(name)

    assert project["name"] == name
    assert project["description"]
    assert project["keywords"]
    assert project["requires-python"] == ">=3.11"
    assert project["license"] == "Apache-2.0"
    assert "LICENSE" in project["license-files"]
    for file in (project["readme"], *project["license-files"]):
        assert (RELEASED[name] / file).is_file()
    assert any(one.startswith("Development Status") for one in project["classifiers"])
    assert "Typing :: Typed" in project["classifiers"]


def test_the_client_has_the_version_of_the_service() -> None:
    text = (RELEASED["hvcore-client"] / "version.py").read_text("utf-8")

    assert VERSION_LINE.findall(text) == [__version__]
