"""The site's search lists the pages that answer a task first."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.services
SCORER = Path(__file__).parents[2] / "docs" / "search_scorer.js"


def scores_of(pages: dict[str, int]) -> dict[str, float]:
    """Return the scores that the search gives to pages, by the scores that Sphinx gave."""
    node = shutil.which("node")
    assert node is not None
    results = [[page, "", "", None, score] for page, score in pages.items()]
    program = (
        f"{SCORER.read_text('utf-8')}"
        f"console.log(JSON.stringify({json.dumps(results)}.map(Scorer.score)));"
    )
    done = subprocess.run([node, "-e", program], capture_output=True, check=True)
    return dict(zip(pages, json.loads(done.stdout), strict=True))


def test_how_to_pages_and_tutorials_come_before_reference_and_decisions() -> None:
    pages = ("tutorials/a", "how-to/a", "operating", "reference/a", "decisions/1-a")

    scores = scores_of(dict.fromkeys(pages, 15))

    assert list(scores.values()) == [22.5, 22.5, 22.5, 15, 5]


def test_measurements_and_pages_about_the_project_come_last() -> None:
    pages = ("measured/a", "changes", "contributing", "security")

    scores = scores_of(dict.fromkeys(pages, 15))

    assert set(scores.values()) == {5}


def test_a_decision_whose_title_matches_comes_before_a_page_that_only_names_the_word() -> (
    None
):
    scores = scores_of({"decisions/1-a": 100, "how-to/a": 5})

    assert scores["decisions/1-a"] > scores["how-to/a"]
