"""
A real OpenID provider: people sign in to the dashboard there, in a real browser, and
programs call the API with its access tokens.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import attrs
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.dashboard.openid_provider import RunningProvider, running_provider
from tests.e2e.people import ORG
from tests.support.live import Answer, LiveService, live_service, request, until

CLIENT: Final = "hv-dashboard"
AUDIENCE: Final = "https://videos.example.com"
SECRET: Final = "a secret+with/signs=and more"
ADA: Final = {
    "name": "Ada <b>Lovelace</b>",
    "email": "ada@example.com",
    "email_verified": True,
    "groups": [f"{ORG}:editor"],
}
VIDEOS: Final = f"/dashboard/{ORG}/videos"


@attrs.frozen(kw_only=True)
class SignInHouse:
    """
    A service whose people sign in at the provider.
    """

    service: LiveService
    provider: RunningProvider

    @property
    def videos(self) -> str:
        """
        The address where one begins.
        """
        return f"{self.service.api}{VIDEOS}"

    def sign_in(self, page: Page, name: str = "ada") -> None:
        """
        Sign in from the first page to the last.
        """
        page.goto(self.videos)
        page.get_by_role("link", name="Sign in", exact=True).click()
        page.get_by_label("Name").fill(name)
        page.get_by_role("button", name="Sign in here").click()

    def log(self) -> str:
        """
        Return what the service has logged.
        """
        data = self.service.data
        files = [data.with_name(data.name + ".log"), *(data / "logs").glob("*")]
        return "\n".join(file.read_text() for file in files)


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def shared(
    provider: RunningProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SignInHouse]:
    folder = tmp_path_factory.mktemp("oidc")
    secret = folder / "secret"
    secret.write_text(f"{SECRET}\n")
    with live_service(
        folder,
        HV_SIGN_IN__BACKEND="oidc",
        HV_SIGN_IN__OIDC__ISSUER=provider.issuer,
        HV_SIGN_IN__OIDC__CLIENT_ID=CLIENT,
        HV_SIGN_IN__OIDC__CLIENT_SECRET_FILE=str(secret),
        HV_SIGN_IN__OIDC__ROLES_CLAIM="groups",
        # As good as five minutes, and nobody waits for it: every page asks.
        HV_SIGN_IN__ASKED_EVERY_S="1",
        HV_SIGN_IN__ATTEMPTS_PER_MINUTE="1000",
        HV_AUTH__PROVIDERS="api-key,oidc",
        HV_AUTH__OPTIONS__OIDC__ISSUER=provider.issuer,
        HV_AUTH__OPTIONS__OIDC__AUDIENCE=AUDIENCE,
        HV_AUTH__OPTIONS__OIDC__ORGANIZATION_CLAIM="org",
        HV_AUTH__OPTIONS__OIDC__ENVIRONMENT="live",
        HV_AUTH__OPTIONS__OIDC__PERMISSIONS="read=videos:read",
        HV_PUBLIC__CORS_ORIGINS="https://app.example.com",
    ) as service:
        root = f"{service.api}/dashboard"
        client = {
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uris": [f"{root}/sign-in/callback"],
            "post_logout_redirect_uris": [f"{root}/sign-in"],
        }
        provider.tell(client=client, organization=ORG)
        yield SignInHouse(service=service, provider=provider)


@pytest.fixture
def house(shared: SignInHouse) -> SignInHouse:
    shared.provider.tell(people={"ada": ADA}, refreshSeconds=3600, isDown=False)
    return shared


@pytest.fixture
def person(browser: Browser) -> Iterator[BrowserContext]:
    """
    A browser of one person.
    """
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def page(person: BrowserContext) -> Page:
    return person.new_page()


def refreshed(house: SignInHouse) -> int:
    return int(house.provider.tell()["refreshed"])


def opens_until(page: Page, address: str, wanted: str) -> None:
    """
    Open a page again and again, until it leads where it is to lead.
    """

    def leads_there() -> bool:
        page.goto(address)
        return page.url.startswith(wanted)

    until(leads_there, within_s=20, what=f"the way to {wanted}")


def opens_until_refreshed(page: Page, house: SignInHouse) -> None:
    """
    Use the dashboard until the provider was asked again.
    """
    before = refreshed(house)

    def is_asked() -> bool:
        assert status_of(page, house.videos) == 200
        assert page.url == house.videos
        return refreshed(house) > before

    until(is_asked, within_s=20, what="a question to the provider")


def status_of(page: Page, address: str) -> int:
    """
    Open a page; return the status of the answer.
    """
    answered = page.goto(address)
    assert answered
    return answered.status


def test_a_person_signs_in_and_comes_to_the_page_that_was_wanted(
    house: SignInHouse, page: Page, violations: list[str]
) -> None:
    page.goto(f"{house.videos}?view=table")
    page.get_by_role("link", name="Sign in", exact=True).click()
    assert page.url.startswith(house.provider.issuer)
    page.get_by_label("Name").fill("ada")
    page.get_by_role("button", name="Sign in here").click()

    page.wait_for_url(f"{house.videos}?view=table")
    expect(page.locator("body")).to_contain_text("Ada <b>Lovelace</b>")
    names = {cookie["name"] for cookie in page.context.cookies(house.videos)}
    assert "hv_session" in names
    assert "hv_sign_in" not in names
    assert violations == []


def test_the_answer_of_a_sign_in_is_good_once_and_in_one_browser(
    house: SignInHouse, page: Page, browser: Browser
) -> None:
    brought: list[str] = []
    page.on("request", lambda one: brought.append(one.url))
    house.sign_in(page)
    page.wait_for_url(house.videos)
    (answer,) = (url for url in brought if "/callback?" in url)
    stranger = browser.new_context()
    other = stranger.new_page()

    assert status_of(page, answer) == 403
    assert status_of(other, answer) == 403
    other.goto(house.videos)
    assert other.url.startswith(f"{house.service.api}/dashboard/sign-in")
    stranger.close()
    code = answer.partition("code=")[2].partition("&")[0]
    assert code not in house.log()


def test_the_membership_is_asked_again_with_tokens_that_rotate_and_are_not_logged(
    house: SignInHouse, page: Page
) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    # The second time with the token of the first answer.
    for _ in range(2):
        opens_until_refreshed(page, house)

    log = house.log()
    assert SECRET not in log
    assert "eyJ" not in log
    assert "Traceback" not in log


def test_new_keys_of_the_provider_end_no_session(
    house: SignInHouse, page: Page
) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    house.provider.tell(rotate=True)

    opens_until_refreshed(page, house)
    page.context.clear_cookies()
    house.sign_in(page)
    page.wait_for_url(house.videos)


def test_a_lost_membership_ends_the_session(house: SignInHouse, page: Page) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    house.provider.tell(people={"ada": {**ADA, "groups": []}})

    opens_until(page, house.videos, f"{house.service.api}/dashboard/sign-in")


def test_a_lost_account_ends_the_session(house: SignInHouse, page: Page) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    house.provider.tell(people={"ada": None})

    opens_until(page, house.videos, f"{house.service.api}/dashboard/sign-in")


def test_a_role_that_shrinks_shrinks_what_one_may_do(
    house: SignInHouse, page: Page
) -> None:
    upload = f"{house.service.api}/dashboard/{ORG}/upload"
    house.sign_in(page)
    page.wait_for_url(house.videos)
    assert status_of(page, upload) == 200

    house.provider.tell(people={"ada": {**ADA, "groups": [f"{ORG}:viewer"]}})
    opens_until_refreshed(page, house)

    assert status_of(page, upload) == 403


def test_an_expired_refresh_token_ends_the_session(
    house: SignInHouse, page: Page
) -> None:
    house.provider.tell(refreshSeconds=1)
    house.sign_in(page)
    page.wait_for_url(house.videos)

    opens_until(page, house.videos, f"{house.service.api}/dashboard/sign-in")


def test_two_tabs_ask_with_one_token(
    house: SignInHouse, person: BrowserContext
) -> None:
    """
    The provider revokes everything if a token that was used up comes again.
    """
    page = person.new_page()
    house.sign_in(page)
    page.wait_for_url(house.videos)
    (cookie,) = (c for c in person.cookies(house.videos) if c["name"] == "hv_session")
    session = {"Cookie": f"hv_session={cookie['value']}"}
    before = refreshed(house)

    def tab(_: int) -> int:
        return request("GET", house.videos, headers=session).status

    def are_asked() -> bool:
        assert set(tabs.map(tab, range(16))) == {200}
        return refreshed(house) >= before + 2

    with ThreadPoolExecutor(8) as tabs:
        until(are_asked, within_s=20, what="two questions to the provider")

    other = person.new_page()
    other.goto(house.videos)
    assert other.url == house.videos


def test_a_provider_that_is_down_ends_no_session(
    house: SignInHouse, page: Page
) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    house.provider.tell(isDown=True)
    until(
        lambda: status_of(page, house.videos) == 503,
        within_s=20,
        what="a question to the provider",
    )
    expect(page.get_by_role("alert")).to_contain_text("provider does not answer")
    house.provider.tell(isDown=False)

    assert status_of(page, house.videos) == 200
    assert page.url == house.videos


def test_signing_out_signs_out_at_the_provider_too(
    house: SignInHouse, page: Page
) -> None:
    house.sign_in(page)
    page.wait_for_url(house.videos)

    page.locator("details.person summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("button", name="Yes, sign me out").click()
    page.wait_for_url(f"{house.service.api}/dashboard/sign-in")

    page.goto(house.videos)
    page.get_by_role("link", name="Sign in", exact=True).click()
    expect(page.get_by_label("Name")).to_be_visible()


def test_who_may_not_in_is_told_what_to_do(house: SignInHouse, page: Page) -> None:
    house.provider.tell(people={"eve": {"name": "Eve", "groups": ["other"]}})

    house.sign_in(page, "eve")
    expect(page.get_by_role("alert")).to_contain_text("member of no organization")
    page.context.clear_cookies()
    house.sign_in(page, "nobody")

    expect(page.get_by_role("alert")).to_contain_text("did not let you in")


def asked_with(house: SignInHouse, token: str, method: str = "GET") -> Answer:
    headers = {"Authorization": f"Bearer {token}"}
    return request(method, f"{house.service.api}/v1/videos", headers=headers)


def test_a_program_calls_the_api_with_an_access_token(house: SignInHouse) -> None:
    """
    As a caller with the scopes of the token, in the place that claims and settings name.
    """
    token = house.provider.access_token(AUDIENCE)
    headers = {"Authorization": f"Bearer {token}"}
    whoami = request("GET", f"{house.service.api}/v1/whoami", headers=headers).body

    assert (whoami["orgID"], whoami["envID"]) == (ORG, "live")
    assert whoami["permissions"] == ["videos:read"]
    assert asked_with(house, token).status == 200
    written = request(
        "POST", f"{house.service.api}/v1/videos/upload-url", data=b"{}", headers=headers
    )
    assert written.status == 403
    assert house.service.call("GET", "/v1/videos").status == 200
    assert token not in house.log()


def test_a_token_for_another_api_is_refused(house: SignInHouse) -> None:
    token = house.provider.access_token("https://other.example.com")

    def is_logged() -> bool:
        answer = asked_with(house, token)
        assert answer.status == 401
        assert "Bearer" in answer.json["detail"]
        return "aud" in house.log()

    # At most one refusal a second is logged, so one of another test may hide this.
    until(is_logged, within_s=20, what="the reason in the log")


def test_the_api_describes_and_allows_what_a_program_sends(house: SignInHouse) -> None:
    document = request("GET", f"{house.service.api}/v1/openapi.json").json
    asked = request(
        "OPTIONS",
        f"{house.service.api}/v1/videos",
        headers={
            "Origin": "https://app.example.com",
            "Access-Control-Request-Method": "GET",
        },
    )

    schemes = document["components"]["securitySchemes"]
    assert schemes["AccessToken"]["scheme"] == "bearer"
    assert "ApiKey" in schemes
    headers = {name.lower(): text for name, text in asked.headers.items()}
    assert "Authorization" in headers["access-control-allow-headers"]
    assert house.service.hv("openapi").stdout.count('"AccessToken"') > 1


def test_new_keys_of_a_silent_provider_hold_nobody_up(house: SignInHouse) -> None:
    """
    Programs with such a token are told to come again; all others go on meanwhile.
    """
    old = house.provider.access_token(AUDIENCE)
    assert asked_with(house, old).status == 200
    house.provider.tell(rotate=True)
    token = house.provider.access_token(AUDIENCE)
    house.provider.tell(isSilent=True)
    began_s = time.monotonic()
    try:
        with ThreadPoolExecutor(20) as pool:
            refused = [pool.submit(asked_with, house, token) for _ in range(20)]
            lively_s = [_seconds_of_live(house) for _ in range(10)]
            known = asked_with(house, old).status
            statuses = {one.result().status for one in refused}
        took_s = time.monotonic() - began_s
    finally:
        house.provider.tell(isSilent=False)

    assert statuses == {503}
    assert known == 200
    assert max(lively_s) < 1
    assert took_s < 8
    until(
        lambda: asked_with(house, token).status == 200,
        within_s=40,
        what="an answer to the new key",
    )


def _seconds_of_live(house: SignInHouse) -> float:
    began_s = time.monotonic()
    assert request("GET", f"{house.service.api}/health/live").status == 200
    return time.monotonic() - began_s
