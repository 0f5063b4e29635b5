"""
One running service for the tests that only use it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browsing import running_browser
from tests.e2e.clips import make_clip
from tests.live import LiveService, live_service


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with live_service(tmp_path_factory.mktemp("service")) as running:
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


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clips") / "clip.mp4")


@pytest.fixture(scope="session")
def public_id(service: LiveService, clip: Path) -> str:
    return str(service.made(clip, allowPublicAccess=True)["id"])


@pytest.fixture(scope="session")
def private_id(service: LiveService, clip: Path) -> str:
    return str(service.made(clip, allowPublicAccess=False)["id"])
