"""
The player page in a real browser, to the end of the video.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.browsing import play, play_to_the_end, watch_for_problems
from tests.e2e.clips import make_clip
from tests.support.live import LiveService


def test_a_public_video_plays_to_its_end(
    service: LiveService, public_id: str, page: Page
) -> None:
    played_s = play_to_the_end(page, f"{service.worker}/v1/embed/{public_id}")

    assert played_s == pytest.approx(13, abs=0.2)


def test_a_private_video_plays_to_its_end_with_its_token(
    service: LiveService, private_id: str, page: Page
) -> None:
    signed = service.call("GET", f"/v1/videos/{private_id}/signed-url").body
    token = signed["signed_url"].partition("?token=")[2]

    played_s = play_to_the_end(
        page, f"{service.worker}/v1/embed/{private_id}?token={token}"
    )

    assert played_s == pytest.approx(13, abs=0.2)


def test_a_portrait_video_fits_into_the_page(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "portrait.mp4", seconds=1, size="360x640")
    video_id = service.made(clip)["id"]
    page.set_viewport_size({"width": 800, "height": 450})

    page.goto(f"{service.worker}/v1/embed/{video_id}")
    # Its size is known once the first segment is there.
    play(page)

    assert page.locator("video").bounding_box() == {
        "x": 0,
        "y": 0,
        "width": 800,
        "height": 450,
    }


@pytest.mark.parametrize("query", ["", "?token=broken"])
def test_a_private_video_without_a_good_token_shows_why(
    service: LiveService, private_id: str, page: Page, query: str
) -> None:
    answer = page.goto(f"{service.worker}/v1/embed/{private_id}{query}")

    assert answer is not None
    assert answer.status == 401
    assert "Traceback" not in page.content()
    assert len(page.inner_text("body").strip()) > 20


def test_the_page_of_an_unknown_video_says_so(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    answer = page.goto(f"{service.worker}/v1/embed/vid_{'0' * 22}")

    assert answer is not None
    assert answer.status == 404
    page.screenshot(path=str(tmp_path / "missing.png"))
    assert (tmp_path / "missing.png").stat().st_size > 0


def test_the_description_of_the_api_breaks_no_rule_of_its_own_policy(
    service: LiveService, page: Page
) -> None:
    problems = watch_for_problems(page)

    page.goto(f"{service.api}/docs/api/")
    # Nothing tells when a browser has its icon: it is loaded again as a picture, which
    # ends with an event. It is empty, so that it is no picture either.
    ended = page.evaluate(
        """() => new Promise((done) => {
            const picture = new Image();
            picture.addEventListener('load', () => done('load'));
            picture.addEventListener('error', () => done('error'));
            picture.src = document.querySelector('link[rel=icon]').href;
        })"""
    )

    assert ended == "error"
    assert problems == []
    assert page.evaluate("document.styleSheets[0].cssRules.length") > 0
