"""
Strangers ask for every moment of a film, over many connections; others want pictures, too.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from hvcore.domain.limits import MAX_MOMENT_PICTURES
from tests.hostile.moments.site import (
    SEGMENTS,
    MomentSite,
    moment_site,
    moments_asked_for,
)
from tests.hostile.strangers import ATTACKER, OTHER, Answer, ask
from tests.support.live import until
from tests.support.stores.published import ENV, Published

ASKED: Final = 6
TRIES: Final = 12
WITHIN_S: Final = 5.0
UNDER_WAY: Final = 20
"""Answers to strangers before others ask."""
MADE: Final = 15
STRANGERS: Final = tuple(f"127.0.1.{number}" for number in range(1, 9))

pytestmark = [pytest.mark.long, pytest.mark.services, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MomentSite]:
    with moment_site(tmp_path_factory.mktemp("f16")) as running:
        yield running


def told(line: str) -> None:
    """
    Show a line of figures, for docs/measured; ``-s`` shows it of a test that passes.
    """
    sys.stdout.write(f"{line}\n")


def told_times(title: str, answers: Sequence[Answer]) -> None:
    times_ms = sorted(int(one.took_s * 1000) for one in answers)
    middle, longest = times_ms[len(times_ms) // 2], times_ms[-1]
    ok = sum(one.status == 200 for one in answers)
    told(f"{title}: {ok} of {len(answers)}, {middle} ms, {longest} ms at most")


def asks_for(
    site: MomentSite, film: Published, count: int, first_px: int
) -> list[Answer]:
    """
    Ask as one client for new moments, one after the other, each until it is there.
    """
    answers: list[Answer] = []
    for number in range(count):
        name, time_s = f"{first_px + number}x300.jpg", 1 + number
        for _ in range(TRIES):
            answers.append(site.moment(film, name, time_s, OTHER))
            if answers[-1].status == 200:
                break
    return answers


@pytest.mark.parametrize("whose", ["attacked", "other"])
def test_a_moment_is_made_for_others_while_one_client_asks_for_all(
    site: MomentSite, whose: str
) -> None:
    film = getattr(site, whose)
    with moments_asked_for(site, [ATTACKER]) as storm:
        until(lambda: len(storm.statuses) > UNDER_WAY, within_s=90, what="the storm")
        before = storm.made
        answers = asks_for(site, film, ASKED, first_px=500)
        theirs = storm.made - before

    mine = [one for one in answers if one.status == 200]
    told_times(f"moments of the {whose} film beside one stranger's {theirs}", answers)
    assert {*storm.statuses} <= {200, 503}
    assert len(mine) == ASKED
    # Of two places a client has one, however often it asks.
    assert len(mine) >= theirs / 3


def test_many_strangers_hold_up_no_thumbnail_no_segment_and_no_other_organization(
    site: MomentSite,
) -> None:
    port, film = site.server.port, site.attacked
    wanted = {
        "thumbnails": [f"/t/{film.id}/{300 + n}x200.jpg" for n in range(ASKED)],
        "segments": [
            f"/v1/public/org_a/{ENV}/{film.id}/video/360p/{n % SEGMENTS}.m4s"
            for n in range(ASKED)
        ],
    }
    with moments_asked_for(site, STRANGERS) as storm:
        until(lambda: len(storm.statuses) > UNDER_WAY, within_s=90, what="the storm")
        found = {
            name: [ask(port, path, address=OTHER) for path in paths]
            for name, paths in wanted.items()
        }
        before = storm.made
        moments = asks_for(site, site.other, ASKED, first_px=400)
        theirs = storm.made - before

    for name, answers in found.items():
        told_times(f"{name} beside eight strangers", answers)
        late = [a for a in answers if a.status != 200 or a.took_s > WITHIN_S]
        assert len(late) <= 1, (name, [(a.status, a.took_s) for a in late])
    told_times(f"another organization's moments beside {theirs} of theirs", moments)
    mine = [one for one in moments if one.status == 200]
    assert len(mine) == ASKED
    # Organizations take turns, however many clients ask for the pictures of one.
    assert len(mine) >= theirs / 4
    assert {*storm.statuses} <= {200, 503}


def test_every_moment_of_a_film_leaves_200_pictures_in_the_storage(
    site: MomentSite,
) -> None:
    site.fill(site.attacked, MAX_MOMENT_PICTURES - 3)
    with moments_asked_for(site, STRANGERS) as storm:
        until(lambda: storm.made >= MADE, within_s=300, what="as many pictures")

    told(f"{len(storm.statuses)} answers, {storm.made} pictures")
    assert site.kept(site.attacked) == MAX_MOMENT_PICTURES
