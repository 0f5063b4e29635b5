"""
Share links, edge keys and chosen pictures of a running service.
"""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.e2e.browsing import play_to_the_end, watch_for_problems, watch_on
from tests.e2e.clips import ffmpeg_complaints
from tests.live import LiveService, request, until


def share(service: LiveService, video_id: str, **wanted: object) -> Any:  # noqa: ANN401 - JSON data
    return service.call("POST", f"/v1/videos/{video_id}/share", wanted).body


def views(service: LiveService, video_id: str, share_id: str) -> int:
    listed = service.call("GET", f"/v1/videos/{video_id}/shares").body["shares"]
    (found,) = [one["views"] for one in listed if one["shareID"] == share_id]
    return int(found)


def test_one_view_is_one_session_from_the_page_to_the_end(
    service: LiveService, private_id: str, page: Page, tmp_path: Path
) -> None:
    link = share(service, private_id, maxViews=1)
    problems = watch_for_problems(page)

    page.goto(link["shareURL"])
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(300)
    page.screenshot(path=str(tmp_path / "watch.png"))
    assert views(service, private_id, link["shareID"]) == 0
    page.get_by_role("button", name="Play").click()
    watch_on(page)

    assert problems == []
    assert views(service, private_id, link["shareID"]) == 1
    answer = page.goto(link["shareURL"])
    assert answer is not None
    assert answer.status == 410
    page.screenshot(path=str(tmp_path / "over.png"))
    expect(page.get_by_role("alert")).to_contain_text("This link is over")


def test_the_viewer_confirms_the_address_and_watches(
    service: LiveService, private_id: str, page: Page, tmp_path: Path
) -> None:
    link = share(service, private_id, viewerEmail="Ann@example.com")

    page.goto(link["shareURL"])
    page.screenshot(path=str(tmp_path / "confirm.png"))
    page.get_by_label("Enter the e-mail address").fill("bob@example.com")
    page.get_by_role("button", name="Watch the video").click()
    expect(page.get_by_role("alert")).to_contain_text("not shared with this address")
    page.screenshot(path=str(tmp_path / "refused.png"))
    problems = watch_for_problems(page)
    page.get_by_label("Enter the e-mail address").fill("ann@EXAMPLE.com")
    page.get_by_role("button", name="Watch the video").click()
    page.get_by_role("button", name="Play").click()
    watch_on(page)

    assert problems == []
    assert views(service, private_id, link["shareID"]) == 1


def test_a_link_that_ends_while_its_page_is_open_says_so(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id)
    page.goto(link["shareURL"])
    path = f"/v1/videos/{private_id}/shares/{link['shareID']}"
    assert service.call("DELETE", path).status == 200

    page.get_by_role("button", name="Play").click()

    expect(page.get_by_role("alert")).to_contain_text("This link is over")


def test_no_more_sessions_begin_than_there_are_views(
    service: LiveService, private_id: str
) -> None:
    link = share(service, private_id, maxViews=7)

    with ThreadPoolExecutor(50) as pool:
        answers = list(
            pool.map(lambda _: request("GET", link["deliveryURL"]).status, range(50))
        )

    assert answers.count(200) == 7
    assert answers.count(403) == 43
    assert views(service, private_id, link["shareID"]) == 7


def test_any_player_plays_the_delivery_address_for_one_view(
    service: LiveService, private_id: str
) -> None:
    link = share(service, private_id, maxViews=1)

    assert ffmpeg_complaints(link["deliveryURL"]) == ""

    assert views(service, private_id, link["shareID"]) == 1


def test_an_edge_key_plays_until_it_is_revoked(
    service: LiveService, private_id: str, page: Page
) -> None:
    key = service.call("POST", f"/v1/videos/{private_id}/edge-keys", {}).body
    assert ffmpeg_complaints(key["playbackURL"]) == ""

    played_s = play_to_the_end(page, key["embedURL"])

    assert played_s == pytest.approx(13, abs=0.2)
    service.call("DELETE", f"/v1/edge-keys/{key['edgeKey']}")
    assert request("GET", key["playbackURL"]).status == 403
    answer = page.goto(key["embedURL"])
    assert answer is not None
    assert answer.status == 403


def test_a_moment_becomes_the_picture(service: LiveService, clip: Path) -> None:
    video_id = service.made(clip)["id"]
    address = service.details(video_id)["thumbnailUrl"]
    before = request("GET", address)
    assert before.status == 200

    ordered = service.call(
        "POST", f"/v1/videos/{video_id}/thumbnail", {"timestampSeconds": 12.9}
    )

    assert ordered.body["status"] == "pending"
    after = until(
        lambda: changed(address, before.data),
        within_s=30,
        what="the new picture",
    )
    assert isinstance(after, bytes)
    with Image.open(io.BytesIO(after)) as image:
        assert image.size == tuple(map(int, re.findall(r"/(\d+)x(\d+)\.", address)[0]))


def changed(address: str, before: bytes) -> bytes | None:
    answer = request("GET", address)
    return answer.data if answer.status == 200 and answer.data != before else None
