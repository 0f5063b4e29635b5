"""
Who invents viewers of one organization makes nobody else's disappear.
"""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.hostile.counting_site import (
    SHOWN_WITHIN_S,
    CountingSite,
    counting_site,
)
from tests.support.live import until

MOST_OF_ONE: Final = 50
"""The share, small for the test: with its default of 20,000 the same takes minutes."""
INVENTED: Final = 2_000
_numbers = itertools.count()


@pytest.fixture(params=["bare", pytest.param("edge", marks=pytest.mark.services)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CountingSite]:
    share = {"HV_SHARES__LIVE_SESSIONS_OF_ONE": str(MOST_OF_ONE)}
    with counting_site(tmp_path, request.param, **share) as running:
        yield running


def viewer(**more: str) -> Mapping[str, str]:
    """
    Return what a new player shows; the edge knows it by its browser.
    """
    number = next(_numbers)
    return {
        "User-Agent": f"player {number}",
        "CMCD-Session": f'sid="{number}"',
        **more,
    }


@pytest.mark.cases(1)
def test_who_asks_for_a_byte_is_no_viewer(site: CountingSite) -> None:
    asks = [viewer(Range="bytes=0-0") for _ in range(INVENTED)]

    assert site.ask(site.attacked, asks) == [206] * INVENTED

    until(
        lambda: site.too_few(site.attacked) == INVENTED,
        within_s=SHOWN_WITHIN_S,
        what="the answers in explain",
    )
    live = site.watching(site.attacked)
    assert (live.viewers, live.has_more) == (0, False)


@pytest.mark.cases(1)
def test_invented_viewers_take_one_organization_s_share_and_say_so(
    site: CountingSite,
) -> None:
    site.ask(site.attacked, [viewer() for _ in range(INVENTED)])
    assert site.ask(site.other, [viewer() for _ in range(7)]) == [200] * 7

    until(
        lambda: (
            site.watching(site.other).viewers == 7
            and site.counted(site.attacked) == INVENTED
            and site.watching(site.attacked).has_more
        ),
        within_s=SHOWN_WITHIN_S,
        what="the neighbour's viewers",
    )
    ours, theirs = site.watching(site.other), site.watching(site.attacked)
    assert not ours.has_more
    # Each process has the share; one connection is served by one of them.
    assert theirs.viewers is not None
    assert MOST_OF_ONE <= theirs.viewers < INVENTED // 10
