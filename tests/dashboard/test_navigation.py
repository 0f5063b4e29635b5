"""
The navigation of the dashboard, and its choice of an environment.
"""

import re

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import EnvironmentKind
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, PersonClient
from tests.support.http.world import ORG, OTHER_ORG

PLACE = "__Host-hv_last"
SYSTEM = "/dashboard/system"
ORGANIZATIONS = "/dashboard/organizations"


def led_on(person: PersonClient, seen: Result, path: str) -> Result:
    """
    Open another page with the cookies that a page has set.
    """
    place = seen.cookies[PLACE].value
    cookie = f"{SESSION}={person.session.value}; {PLACE}={place}"
    return person.get(path, Cookie=cookie)


def navigation(answer: Result) -> list[str]:
    """
    Return the addresses in the navigation of a page.
    """
    nav = answer.text.partition('<nav id="navigation"')[2].partition("</nav>")[0]
    return re.findall(r'href="([^"]+)"', nav)


@pytest.mark.parametrize(
    "path", [SYSTEM, ORGANIZATIONS, f"{ORGANIZATIONS}/{OTHER_ORG}", "/dashboard/"]
)
def test_pages_of_operators_keep_the_navigation(
    dashboard: Dashboard, path: str
) -> None:
    person = dashboard.sign_in(None)
    seen = person.get(VIDEOS)

    page = led_on(person, seen, path)

    assert page.status_code == 200
    assert navigation(page) == navigation(seen)
    assert VIDEOS in navigation(page)


def test_the_environment_of_the_page_before_is_kept(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(None)
    seen = person.get(VIDEOS, "env=dev")

    page = led_on(person, seen, SYSTEM)

    assert f"{VIDEOS}?env=dev" in navigation(page)
    assert '<span class="crumb">dev</span>' in page.text


@pytest.mark.parametrize(
    "value", ["org_none.", f"{OTHER_ORG}.", f"{ORG}.env_none", "x", ".", "%00", "a b"]
)
def test_a_place_that_is_not_the_persons_leads_nowhere(
    dashboard: Dashboard, value: str
) -> None:
    person = dashboard.sign_in(Role.VIEWER)
    cookie = f"{SESSION}={person.session.value}; {PLACE}={value}"

    page = person.get("/dashboard/", "choose=yes", Cookie=cookie)

    assert page.status_code == 200
    assert navigation(page) == []
    assert "Environment</p>" not in page.text


def test_without_a_page_before_there_are_pages_of_operators_alone(
    dashboard: Dashboard,
) -> None:
    page = dashboard.sign_in(None).get(SYSTEM)

    assert navigation(page) == [SYSTEM, ORGANIZATIONS]


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("videos", "videos"),
        ("videos/VIDEO", "videos"),
        ("videos/VIDEO/captions", "videos"),
        ("upload", "upload"),
        ("analytics", "analytics"),
        ("keys/new", "keys"),
        ("members/new", "members"),
    ],
)
def test_another_environment_leads_to_its_list(
    dashboard: Dashboard, path: str, leads_to: str
) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.ADMIN)
    below = f"/dashboard/{ORG}"

    page = person.get(f"{below}/{path.replace('VIDEO', video_id)}").text

    menu = page.partition("Environment</p>")[2].partition("<hr>")[0]
    assert f'href="{below}/{leads_to}?env=dev"' in menu
    assert f'href="{below}/{leads_to}?env=live"' in menu


def test_another_environment_is_chosen_from_a_page_of_operators(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(None)

    page = led_on(person, person.get(VIDEOS), SYSTEM).text

    assert f'href="{VIDEOS}?env=dev"' in page


def test_signing_out_leaves_no_place_in_the_browser(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    left = person.post("/dashboard/sign-out")

    assert left.cookies[PLACE].value == ""


def test_an_organization_without_an_environment_is_kept_too(
    dashboard: Dashboard,
) -> None:
    tenants = dashboard.world.services.tenants
    tenants.create_organization("org_new")
    person = dashboard.sign_in(None)
    seen = person.get("/dashboard/org_new/videos")

    page = led_on(person, seen, SYSTEM)
    tenants.create_environment("org_new", "dev", EnvironmentKind.DEVELOPMENT)

    assert "/dashboard/org_new/videos" in navigation(page)
    assert "/dashboard/org_new/videos?env=dev" in led_on(person, seen, SYSTEM).text
