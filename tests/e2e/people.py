"""
People who sign in to the dashboard of a running service.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import BrowserContext, Page

from hvcore.assembly import Services, build
from hvcore.clock import Clock
from hvcore.domain.access.roles import Role
from hvcore.settings import load
from tests.support.live import LiveService

ORG: Final = "org_local"
COOKIE: Final = "hv_session"


@contextmanager
def services_of(service: LiveService, clock: Clock | None = None) -> Iterator[Services]:
    """
    Open the core of a running service, as another of its commands does.
    """
    environ = {**service.environ, "HV_PUBLIC__API_URL": service.api}
    found = load(config_path=None, environ=environ, data_dir=service.data)
    overrides = {} if clock is None else {"clock": clock}
    with build(found.settings, rings=False, overrides=overrides) as services:
        yield services


def link_of(service: LiveService, role: Role | None = None) -> str:
    """
    Return the address that signs somebody in once; None is an operator.
    """
    with services_of(service) as services:
        return _link(services, role)


def use_link(page: Page, link: str) -> None:
    """
    Open a link, and press the button that uses it up.
    """
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()


def sign_in(page: Page, service: LiveService, role: Role | None = None) -> None:
    """
    Be signed in, and where one begins; how one signs in is other tests' matter.
    """
    enter(page.context, service, role)
    page.goto(f"{service.api}/dashboard/{ORG}/videos")


def enter(
    context: BrowserContext, service: LiveService, role: Role | None = None
) -> None:
    """
    Give a browser a session.
    """
    show(context, session_of(service, role))


def session_of(
    service: LiveService,
    role: Role | None,
    *,
    org: str = ORG,
    clock: Clock | None = None,
) -> str:
    """
    Sign somebody in without a browser; return the value of the cookie.

    Args:
        clock: What the time was then, if it was not now.
    """
    with services_of(service, clock) as services:
        code = _link(services, role, org).partition("#")[2]
        started = services.sign_ins.complete_link(code, client_address="127.0.0.1")
    return started.value


def show(context: BrowserContext, session: str) -> None:
    """
    Let a browser show a session.
    """
    context.add_cookies(
        [
            {
                "name": COOKIE,
                "value": session,
                "domain": "127.0.0.1",
                "path": "/dashboard",
                "httpOnly": True,
                "sameSite": "Lax",
            }
        ]
    )


def _link(services: Services, role: Role | None, org: str = ORG) -> str:
    if role is None:
        return services.sign_in_links.for_operator(name="Olga Operator").address
    member = services.members.add(org, role=role, name=f"{role.value} person")
    return services.sign_in_links.for_member(org, member.id).address
