"""
A real browser, and how a video is watched in it.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from playwright.sync_api import Browser, Frame, Page, sync_playwright

CHROMIUM: Final = next(
    filter(
        None,
        map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome")),
    ),
    "chromium-headless-shell",
)
"""The same browser without a window takes a third less of the processor."""

OPTIONS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Other sites, which tests serve themselves.
    "--host-resolver-rules=MAP *.example.com 127.0.0.1",
)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """
    Run a browser until the block ends; videos begin without a click.
    """
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[*OPTIONS, "--autoplay-policy=no-user-gesture-required"],
        )
        yield running
        running.close()


@contextmanager
def strict_browser(browser: Browser) -> Iterator[Browser]:
    """
    Run another browser, as strangers have it: sound needs a click.
    """
    running = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=[*OPTIONS, "--autoplay-policy=user-gesture-required"],
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


def watch_for_violations(page: Page) -> list[str]:
    """
    Return a list that fills with what breaks a policy, on the page and in its frames.
    """
    found: list[str] = []
    page.expose_binding("noteViolation", lambda _source, text: found.append(text))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', event =>"
        " window.noteViolation(`${event.violatedDirective} ${event.blockedURI}`))"
    )
    return found


def barriers(page: Page, axe: str) -> dict[str, Any]:
    """
    Return what keeps people from using a page, as axe judges it.

    Args:
        axe: Its script.
    """
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return {
        violation["id"]: [
            (node["html"][:200], node["failureSummary"]) for node in violation["nodes"]
        ]
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
    }


def frame_of(page: Page, selector: str) -> Frame:
    """
    Return a frame of a page, once what it shows has come.
    """
    element = page.locator(selector).element_handle()
    frame = element.content_frame()
    assert frame is not None
    frame.wait_for_url("**/v1/**")
    return frame


def play_to_the_end(page: Page, url: str) -> float:
    """
    Open a page and watch its video; return how far it went, in seconds.
    """
    problems = watch_for_problems(page)
    page.goto(url)
    watch_on(page)
    assert problems == []
    return played_s(page)


def play(page: Page) -> None:
    """
    Play the video that a page shows, without sound.
    """
    page.evaluate(
        """async () => {
            await customElements.whenDefined('hv-player');
            const player = document.querySelector('hv-player');
            player.muted = true;
            await player.play();
        }"""
    )


def watch_on(page: Page | Frame) -> None:
    """
    Watch the video that a page shows to its end, in a hurry.
    """
    # Not wait_for_function: the page's policy forbids evaluating texts.
    page.evaluate(
        """async () => {
            // Our element, or the one of a page that has another player.
            const player = document.querySelector('hv-player, video');
            if (player.localName === 'hv-player') {
                await customElements.whenDefined('hv-player');
            }
            const ended = new Promise((done) => {
                player.addEventListener('ended', done);
                // An event is lost that comes while the page is busy with another.
                setInterval(() => player.ended && done(), 250);
            });
            const watched = async () => {
                // It may have come to its end by itself before this was asked.
                if (player.ended) { return; }
                player.muted = true;
                await player.play();
                player.playbackRate = 4;
                await ended;
            };
            const video = player.video ?? player;
            const state = () => JSON.stringify({
                at: video.currentTime,
                ready: video.readyState,
                network: video.networkState,
                paused: video.paused,
                ended: video.ended,
                duration: video.duration,
                seeking: video.seeking,
                error: player.error?.message ?? video.error?.message,
                buffered: Array.from(video.buffered, (_, i) => [
                    video.buffered.start(i), video.buffered.end(i)]),
            });
            const stalled = new Promise((_, fail) => setTimeout(
                () => fail(new Error('the video stands still: ' + state())), 90000));
            await Promise.race([watched(), stalled]);
        }"""
    )


def played_s(page: Page) -> float:
    """
    Return where the video stands.
    """
    found: float = page.evaluate(
        "document.querySelector('hv-player, video').currentTime"
    )
    return found
