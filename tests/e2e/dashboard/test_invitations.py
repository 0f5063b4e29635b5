"""
Invitations and sign-in links by mail, in a real browser, with a real mail server.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.browsing import barriers, watch_for_problems, watch_for_violations
from tests.e2e.people import ORG, enter
from tests.support.live import LiveService, live_service, until
from tests.support.network.mail_server import MailServer, mail_server

ANN = "ann@example.com"
SIZES = (
    (1360, "light"),
    (390, "dark"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture(scope="module")
def house(
    server: MailServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveService]:
    """
    A service that has a mail server.
    """
    folder = tmp_path_factory.mktemp("mailing")
    url = f"smtp://127.0.0.1:{server.port}"
    with live_service(folder, HV_MAIL__URL=url) as running:
        yield running


@contextmanager
def person(browser: Browser, width_px: int, scheme: str) -> Iterator[Page]:
    """
    Give somebody a browser of their own.
    """
    context = browser.new_context(
        viewport={"width": width_px, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]  # one of its words
    )
    yield context.new_page()
    context.close()


def link_in_mail(server: MailServer, *, after: int) -> str:
    """
    Wait for another mail; return the first link in it.
    """
    until(lambda: len(server.messages) > after, within_s=30, what="a mail")
    found = re.search(r"http\S+/sign-in/link#\S+", server.messages[-1].get_content())
    assert found
    return found[0]


def check(page: Page, axe: str) -> None:
    """
    Check that everybody can use a page, and that nothing is wider than it.
    """
    assert barriers(page, axe) == {}
    wider_px = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wider_px) <= 0


@pytest.mark.parametrize(("width_px", "scheme"), SIZES)
def test_a_colleague_comes_in_by_three_clicks(  # noqa: PLR0913, PLR0917 - fixtures
    house: LiveService,
    server: MailServer,
    browser: Browser,
    axe: str,
    width_px: int,
    scheme: str,
) -> None:
    email = f"{scheme}-{ANN}"
    with (
        person(browser, width_px, scheme) as admin,
        person(browser, width_px, scheme) as ann,
    ):
        enter(admin.context, house, Role.ADMIN)
        violations = watch_for_violations(ann)
        problems = watch_for_problems(ann)
        before = len(server.messages)
        admin.goto(f"{house.api}/dashboard/{ORG}/members")
        admin.get_by_role("link", name="Invite member").click()
        check(admin, axe)
        admin.get_by_label("Name").fill("Ann")
        admin.get_by_label("Email address").fill(email)
        admin.get_by_label("Editor").check()
        admin.get_by_role("button", name="Invite a member").click()
        expect(admin.get_by_role("status")).to_contain_text(email)

        # The first click is that on the link in the mail.
        ann.goto(link_in_mail(server, after=before))
        assert "#" not in ann.url
        check(ann, axe)
        # In a hurry, as people are.
        ann.get_by_role("button", name="Sign in").dblclick()

        ann.wait_for_url(f"**/{ORG}/videos")
        assert ann.get_by_role("link", name="Upload").count() > 0
        assert not violations
        assert not problems
        admin.get_by_role("link", name="Ann").first.click()
        check(admin, axe)


def test_a_member_comes_back_by_mail_to_the_page_that_was_asked_for(
    house: LiveService, server: MailServer, browser: Browser, axe: str
) -> None:
    wanted = f"/dashboard/{ORG}/analytics?days=7"
    with (
        person(browser, 390, "light") as admin,
        person(browser, 390, "light") as bob,
        person(browser, 1360, "dark") as elsewhere,
    ):
        enter(admin.context, house, Role.ADMIN)
        before = len(server.messages)
        admin.goto(f"{house.api}/dashboard/{ORG}/members/new")
        admin.get_by_label("Email address").fill("bob@example.com")
        admin.get_by_role("button", name="Invite a member").click()
        link_in_mail(server, after=before)

        bob.goto(f"{house.api}{wanted}")
        check(bob, axe)
        bob.get_by_label("Your email address").fill("Bob@example.com")
        bob.get_by_role("button", name="Mail me a link").click()
        expect(bob.get_by_role("heading", name="Look into your mail")).to_be_visible()
        check(bob, axe)
        link = link_in_mail(server, after=before + 1)
        elsewhere.goto(link)
        elsewhere.get_by_role("button", name="Sign in").click()

        elsewhere.wait_for_url(f"**{wanted}")
        assert link.partition("#")[2] not in elsewhere.evaluate("document.referrer")
        elsewhere.go_back()
        assert link.partition("#")[2] not in elsewhere.url
