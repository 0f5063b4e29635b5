"""The tutorials for clients of the API hold word by word."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.docs.tutorials.running import (
    PAGES,
    ROOT,
    make_environment,
    tutorial,
    with_tabs_of,
)
from tests.e2e.browsing import (
    CHROMIUM,
    OPTIONS,
    frame_of,
    watch_for_problems,
    watch_on,
)

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]
IN_BROWSER: Final = "Open `http://127.0.0.1:8000` in a browser, and choose `film.mp4`."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with all that pip would fetch: a tutorial's network reaches nobody."""
    make_environment(
        tmp_path / "shop" / "videos",
        *("-e", f"{ROOT}[all]", "-e", ROOT / "contrib" / "hvcore_client"),
    )
    return tmp_path


def test_a_reader_uploads_and_plays_a_film(home: Path) -> None:
    with tutorial(home) as reader:
        reader.follow((PAGES / "upload-and-play.md").read_text("utf-8"))


@contextmanager
def page_within(network: Sequence[str], folder: Path) -> Iterator[Page]:
    """Open a page of a browser that is in the network of a tutorial."""
    browser = folder / "browser"
    command = shlex.join(["exec", *network, CHROMIUM])
    browser.write_text(f'#!/bin/sh\n{command} "$@"\n')
    browser.chmod(0o755)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=OPTIONS)
        yield running.new_page()
        running.close()


@pytest.mark.parametrize(
    "language", ["Python", pytest.param("JavaScript", marks=pytest.mark.long)]
)
def test_a_reader_sends_a_film_from_a_page_and_watches_it_there(
    home: Path, language: str
) -> None:
    text = (PAGES / "upload-from-a-page.md").read_text("utf-8")
    page = with_tabs_of(text, language)
    until_browser, in_browser, afterwards = page.partition(IN_BROWSER)
    assert in_browser

    with tutorial(home) as reader:
        reader.follow(until_browser)
        with page_within(reader.within, home) as shop:
            problems = watch_for_problems(shop)
            shop.goto("http://127.0.0.1:8000")
            shop.set_input_files("#film", home / "shop" / "film.mp4")
            shop.get_by_text("The film is ready.").wait_for(timeout=120_000)
            watch_on(frame_of(shop, "iframe"))
        reader.follow(afterwards)

    # While the film is prepared, the shop does not know it.
    assert [text for text in problems if "404" not in text] == []
