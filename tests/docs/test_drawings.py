"""The drawings of the documentation are what their sources and the code say."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from hvcore.domain.videos.states import TRANSITIONS, Trigger, VideoState
from tests.support.drawings import PICTURES, drawings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
MOST_BYTES = 100_000
TRANSITION = re.compile(r'(\w+) -> (\w+) \[trigger="([\w ]+)"')


@pytest.fixture(scope="module")
def drawn() -> Mapping[Path, str]:
    return drawings()


@pytest.mark.services
def test_every_drawing_is_what_its_source_gives(drawn: Mapping[Path, str]) -> None:
    old = [
        path.name
        for path, text in drawn.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]

    assert old == [], "run python -m tests.support.drawings"
    assert drawn.keys() == set(PICTURES.glob("*.svg"))


def test_the_drawing_of_states_has_every_transition() -> None:
    source = (PICTURES / "video-states.dot").read_text("utf-8")

    shown = {
        (VideoState(before), Trigger(trigger)): VideoState(after)
        for before, after, triggers in TRANSITION.findall(source)
        for trigger in triggers.split()
    }

    assert shown == TRANSITIONS
    assert source.count("->") == len(TRANSITION.findall(source))


@pytest.mark.parametrize(
    "picture", sorted(PICTURES.glob("*.[psw]*g*")), ids=lambda picture: picture.name
)
def test_a_picture_is_light_and_shown_by_a_page(picture: Path) -> None:
    pages = [page for page in PAGES if picture.name in page.read_text("utf-8")]

    assert picture.stat().st_size < MOST_BYTES
    assert pages
