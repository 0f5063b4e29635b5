"""
Signing in by a link, and signing out.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.settings.sign_in import SignInSettings
from hvcore_dashboard.forms import URLENCODED
from tests.conftest import SettableClock
from tests.dashboard.conftest import open_dashboard
from tests.dashboard.opened import ORIGIN, SESSION, VIDEOS, Dashboard
from tests.support.http.fixtures import Template
from tests.support.http.world import ORG, OTHER_ORG

RETURN = "__Host-hv_return"
LINK = "/dashboard/sign-in/link"


def code_of(dashboard: Dashboard) -> str:
    made = dashboard.world.services.sign_in_links.for_operator(name="Olga")
    return made.address.partition("#")[2]


def entered(dashboard: Dashboard, code: str, **headers: str) -> Result:
    return dashboard.client.simulate_post(
        LINK,
        headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
        body=f"code={code}",
        host="api.test",
    )


def test_a_link_signs_in_once(dashboard: Dashboard) -> None:
    code = code_of(dashboard)
    # Programs that look at links beforehand use nothing up.
    assert dashboard.get(LINK).status_code == 200

    first = entered(dashboard, code)
    second = entered(dashboard, code)

    assert first.status_code == 303
    assert first.headers["location"] == "/dashboard/"
    assert SESSION in first.headers["set-cookie"]
    assert second.status_code == 403
    assert 'role="alert"' in second.text
    assert "set-cookie" not in second.headers
    assert code not in second.text


def remembered(answer: Result) -> str:
    """
    Return the cookie that names the page that was asked for, as browsers send it.
    """
    return f"{RETURN}={answer.cookies[RETURN].value}"


def test_a_link_leads_to_the_page_that_was_asked_for(dashboard: Dashboard) -> None:
    asked = dashboard.get(f"{VIDEOS}?search=a+b&env=dev")
    page = dashboard.get(asked.headers["location"])

    answer = entered(dashboard, code_of(dashboard), Cookie=remembered(page))

    assert answer.headers["location"] == f"{VIDEOS}?search=a+b&env=dev"
    assert answer.cookies[RETURN].value == ""


@pytest.mark.parametrize(
    ("sent_to", "page"),
    [
        (f"{VIDEOS}/vid_a", f"{VIDEOS}/vid_a"),
        (f"{VIDEOS}/vid_a/captions/remove", f"{VIDEOS}/vid_a/captions"),
        (f"{VIDEOS}/delete", VIDEOS),
        (f"/dashboard/{ORG}/members/m/role", f"/dashboard/{ORG}/members/m"),
        (f"/dashboard/organizations/{ORG}/limits", f"/dashboard/organizations/{ORG}"),
        ("/dashboard/nothing/is/here", "/dashboard/"),
    ],
)
def test_a_form_without_a_session_leads_back_to_its_page(
    dashboard: Dashboard, sent_to: str, page: str
) -> None:
    refused = dashboard.client.simulate_post(
        sent_to, headers={"Content-Type": URLENCODED}, body="x=y", host="api.test"
    )
    cookie = remembered(refused) if refused.status_code == 401 else ""

    answer = entered(dashboard, code_of(dashboard), Cookie=cookie)

    assert answer.headers["location"] == page
    if cookie:
        assert f"next={quote(page, safe='')}" in refused.text
        assert "what you wrote is kept in this tab" in refused.text


def test_a_link_leads_nobody_to_pages_of_others(dashboard: Dashboard) -> None:
    page = dashboard.get(f"/dashboard/sign-in?next={quote(VIDEOS)}")
    services = dashboard.world.services
    other = services.members.add(OTHER_ORG, role=Role.ADMIN, name="Otto")
    link = services.sign_in_links.for_member(OTHER_ORG, other.id).address

    answer = entered(dashboard, link.partition("#")[2], Cookie=remembered(page))

    assert answer.headers["location"] == "/dashboard/"


@pytest.mark.parametrize(
    "value", ["", "%", "x", "aHR0cHM6Ly9ldmlsLmV4YW1wbGU=", "/w=="]
)
def test_a_cookie_that_is_none_leads_to_the_start(
    dashboard: Dashboard, value: str
) -> None:
    answer = entered(dashboard, code_of(dashboard), Cookie=f"{RETURN}={value}")

    assert answer.headers["location"] == "/dashboard/"


@pytest.mark.parametrize("code", ["", "x", "%00", "x" * 5000, "<script>"])
def test_a_code_that_never_was_is_refused(dashboard: Dashboard, code: str) -> None:
    answer = entered(dashboard, quote(code))

    assert answer.status_code == 403
    assert "<script>" not in answer.text


@pytest.fixture
def strict(
    _template: Template, static: Path, tmp_path: Path, clock: SettableClock
) -> Iterator[Dashboard]:
    """
    A dashboard where one may try to sign in once a minute.
    """
    once = SignInSettings(attempts_per_minute=1)
    with open_dashboard(_template, tmp_path, static, clock, sign_in=once) as made:
        yield made


def test_a_code_too_many_is_refused_on_the_page_of_codes(strict: Dashboard) -> None:
    entered(strict, "x")

    answer = entered(strict, code_of(strict))

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert 'role="alert">Too many attempts to sign in; wait a minute' in answer.text
    assert 'name="code"' in answer.text
    assert "set-cookie" not in answer.headers


def test_another_site_cannot_sign_a_browser_in(dashboard: Dashboard) -> None:
    answer = entered(dashboard, code_of(dashboard), Origin="https://evil.example")

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_page_says_how_one_signs_in(dashboard: Dashboard) -> None:
    text = dashboard.get("/dashboard/sign-in").text

    assert "hv dashboard link" in text
    assert LINK in text


def test_who_is_signed_in_is_led_on(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get("/dashboard/sign-in", f"next={quote(VIDEOS)}")

    assert answer.headers["location"] == VIDEOS


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/dashboard/\\evil.example",
        "/dashboard/../v1",
        "javascript:alert(1)",
        "/dashboard.evil.example",
        "/dashboard/\r\nSet-Cookie: x=y",
        "/docs",
    ],
)
def test_nobody_is_led_elsewhere(dashboard: Dashboard, address: str) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get("/dashboard/sign-in", f"next={quote(address, safe='')}")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/dashboard/"


def test_signing_out_ends_the_session_at_once(dashboard: Dashboard) -> None:
    person, other = dashboard.sign_in(Role.VIEWER), dashboard.sign_in(Role.VIEWER)

    answer = person.post("/dashboard/sign-out")

    assert answer.status_code == 200
    assert "You are signed out" in answer.text
    assert answer.cookies[SESSION].value == ""
    assert "storage" in answer.headers["clear-site-data"]
    assert person.get(VIDEOS).status_code == 303
    assert other.get(VIDEOS).status_code == 200


def test_signing_out_everywhere_ends_all(dashboard: Dashboard) -> None:
    services = dashboard.world.services
    member = services.members.add(ORG, role=Role.VIEWER, name="Vera")
    both = [
        services.sign_ins.complete_link(
            services.sign_in_links.for_member(ORG, member.id).address.partition("#")[2],
            client_address="127.0.0.1",
        )
        for _ in range(2)
    ]
    token = both[0].person.change_token

    dashboard.client.simulate_post(
        "/dashboard/sign-out",
        headers={
            "Cookie": f"{SESSION}={both[0].value}",
            "Content-Type": "application/x-www-form-urlencoded",
        },
        body=f"change_token={token}&everywhere=yes",
    )

    for session in both:
        cookie = f"{SESSION}={session.value}"
        assert dashboard.get(VIDEOS, Cookie=cookie).status_code == 303


def test_a_sign_in_that_did_not_begin_here_is_refused(
    dashboard: Dashboard,
) -> None:
    answer = dashboard.get("/dashboard/sign-in/callback?code=x&state=y")

    assert answer.status_code == 403
    assert "Begin again" in answer.text


def test_a_person_of_no_organization_is_told_what_to_do(
    dashboard: Dashboard,
) -> None:
    operator = dashboard.sign_in(None)

    chosen = operator.get("/dashboard/")

    assert ORG in chosen.text
    assert "org_b" in chosen.text
    assert f'href="/dashboard/{ORG}/videos"' in chosen.text


def test_the_only_organization_is_not_asked_for(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    assert person.get("/dashboard/").headers["location"] == VIDEOS
    assert person.get("/dashboard").headers["location"] == "/dashboard/"
    assert person.get("/dashboard/", "choose=yes").status_code == 200


def test_a_role_that_is_too_small_says_which_is_needed(
    dashboard: Dashboard,
) -> None:
    answer = dashboard.sign_in(Role.VIEWER).get(f"/dashboard/{ORG}/upload")

    assert answer.status_code == 403
    assert "You are a viewer in org_a; this needs an editor." in answer.text


def test_a_sign_in_leads_to_where_it_goes_on(dashboard: Dashboard) -> None:
    answer = dashboard.get("/dashboard/sign-in/begin")

    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{ORIGIN}/dashboard/sign-in/link")
