"""
The way back from a video to the place in the list from which it was opened.
"""

import re
from html import unescape
from urllib.parse import quote

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore_dashboard.list_places import MOST_CHARS, ListPlace
from hvcore_dashboard.pages.video.tabs import TABS
from tests.dashboard.opened import ORIGIN, VIDEOS, Dashboard
from tests.support.http.world import OTHER_ORG

PLACE = "search=summer+a%26b&status=ready&page=3"
BACK = re.compile(r'<p class="way-back"><a href="([^"]*)"')


def way_back(answer: Result) -> str:
    found = BACK.search(answer.text)
    assert found, answer.text
    return unescape(found[1])


def test_a_video_leads_back_to_the_place_in_the_list(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(f"{VIDEOS}/{video_id}", Referer=f"{ORIGIN}{VIDEOS}?{PLACE}")

    assert way_back(answer) == f"{VIDEOS}?{PLACE}"


def test_each_tab_and_each_form_of_a_video_carries_the_place(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}"
    carried = f"list={quote(PLACE, safe='')}"
    for tab in TABS:
        answer = person.get(f"{path}/{tab.path}".rstrip("/"), carried)
        page = unescape(answer.text)
        assert way_back(answer) == f"{VIDEOS}?{PLACE}"
        sent_to = re.findall(r'<form method="post" action="([^"]*)"', page)
        own = [one for one in sent_to if one.startswith(path)]
        assert all(carried.replace("%20", "+") in one for one in own), own
        for other in TABS:
            assert f'href="{path}/{other.path}'.rstrip("/") + f"?{carried}" in page


def test_saving_and_deleting_return_to_the_place(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}"
    query, token = f"list={quote(PLACE, safe='')}", person.session.person.change_token
    fields = {"change_token": token, "videoName": "new", "shown.videoName": "clip"}

    saved = person.send("POST", path, query=query, fields=fields)
    deleted = person.send(
        "POST", f"{path}/delete", query=query, fields={"change_token": token}
    )

    assert saved.headers["location"] == f"{path}?{query}"
    assert deleted.headers["location"] == f"{VIDEOS}?{PLACE}"


def test_deleting_several_returns_to_the_place(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(
        f"{VIDEOS}/delete", {"video": video_id}, Referer=f"{ORIGIN}{VIDEOS}?{PLACE}"
    )

    assert answer.headers["location"] == f"{VIDEOS}?{PLACE}"


@pytest.mark.parametrize(
    "referer",
    [
        f"https://evil.example{VIDEOS}?{PLACE}",
        f"{ORIGIN}/dashboard/{OTHER_ORG}/videos?{PLACE}",
        f"{ORIGIN}{VIDEOS}/upload?{PLACE}",
        f"{ORIGIN}{VIDEOS}?env=dev&{PLACE}",
        f"{ORIGIN}{VIDEOS}?search={'x' * MOST_CHARS}",
        f"{ORIGIN}{VIDEOS}?{'&'.join(['page=2'] * 50)}",
        "http://[",
        "\u00ff",
    ],
)
def test_another_page_is_no_place(dashboard: Dashboard, referer: str) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(f"{VIDEOS}/{video_id}", Referer=referer)

    assert answer.status_code == 200
    assert way_back(answer) == VIDEOS


@pytest.mark.parametrize(
    "hostile",
    [
        "https://evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "next=https://evil.example&env=theirs&list=x",
        '"><script>alert(1)</script>',
        "page=2\r\nSet-Cookie: a=b"[:7] + "%0d%0a",
        "x" * 100_000,
        "&".join(f"a{n}=b" for n in range(1000)),
    ],
)
def test_a_place_leads_to_the_list_and_nowhere_else(
    dashboard: Dashboard, hostile: str
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}"
    query = f"list={quote(hostile, safe='')}"[:60_000]

    shown = person.get(path, query)
    deleted = person.send(
        "POST",
        f"{path}/delete",
        query=query,
        fields={"change_token": person.session.person.change_token},
    )

    assert shown.status_code == 200
    for address in (way_back(shown), deleted.headers["location"]):
        assert re.fullmatch(re.escape(VIDEOS) + r"(\?page=[^&<>\s:]*)?", address)
    assert "<script>alert" not in shown.text
    assert "evil.example" not in shown.text


def test_the_place_is_of_the_same_environment(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(dashboard.world.dev)
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(
        f"{VIDEOS}/{video_id}",
        "env=dev",
        Referer=f"{ORIGIN}{VIDEOS}?env=dev&search=a",
    )

    assert way_back(answer) == f"{VIDEOS}?env=dev&search=a"


def test_the_beginning_of_the_list_needs_no_words() -> None:
    place = ListPlace.of_query("page=1&sortBy=created_at&sortDir=desc&search=")

    assert place.text == ""


def test_a_place_of_the_most_characters_is_kept_and_a_longer_one_is_the_beginning() -> (
    None
):
    def text(chars: int) -> str:
        value = "x" * (chars - len("search="))
        return ListPlace.of_values({"search": value}).text

    assert len(text(MOST_CHARS)) == MOST_CHARS
    assert text(MOST_CHARS + 1) == ""
