"""Words that the project has given up stand in no code, page, template or message."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
LIST: Final = "docs/reference/retired-words.toml"
NOT_READ: Final = (
    *(LIST, "tests/docs/test_retired_words.py"),
    # It tells whoever upgrades what a name was before.
    "CHANGELOG.md",
    *("*LICENSE", "*.BUNDLED.txt", "THIRD_PARTY.md"),
    # History: what a released database went through is not changed any more.
    "hvcore/persistence/migrations/versions/*",
    *("*.png", "*.jpg", "*.lock", "*.woff2"),
)
_FOUND: Final = tomllib.loads((ROOT / LIST).read_text("utf-8"))
WORDS: Final[list[dict[str, Any]]] = _FOUND["word"]
STAYS: Final[list[dict[str, Any]]] = _FOUND["stays"]
RETIRED: Final = re.compile(
    "|".join(rf"\b(?:{form})\b" for word in WORDS for form in word["forms"])
)
_HUMP: Final = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def spelled(text: str) -> str:
    """Return a text in lower case, with each word of an identifier by itself."""
    return _HUMP.sub(" ", text).lower()


def without_what_stays(name: str, text: str) -> str:
    for one in STAYS:
        if any(fnmatch(name, pattern) for pattern in one["where"]):
            text = re.sub(one["text"], "", text)
    return text


def tracked_files() -> list[str]:
    told = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [
        name
        for name in told.stdout.splitlines()
        if not any(fnmatch(name, pattern) for pattern in NOT_READ)
        and (ROOT / name).is_file()
    ]


def retired_words_of(name: str) -> list[str]:
    try:
        text = f"{name}\n{(ROOT / name).read_text('utf-8')}"
    except UnicodeDecodeError:
        return []
    if not RETIRED.search(spelled(text)):
        return []
    return [
        f"{name}:{number}: {found[0]}"
        # The name itself is line 0.
        for number, line in enumerate(text.splitlines())
        for found in RETIRED.finditer(spelled(without_what_stays(name, line)))
    ]


@pytest.mark.parametrize(
    "text",
    ["StoreNotices", "the purger's", "_drain(", "HV_EDGE__PURGERS", "Mended, it"],
)
def test_a_retired_word_is_recognized_in_identifiers_and_sentences(text: str) -> None:
    assert RETIRED.search(spelled(text))


@pytest.mark.parametrize("text", ["recommended", "viewers notice 40 ms", "purge"])
def test_an_ordinary_word_is_no_retired_one(text: str) -> None:
    assert not RETIRED.search(spelled(text))


def test_no_file_has_a_retired_word() -> None:
    found = [line for name in tracked_files() for line in retired_words_of(name)]

    assert found == [], f"{LIST} says what to say in their place"


@pytest.mark.parametrize("one", STAYS, ids=lambda one: one["text"])
def test_every_exception_is_needed(one: dict[str, Any]) -> None:
    there = [
        name
        for name in tracked_files()
        if any(fnmatch(name, pattern) for pattern in one["where"])
    ]

    assert any(
        re.search(one["text"], (ROOT / name).read_text("utf-8")) for name in there
    )
    assert one["why"]
