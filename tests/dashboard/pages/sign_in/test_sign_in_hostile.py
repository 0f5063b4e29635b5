"""
What strangers, other sites and a provider that is down can do to sign-in: nothing.
"""

from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import quote

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import SignInOutcome, SignInPages, SignInProvider, SignInStart
from tests.conftest import SettableClock
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, PersonClient
from tests.support.http.world import ORG

LINK = "/dashboard/sign-in/link"
BEGIN = "/dashboard/sign-in/begin"


class SilentProvider(SignInProvider):
    """
    Does not answer, and counts how often it is asked.
    """

    def __init__(self) -> None:
        self.asked = 0

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        raise UnavailableError

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        raise UnavailableError

    def refresh(self, refresh_state: str) -> SignInOutcome:
        self.asked += 1
        raise UnavailableError("The sign-in provider does not answer; try again soon.")


@pytest.fixture
def silent() -> SilentProvider:
    return SilentProvider()


@pytest.fixture
def ada(
    dashboard: Dashboard, silent: SilentProvider, clock: SettableClock
) -> PersonClient:
    """
    Somebody whose provider is to be asked, and is down.
    """
    sessions = dashboard.world.services.sign_in_sessions
    assert isinstance(sessions.providers, dict)
    sessions.providers["silent"] = silent
    identity = Identity(subject="ada", name="Ada", roles={OrgId(ORG): Role.VIEWER})
    started = sessions.start("silent", SignInOutcome(identity=identity))
    clock.move(timedelta(minutes=5))
    return PersonClient(client=dashboard.client, session=started)


def code_of(dashboard: Dashboard) -> str:
    made = dashboard.world.services.sign_in_links.for_operator(name="Olga")
    return made.address.partition("#")[2]


def test_who_leaves_may_while_the_provider_is_down(
    ada: PersonClient, silent: SilentProvider, dashboard: Dashboard
) -> None:
    answer = ada.post("/dashboard/sign-out")

    assert answer.status_code == 200
    assert silent.asked == 0
    sessions = dashboard.world.services.sign_in_sessions
    assert sessions.holder_of(ada.session.value) is None


def test_who_leaves_needs_the_token_of_the_session(ada: PersonClient) -> None:
    assert ada.post("/dashboard/sign-out", {"change_token": "x"}).status_code == 403
    assert ada.get(VIDEOS).status_code == 503


def test_a_provider_that_is_down_is_asked_once_a_page(
    ada: PersonClient, silent: SilentProvider
) -> None:
    answer = ada.get(VIDEOS)

    assert answer.status_code == 503
    assert "provider does not answer" in answer.text
    assert "Ada" not in answer.text
    assert silent.asked == 1


def test_links_are_found_while_the_provider_is_down(ada: PersonClient) -> None:
    assert LINK in ada.get("/dashboard/sign-in").text
    assert ada.get(LINK).status_code == 200


def test_signing_in_anew_ends_the_session_before(dashboard: Dashboard) -> None:
    """
    Whoever had the old value, such as somebody who planted it, has nothing.
    """
    before = dashboard.sign_in(Role.ADMIN)

    answer = before.send("POST", LINK, fields={"code": code_of(dashboard)})

    assert answer.status_code == 303
    new = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert new != before.session.value
    assert before.get(VIDEOS).status_code == 303
    assert dashboard.get(VIDEOS, Cookie=f"{SESSION}={new}").status_code == 200


def test_a_session_that_the_browser_brings_is_never_taken_for_a_new_one(
    dashboard: Dashboard,
) -> None:
    chosen = "x" * 43

    answer = dashboard.client.simulate_post(
        LINK,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": f"{SESSION}={chosen}",
        },
        body=f"code={code_of(dashboard)}",
        host="api.test",
    )

    assert answer.status_code == 303
    assert chosen not in answer.headers["set-cookie"]
    assert dashboard.get(VIDEOS, Cookie=f"{SESSION}={chosen}").status_code == 303


@pytest.mark.parametrize("kind", ["image", "iframe", "empty", "script"])
@pytest.mark.parametrize("path", [BEGIN, "/dashboard/sign-in/callback"])
def test_no_part_of_a_page_begins_or_ends_a_sign_in(
    dashboard: Dashboard, path: str, kind: str
) -> None:
    """
    Another site's pictures do not use up the attempts of a person's address, nor the
    cookie of a sign-in that has begun.
    """
    answer = dashboard.get(path, **{"Sec-Fetch-Dest": kind})

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert dashboard.get(BEGIN, **{"Sec-Fetch-Dest": "document"}).status_code == 303


def test_a_cookie_without_the_prefix_is_nothing_with_tls(
    dashboard: Dashboard,
) -> None:
    """
    Pages of other ports and subdomains can set it, but none with ``__Host-``.
    """
    person = dashboard.sign_in(Role.VIEWER)

    tossed = dashboard.get(VIDEOS, Cookie=f"hv_session={person.session.value}")

    assert tossed.status_code == 303


def test_the_cookies_of_sign_in_are_for_this_host_alone(
    dashboard: Dashboard,
) -> None:
    begun = dashboard.get(BEGIN).headers["set-cookie"]
    started = dashboard.client.simulate_post(
        LINK,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=f"code={code_of(dashboard)}",
        host="api.test",
    ).headers["set-cookie"]

    for cookie in (begun, started):
        name, *flags = cookie.split("; ")
        assert name.startswith("__Host-")
        assert {"Path=/", "HttpOnly", "Secure", "SameSite=Lax"} <= set(flags)
        assert not [flag for flag in flags if flag.startswith("Domain")]


@pytest.mark.parametrize(
    "path",
    [
        "/dashboard/%2e%2e/v1",
        "/dashboard/%2E./docs",
        "/dashboard//evil.example",
        "/dashboard/./x",
        "/dashboard/sign-out",
        "/dashboard\t/x",
        "/dashboard/\u202e",
        "/dashboard/" + "x" * 5000,
    ],
)
def test_nobody_is_led_out_of_the_dashboard(dashboard: Dashboard, path: str) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get("/dashboard/sign-in", f"next={quote(path, safe='')}")

    assert answer.headers["location"] == "/dashboard/"


def test_a_query_may_have_addresses_in_it(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)
    wanted = f"{VIDEOS}?search=https://x.example/../y"

    answer = person.get("/dashboard/sign-in", f"next={quote(wanted, safe='')}")

    assert answer.headers["location"] == wanted


def test_a_link_is_used_by_a_button_and_by_no_script() -> None:
    """
    Whoever is sent a link of somebody else must not become that person by opening it,
    and programs that look at links must not use them up.
    """
    from hvcore_dashboard.assets import STATIC  # noqa: PLC0415 - what browsers get

    script = (STATIC / "sign-in.js").read_text()

    assert "submit" not in script.lower()
    assert "click()" not in script


@pytest.mark.parametrize("value", ["W" * 6000, "W1tb", "bnVsbA==", "W1siYSJdXQ=="])
def test_messages_that_are_not_ours_break_nothing(
    dashboard: Dashboard, value: str
) -> None:
    answer = dashboard.get("/dashboard/sign-in", Cookie=f"__Host-hv_messages={value}")

    assert answer.status_code == 200
