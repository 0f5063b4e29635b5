"""
A real browser, and how a video is watched in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"


@contextmanager
def running_browser() -> Iterator[Browser]:
    """
    Run a browser until the block ends.
    """
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--autoplay-policy=no-user-gesture-required",
            ],
        )
        yield running
        running.close()


def watch_for_problems(page: Page) -> list[str]:
    """
    Return a list that fills with what the page complains of.
    """
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: (
            problems.append(message.text) if message.type == "error" else None
        ),
    )
    return problems


def play_to_the_end(page: Page, url: str) -> float:
    """
    Open a page and watch its video; return how far it went, in seconds.
    """
    problems = watch_for_problems(page)
    page.goto(url)
    page.wait_for_selector("video")
    watch_on(page)
    assert problems == []
    return played_s(page)


def watch_on(page: Page) -> None:
    """
    Watch the video that a page shows to its end, in a hurry.
    """
    # Not wait_for_function: the page's policy forbids evaluating texts.
    page.evaluate(
        """async () => {
            const video = document.querySelector('video');
            const ended = new Promise((done) => {
                video.addEventListener('ended', done);
            });
            // Loading begins anew when the player attaches its source.
            while (video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) {
                await new Promise((done) => {
                    video.addEventListener('canplay', done, {once: true});
                    requestAnimationFrame(done);
                });
            }
            video.muted = true;
            video.playbackRate = 4;
            await video.play();
            await ended;
        }"""
    )


def played_s(page: Page) -> float:
    """
    Return where the video stands.
    """
    found: float = page.evaluate("document.querySelector('video').currentTime")
    return found
