"""
Messages of the page about links that were made.
"""

import pytest

from hvcore.domain.access.roles import Role
from tests.dashboard.mailed import Mailing
from tests.dashboard.opened import VIDEOS
from tests.dashboard.pages.videos.test_bin import next_page

TWO = "ada@example.com bob@example.com"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({}, "The share link is ready. Copy its address below.<"),
        ({"viewers": TWO}, "2 share links are ready. Copy their addresses below.<"),
        (
            {"viewers": "ada@example.com", "mail": "yes"},
            "The share link is ready. Copy its address below. It is mailed now.<",
        ),
        (
            {"viewers": TWO, "mail": "yes"},
            "2 share links are ready. Copy their addresses below. They are mailed now.<",
        ),
    ],
    ids=str,
)
def test_the_page_says_how_many_links_are_ready_and_whether_they_are_mailed(
    mailing: Mailing, sent: dict[str, str], says: str
) -> None:
    dashboard = mailing.dashboard
    path = f"{VIDEOS}/{dashboard.world.ready()}/sharing"
    person = dashboard.sign_in(Role.EDITOR)

    made = person.post(path, {"kind": "share", "days": "2", **sent})

    assert says in next_page(dashboard, person, made).text
