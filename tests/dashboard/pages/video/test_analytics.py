"""
The analytics of a video on its page.
"""

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard


def test_analytics_of_nothing_say_what_to_do(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"
    person = dashboard.sign_in(Role.VIEWER)

    empty, days = person.get(f"{path}/analytics"), "startDate=2026-13-01"
    wrong = person.get(f"{path}/analytics", days)
    viewers = person.fragment(f"{path}/viewers")

    assert "Nothing was watched yet" in empty.text
    assert wrong.status_code == 200
    assert 'role="alert"' in wrong.text
    assert 'id="viewers"' in viewers.text
