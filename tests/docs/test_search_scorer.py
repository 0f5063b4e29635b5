"""The site's search lists the pages that answer a task first."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.services
SCORER = Path(__file__).parents[2] / "docs" / "search_scorer.js"


def numbers_of(expression: str) -> list[float]:
    """Return the numbers of a list in JavaScript that uses the scorer of the search."""
    node = shutil.which("node")
    assert node is not None
    program = f"{SCORER.read_text('utf-8')}console.log(JSON.stringify({expression}))"
    done = subprocess.run([node, "-e", program], capture_output=True, check=True)
    numbers: list[float] = json.loads(done.stdout)
    return numbers


def weight_of(page: str) -> float:
    return numbers_of(f"[Scorer.weightOf({json.dumps(page)})]")[0]


def likeness_of(title: str, query: str) -> float:
    return numbers_of(f"[Scorer.likenessOf({json.dumps(title)}, {json.dumps(query)})]")[
        0
    ]


def test_a_guide_is_listed_before_reference_and_decisions() -> None:
    pages = ("how-to/a", "reference/ports/A", "decisions/1-a")
    results = [[page, "A", "", None, 15] for page in pages]

    scores = numbers_of(f"{json.dumps(results)}.map(Scorer.score)")

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(pages)


@pytest.mark.parametrize(
    "page", ["tutorials/a", "how-to/plugins/a", "operating", "reference/http/a"]
)
def test_a_page_that_answers_a_task_weighs_more(page: str) -> None:
    assert weight_of(page) > 1


@pytest.mark.parametrize("page", ["decisions/1-a", "measured/a", "changes", "security"])
def test_a_page_of_history_weighs_less(page: str) -> None:
    assert weight_of(page) < 1


def test_a_title_with_all_words_of_the_query_is_listed_before_one_with_some() -> None:
    whole = likeness_of("Resumable uploads", "resume upload")
    half = likeness_of("Receive uploads", "resume upload")
    none = likeness_of("Glossary", "resume upload")

    assert (whole, none) == (4, 1)
    assert none < half < whole


def test_a_query_without_words_changes_no_score() -> None:
    assert likeness_of("Glossary", "") == 1
