"""The changelog speaks to each audience under one heading, and is that of the version."""

import re
from pathlib import Path

import hvcore

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
AUDIENCES = [
    "API and player clients",
    "Plugin authors",
    "Platform teams",
    "Deployers",
]


def test_the_newest_version_has_one_heading_for_each_audience() -> None:
    newest = CHANGELOG.split("\n## ")[1]

    assert re.findall(r"^### (.*)$", newest, re.MULTILINE) == AUDIENCES


def test_the_newest_version_is_that_of_the_code() -> None:
    assert CHANGELOG.split("\n## ")[1].startswith(hvcore.__version__)


def test_the_next_breaking_version_is_named_and_ahead() -> None:
    page = (ROOT / "docs/reference/compatibility.md").read_text("utf-8")

    (named,) = re.findall(r"\*\*(\d+\.\d+\.\d+) is the next version", page)

    ahead, present = (
        [int(number) for number in version.split(".")]
        for version in (named, hvcore.__version__)
    )
    assert ahead[:2] == [present[0], present[1] + 1]
    assert f"hvcore>=0.{present[1]},<{ahead[0]}.{ahead[1]}" in page
