"""
The search of the list of videos in what is said.
"""

import re

import pytest

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.support.http.world import ORG, World


def say(world: World, video_id: str, line: str) -> None:
    """
    Set captions with one line, a minute after the beginning.
    """
    data = f"WEBVTT\n\n01:01.900 --> 01:09.000\n{line}\n".encode()
    path = f"/v1/videos/{video_id}/captions/en"
    sent = world.call("PUT", path, body=data, headers={"Content-Type": "text/vtt"})
    assert sent.status_code == 200


@pytest.mark.parametrize("view", ["grid", "table"])
def test_a_hit_leads_to_its_moment_in_the_video(
    dashboard: Dashboard, view: str
) -> None:
    world = dashboard.world
    said, other = world.ready(name="Meeting"), world.ready(name="Party")
    say(world, said, "The budget &lt;b&gt; is approved.")
    say(world, other, "Cheers!")
    person = dashboard.sign_in(Role.VIEWER)

    text = person.get(VIDEOS, f"spoken=BUDGET&view={view}").text

    assert "Meeting" in text
    assert "Party" not in text
    assert "The <mark>budget</mark> &lt;b&gt; is approved." in text
    (link,) = re.findall(rf'href="(videos/{said}\?t=[^"]*)"', text)
    assert link.endswith("?t=61")
    page = person.get(f"/dashboard/{ORG}/videos/{said}", "t=61").text
    assert re.search(r'<iframe id="player" src="[^"]*[?;]t=61"', page)


def test_a_moment_that_is_no_number_is_left_out_of_the_player(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.VIEWER)

    for moment in ("x", "-1", "1e3", "9999999", "1%22onload=", "1&token=x"):
        page = person.get(f"/dashboard/{ORG}/videos/{video_id}", f"t={moment}").text
        (source,) = re.findall(r'<iframe id="player" src="([^"]*)"', page)
        assert "t=" not in source.replace("t=1", "", moment.startswith("1&"))


def test_searched_words_stay_in_the_form_and_lead_to_nothing_else(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.get(VIDEOS, "spoken=%22%3E%3Cscript%3Ealert(1)")

    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "No video is like that" in answer.text
    assert 'value="&#34;&gt;&lt;script&gt;alert(1)"' in answer.text


def test_too_long_spoken_words_are_refused_on_the_page(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(VIDEOS, f"spoken={'a' * 201}")

    assert answer.status_code == 200
    assert "spoken must have at most 200 characters" in answer.text


def test_more_found_videos_than_are_counted_are_said_to_be_more(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FEW", "MAX_COUNTED"):
        monkeypatch.setattr(f"hvcore.persistence.spoken.pages.{name}", 1)
    for _ in range(3):
        say(dashboard.world, dashboard.world.ready(), "common")

    text = dashboard.sign_in(Role.EDITOR).get(VIDEOS, "spoken=common").text

    assert "More than 1 video" in text
    assert "All that were found" in text
