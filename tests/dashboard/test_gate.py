"""
Every route with every role: the table of routes is the promise.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.throttling.turns import client_of_turn, having_turn
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import Audience, PageRoute
from tests.dashboard.opened import ORIGIN, Dashboard, PersonClient, same_for_all
from tests.support.http.world import ORG, OTHER_ORG

pytestmark = pytest.mark.matrix

SignIn = Callable[[Role | None, PageRoute], PersonClient]
ROLES: Final = {role.value: role for role in Role} | {"operator": None}
UNKNOWN: Final = "org_zz"
IDS: Final = [f"{route.method} {route.path}" for route in ROUTES]
CHANGES: Final = [route for route in ROUTES if route.method == "POST"]
CHANGE_IDS: Final = [route.path for route in CHANGES]


def path_of(route: PageRoute, *, org: str = ORG, video: str = "vid_none") -> str:
    path = route.path.replace("{org_id}", org).replace("{video_id}", video)
    return re.sub(r"{\w+}", "none", path)


def send(person: PersonClient, route: PageRoute, path: str) -> Result:
    return person.post(path) if route.method == "POST" else person.get(path)


@pytest.fixture(scope="module")
def signed_in(shared: Dashboard) -> SignIn:
    """
    People who are signed in once for all tests, but for pages that end a session.
    """
    once = cache(shared.sign_in)
    return lambda role, route: (shared.sign_in if route.leaves else once)(role)


def is_allowed(route: PageRoute, role: Role | None) -> bool:
    if isinstance(route.needs, Role):
        return role is None or role.includes(route.needs)
    return route.needs is not Audience.OPERATORS or role is None


@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_who_is_not_signed_in_is_led_to_sign_in(
    shared: Dashboard, route: PageRoute
) -> None:
    answer = shared.client.simulate_request(route.method, path_of(route))

    if route.needs is Audience.EVERYBODY:
        assert not answer.headers.get("location", "").startswith(
            "/dashboard/sign-in?next="
        )
        assert answer.status_code != 401
    elif route.method == "GET" and not route.is_for_scripts:
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/dashboard/sign-in")
    else:
        assert answer.status_code == 401


@pytest.mark.parametrize("name", ROLES)
@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if route.needs is not Audience.EVERYBODY],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_a_role_opens_what_it_is_for(
    signed_in: SignIn, route: PageRoute, name: str
) -> None:
    role = ROLES[name]

    answer = send(signed_in(role, route), route, path_of(route))

    if is_allowed(route, role):
        # What it names need not exist.
        assert answer.status_code not in {401, 403}
        assert answer.status_code < 500
    elif isinstance(route.needs, Role):
        assert answer.status_code == 403
    else:
        assert answer.status_code == 404


@pytest.mark.parametrize("role", Role, ids=lambda role: role.value)
@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if isinstance(route.needs, Role)],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_a_foreign_organization_looks_like_none(
    signed_in: SignIn, route: PageRoute, role: Role
) -> None:
    person = signed_in(role, route)

    foreign = send(person, route, path_of(route, org=OTHER_ORG))
    unknown = send(person, route, path_of(route, org=UNKNOWN))

    assert foreign.status_code == unknown.status_code == 404
    assert same_for_all(foreign) == same_for_all(unknown)
    assert OTHER_ORG not in foreign.text


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if "{video_id}" in route.path],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_a_foreign_video_looks_like_none(shared: Dashboard, route: PageRoute) -> None:
    theirs = shared.world.ready(shared.world.other_env)
    person = shared.sign_in(Role.ADMIN)
    nobodys = "vid_" + "0" * 22

    foreign = send(person, route, path_of(route, video=theirs))
    unknown = send(person, route, path_of(route, video=nobodys))

    assert foreign.status_code == unknown.status_code
    assert foreign.status_code in {303, 404}
    texts = [
        same_for_all(answer).replace(video, "VIDEO")
        for answer, video in ((foreign, theirs), (unknown, nobodys))
    ]
    assert texts[0] == texts[1]


FORGERIES: Final = {
    "no token": ({}, {}),
    "a wrong token": ({"change_token": "0" * 64}, {}),
    "a wrong header": ({}, {"X-HV-Change-Token": "0" * 64}),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize(
    "route",
    [route for route in CHANGES if route.needs is not Audience.EVERYBODY],
    ids=lambda route: route.path,
)
def test_a_change_without_the_token_is_refused(
    signed_in: SignIn, route: PageRoute, forgery: str
) -> None:
    fields, headers = FORGERIES[forgery]

    answer = signed_in(None, route).send(
        "POST", path_of(route), fields=fields, headers=headers
    )

    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"{ORIGIN}:8443"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
    ids=str,
)
@pytest.mark.parametrize("route", CHANGES, ids=CHANGE_IDS)
def test_a_change_from_elsewhere_is_refused(
    signed_in: SignIn, route: PageRoute, headers: dict[str, str]
) -> None:
    answer = signed_in(None, route).post(path_of(route), **headers)

    assert answer.status_code == 403


def test_a_token_of_another_session_is_refused(shared: Dashboard) -> None:
    first, second = shared.sign_in(Role.ADMIN), shared.sign_in(Role.ADMIN)
    token = first.session.person.change_token

    answer = second.send(
        "POST", f"/dashboard/{ORG}/videos/delete", fields={"change_token": token}
    )

    assert answer.status_code == 403


def test_addresses_do_not_change_anything() -> None:
    # Whatever changes is a POST, which the gate judges.
    assert {route.method for route in ROUTES} == {"GET", "POST"}


def test_an_address_takes_turns_as_the_organization_whose_page_it_opens(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.VIEWER)
    with having_turn("an address", end=bool):
        assert person.get(f"/dashboard/{OTHER_ORG}/videos").status_code == 404
        assert client_of_turn() == "an address"

        assert person.get(f"/dashboard/{ORG}/videos").status_code == 200

        assert client_of_turn() == ORG
