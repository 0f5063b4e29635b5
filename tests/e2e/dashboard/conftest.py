"""
Two tabs of an operator, in Chromium and in Firefox.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.people import session_of
from tests.e2e.tabs import Tab, Tabs, chromium_tabs, firefox_tabs
from tests.support.live import LiveService


@pytest.fixture
def first(tabs: Tabs) -> Tab:
    return tabs[0]


@pytest.fixture(params=["chromium", pytest.param("firefox", marks=pytest.mark.long)])
def tabs(request: pytest.FixtureRequest, service: LiveService) -> Tabs:
    """
    Two tabs of an operator, with nothing stored.
    """
    found: Tabs = request.getfixturevalue(f"_{request.param}")
    for tab in found:
        tab.open(f"{service.api}/dashboard/sign-in/none")
    found[0].ask("() => { localStorage.clear(); sessionStorage.clear(); }")
    return found


@pytest.fixture(scope="module")
def _chromium(service: LiveService, browser: Browser) -> Iterator[Tabs]:
    with chromium_tabs(browser, session_of(service, None)) as tabs:
        yield tabs


@pytest.fixture(scope="module")
def _firefox(
    service: LiveService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tabs]:
    profile = tmp_path_factory.mktemp("firefox")
    site = f"{service.api}/dashboard/sign-in"
    with firefox_tabs(profile, session_of(service, None), site) as tabs:
        yield tabs


@pytest.fixture
def second(tabs: Tabs) -> Tab:
    return tabs[1]
