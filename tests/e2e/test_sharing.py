"""
Share links, edge keys and chosen pictures of a running service.
"""

import io
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.e2e.browsing import play_to_the_end, watch_for_problems, watch_on
from tests.e2e.clips import ffmpeg_complaints
from tests.support.live import LiveService, request, until


def share(service: LiveService, video_id: str, **wanted: object) -> Any:  # noqa: ANN401 - JSON data
    return service.call("POST", f"/v1/videos/{video_id}/share", wanted).body


def views(service: LiveService, video_id: str, share_id: str) -> int:
    listed = service.call("GET", f"/v1/videos/{video_id}/shares").body["shares"]
    (found,) = [one["views"] for one in listed if one["shareID"] == share_id]
    return int(found)


def test_one_view_is_one_session_from_the_page_to_the_end(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id, maxViews=1)
    problems = watch_for_problems(page)

    page.goto(link["shareURL"])
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    facts = page.get_by_role("listitem")
    expect(facts.first).to_contain_text("Available until")
    expect(facts.last).to_have_text("Can be watched once more")
    assert views(service, private_id, link["shareID"]) == 0
    page.get_by_role("button", name="Play").click()
    watch_on(page)

    expect(facts.last).to_have_text("This is the last time it can be watched")
    assert problems == []
    assert views(service, private_id, link["shareID"]) == 1
    answer = page.goto(link["shareURL"])
    assert answer is not None
    assert answer.status == 410
    told = page.get_by_role("alert")
    expect(told).to_contain_text("watched as often as allowed")
    expect(told).to_contain_text("Ask whoever sent you this link for a new one.")


def code_in_mail(service: LiveService, page: Page) -> str:
    """
    Return the code that was ordered on a page, once its mail is there.
    """
    ordered = page.locator("input[name=request]").get_attribute("value")
    mails = (service.data / "mail").glob
    mail = until(lambda: [*mails(f"{ordered}.eml")], within_s=30, what="the mail")[0]
    found = re.search(r"code to watch it is (\d{6})", mail.read_text())
    assert found
    return found[1]


def test_the_viewer_watches_by_the_code_of_the_mail(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id, viewerEmail="Ann@example.com")
    page.goto(link["shareURL"])
    page.get_by_label("E-mail address").fill("ann@EXAMPLE.com")
    page.get_by_role("button", name="Send the code").click()
    code = code_in_mail(service, page)
    page.get_by_label("Code from the mail").fill(f"{(int(code) + 1) % 10**6:06}")
    page.get_by_role("button", name="Watch the video").click()
    expect(page.get_by_role("alert")).to_contain_text("not the code")
    problems = watch_for_problems(page)

    page.get_by_label("Code from the mail").fill(f"{code[:3]} {code[3:]}")
    page.get_by_role("button", name="Watch the video").click()
    page.get_by_role("button", name="Play").click()
    watch_on(page)

    assert views(service, private_id, link["shareID"]) == 1
    # The browser is remembered.
    page.goto(link["shareURL"])
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert problems == []


def test_the_page_of_a_withdrawn_link_says_so(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id)
    path = f"/v1/videos/{private_id}/shares/{link['shareID']}"
    assert service.call("DELETE", path).status == 200

    answer = page.goto(link["shareURL"])

    assert answer is not None
    assert answer.status == 410
    told = page.get_by_role("alert")
    expect(told).to_contain_text("This link was withdrawn")
    expect(told).to_contain_text("Ask whoever sent you this link for a new one.")


def test_the_page_of_an_expired_link_says_so(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id)
    # Links are good for an hour at least.
    with closing(sqlite3.connect(service.data / "hvcore.sqlite3")) as database:
        ended = "UPDATE share_links SET expires_at = created_at + 1 WHERE id = ?"
        assert database.execute(ended, (link["shareID"],)).rowcount == 1
        database.commit()

    answer = page.goto(link["shareURL"])

    assert answer is not None
    assert answer.status == 410
    told = page.get_by_role("alert")
    expect(told).to_contain_text("This link has expired")
    expect(told).to_contain_text("Ask whoever sent you this link for a new one.")
    expect(told).to_contain_text("Request ")


def test_a_link_that_ends_while_its_page_is_open_says_so(
    service: LiveService, private_id: str, page: Page
) -> None:
    link = share(service, private_id)
    page.goto(link["shareURL"])
    path = f"/v1/videos/{private_id}/shares/{link['shareID']}"
    assert service.call("DELETE", path).status == 200

    page.get_by_role("button", name="Play").click()

    told = page.get_by_role("alert")
    expect(told).to_contain_text("This link is over")
    expect(told).to_contain_text("Ask whoever sent you this link for a new one.")
    expect(told.get_by_role("button")).to_be_hidden()


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


def test_a_moment_becomes_the_picture(service: LiveService, private_id: str) -> None:
    address = service.details(private_id)["thumbnailUrl"]
    before = request("GET", address)
    assert before.status == 200

    ordered = service.call(
        "POST", f"/v1/videos/{private_id}/thumbnail", {"timestampSeconds": 12.9}
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
