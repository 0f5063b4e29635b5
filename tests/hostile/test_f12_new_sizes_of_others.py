"""
One client asks for sizes that are new, over eight connections; others want new ones too.
"""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.hostile.picture_site import PictureSite, picture_site, sizes_asked_for
from tests.hostile.strangers import OTHER
from tests.support.live import until

ASKED: Final = 20
WITHIN_S: Final = 2.0
UNDER_WAY: Final = 60
"""Answers to the one client; 20 of those that are refused come in a second."""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PictureSite]:
    with picture_site(tmp_path_factory.mktemp("f12"), videos=2) as running:
        yield running


@pytest.mark.parametrize("whose", ["attacked", "other"])
def test_new_sizes_are_made_for_others_while_one_client_asks_for_many(
    site: PictureSite, whose: str
) -> None:
    videos = getattr(site, whose)
    with sizes_asked_for(site) as theirs:
        until(lambda: len(theirs) > UNDER_WAY, within_s=60, what="the attack")
        answers = [
            site.ask(videos[number % len(videos)], f"{700 + number}x400", OTHER)
            for number in range(ASKED)
        ]

    soon = [a for a in answers if a.status == 200 and a.took_s < WITHIN_S]
    assert len(soon) >= ASKED - 1, [(a.status, a.took_s) for a in answers]
