"""
One running service for the tests that only use it.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from tests.e2e.browsing import running_browser, watch_for_violations
from tests.e2e.clips import make_clip
from tests.e2e.films import Film, make_film
from tests.e2e.sites import Site, running_site
from tests.support.live import LiveService, live_service
from tests.support.npm_packages import npm_packages

AXE: Final = "axe-core@4.14.1"
SHARED: Final = {
    # Webhooks of tests.
    "HV_FETCH__ALLOWED_HOSTS": "127.0.0.1",
    # More people sign in than one address does in a minute.
    "HV_SIGN_IN__ATTEMPTS_PER_MINUTE": "1000",
    "HV_ANALYTICS__REFERRERS": "true",
    "HV_ANALYTICS__PLAYBACK_SESSIONS": "true",
}
"""What the tests that share a service need of it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.services)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """
    Tell what stood on the page of a test that failed.
    """
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and isinstance(page, Page):
        report.sections.append((f"page {page.url}", _said(page)))
    return report


def _said(page: Page) -> str:
    try:
        return page.locator("body").aria_snapshot(timeout=2000)
    except PlaywrightError as error:
        return str(error)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with live_service(tmp_path_factory.mktemp("service"), **SHARED) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """
    A site of somebody else.
    """
    with running_site() as running:
        yield running


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Few pictures, because they are encoded for many tests.
    return make_clip(tmp_path_factory.mktemp("clips") / "clip.mp4", rate=10)


@pytest.fixture(scope="session")
def short_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A clip of one quality, for who looks at pages and not at encoding.
    """
    folder = tmp_path_factory.mktemp("short")
    return make_clip(folder / "short.mp4", seconds=3, size="640x360")


@pytest.fixture(scope="session")
def short_id(service: LiveService, short_clip: Path) -> str:
    """
    A private video of it, which tests of pages give captions, pictures and links.
    """
    name = "Team <i>meeting"
    made = service.made(short_clip, allowPublicAccess=False, videoName=name)
    return str(made["id"])


@pytest.fixture(scope="session")
def public_id(service: LiveService, clip: Path) -> str:
    return str(service.made(clip, allowPublicAccess=True)["id"])


@pytest.fixture(scope="session")
def private_id(service: LiveService, clip: Path) -> str:
    return str(service.made(clip, allowPublicAccess=False)["id"])


@pytest.fixture
def violations(page: Page) -> list[str]:
    """
    What breaks a policy on any page or in any frame that is opened.
    """
    return watch_for_violations(page)


@pytest.fixture(scope="session")
def public_film(service: LiveService, tmp_path_factory: pytest.TempPathFactory) -> Film:
    source = make_film(tmp_path_factory.mktemp("film"))
    made = service.made(
        source,
        allowPublicAccess=True,
        content_type="video/x-matroska",
        videoName="A day at sea",
    )
    return Film(service, str(made["id"]))


@pytest.fixture(scope="session")
def axe() -> str:
    return (npm_packages(AXE) / "axe-core" / "axe.min.js").read_text("utf-8")
