"""
The list of videos, and what is done with several.
"""

import re

import attrs
import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.labels import Labels
from hvcore.domain.tasks.kinds import TRANSCODE_PART, TRANSCODE_PLAN
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoChanges
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG, OTHER_ORG

NAMES = {
    "markup": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "template": "{{ 12345 * 6789 }}{% raw %}",
    "direction": "invoice\u202egnp.exe",
    "isolates": "\u2066\u2069x\u2067",
    "control": "a\x00b\x1b[31m\u2028c",
    "long": "x" * 512,
}


def is_harmless(answer: Result) -> bool:
    """
    Return whether no name became more than a text on one line.
    """
    turning = set("\u202e\u2066\u2067\u2069\x00\x1b\u2028")
    made = ("<script>alert", 'onmouseover="', "83810205")
    text = answer.text
    return not any(one in text for one in made) and not turning & set(text)


@pytest.mark.parametrize("view", ["grid", "table"])
def test_names_change_nothing_around_them(dashboard: Dashboard, view: str) -> None:
    world, listed = dashboard.world, set()
    for name in ("plain", *NAMES.values()):
        video_id = world.ready(name="new")
        changes = VideoChanges(name=name)
        world.change(video_id, lambda video, it=changes: video.change(it))
        listed.add(f"video-{video_id}")

    answer = dashboard.sign_in(Role.EDITOR).get(VIDEOS, f"view={view}")

    assert answer.status_code == 200
    assert listed <= ids_in(answer)
    assert is_harmless(answer)


def test_a_description_of_five_thousand_characters_is_no_matter(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    dashboard.world.change(
        video_id,
        lambda video: video.change(VideoChanges(description="<b>" * 1666)),
    )

    answer = dashboard.sign_in(Role.VIEWER).get(VIDEOS)

    assert answer.status_code == 200
    assert "<b><b>" not in answer.text


def test_a_viewer_is_offered_no_change(dashboard: Dashboard) -> None:
    dashboard.world.ready()

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS).text

    assert 'type="checkbox"' not in text
    assert "/upload" not in text
    assert f"{VIDEOS}/delete" not in text


def test_an_empty_environment_says_what_to_do_next(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    assert "No videos yet" in person.get(VIDEOS).text
    assert f"/dashboard/{ORG}/upload" in person.get(VIDEOS).text
    assert "No video is like that" in person.get(VIDEOS, "search=zzz").text


def test_an_organization_without_environments_says_so(
    dashboard: Dashboard,
) -> None:
    dashboard.world.services.tenants.create_organization("org_new")
    person = dashboard.sign_in(Role.EDITOR, org="org_new")

    for path in ("videos", "upload"):
        answer = person.get(f"/dashboard/org_new/{path}")
        assert "There is no environment yet" in answer.text


def test_videos_are_of_the_chosen_environment(dashboard: Dashboard) -> None:
    dashboard.world.ready(name="of live")
    dashboard.world.ready(dashboard.world.dev, name="of dev")
    dashboard.world.ready(dashboard.world.other_env, name="of theirs")
    person = dashboard.sign_in(Role.VIEWER)

    live, dev = person.get(VIDEOS).text, person.get(VIDEOS, "env=dev").text

    assert "of live" in live
    assert "of dev" not in live
    assert "of dev" in dev
    assert f'href="{VIDEOS}?env=dev"' in dev
    assert "of theirs" not in live + dev
    assert person.get(VIDEOS, "env=theirs").status_code == 404


def test_search_state_and_order_are_the_apis(dashboard: Dashboard) -> None:
    dashboard.world.ready(name="Alpha one")
    dashboard.world.ready(name="Beta one")
    dashboard.world.failed(name="Alpha two")
    person = dashboard.sign_in(Role.VIEWER)

    def names(query: str) -> list[str]:
        answer = person.fragment(VIDEOS, query)
        assert answer.status_code == 200
        return re.findall(r'class="video-name" dir="auto">([^<]+)<', answer.text)

    assert names("search=alpha&sortBy=name&sortDir=asc") == ["Alpha one", "Alpha two"]
    assert names("status=failed") == ["Alpha two"]
    assert names("sortBy=name&sortDir=desc")[0] == "Beta one"
    assert names("page=99&sortBy=name&sortDir=asc")[0] == "Alpha one"


@pytest.mark.parametrize("view", ["grid", "table"])
def test_a_list_is_filtered_by_labels_and_shows_them(
    dashboard: Dashboard, view: str
) -> None:
    one, two = dashboard.world.ready(name="First"), dashboard.world.ready(name="Other")
    labels = {
        one: Labels(external_id="4711", tags=("red", "a <b>")),
        two: Labels(tags=("red", *map(str, range(9)))),
    }
    for video_id, its in labels.items():
        dashboard.world.change(
            video_id, lambda video, it=its: setattr(video, "labels", it)
        )
    person = dashboard.sign_in(Role.VIEWER)

    def shown(query: str) -> set[str]:
        answer = person.fragment(VIDEOS, f"view={view}&{query}")
        assert answer.status_code == 200
        return {name for name in ("First", "Other") if f">{name}<" in answer.text}

    assert shown("tag=red") == {"First", "Other"}
    assert shown("tag=a+%3Cb%3E") == {"First"}
    assert shown("externalID=4711&tag=red") == {"First"}
    assert shown("externalID=471") == set()
    assert shown("metadata=a:b") == set()
    page = person.get(VIDEOS, f"view={view}&tag=red").text
    assert 'name="tag" value="red"' in page
    assert ">4711<" in page
    assert "+7" in page
    # Of the list itself, whose addresses its rows leave out.
    assert 'href="?tag=a+%3Cb%3E"' in page
    assert "No video is like that" in person.get(VIDEOS, "tag=blue").text


def test_a_filter_that_no_label_can_have_is_told_where_it_was_given(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready()

    answer = dashboard.sign_in(Role.VIEWER).fragment(VIDEOS, "tag=a,b")

    assert 'role="alert"' in answer.text
    assert "commas" in answer.text


@pytest.mark.parametrize("asked_for", ["the page", "the results"])
def test_a_wrong_filter_is_told_in_the_place_of_the_list(
    dashboard: Dashboard, asked_for: str
) -> None:
    dashboard.world.ready(name="another")
    person = dashboard.sign_in(Role.VIEWER)
    open_page = person.get if asked_for == "the page" else person.fragment

    answer = open_page(VIDEOS, "sortBy=colour&page=x")

    assert answer.status_code == 200
    assert "another" not in answer.text
    results = answer.text.partition('id="results"')[2]
    assert 'role="alert"' in results


def test_the_address_of_a_filter_has_what_was_chosen_alone(
    dashboard: Dashboard,
) -> None:
    query = "search=a&status=&sortBy=created_at&sortDir=desc&env=dev"

    answer = dashboard.sign_in(Role.VIEWER).fragment(VIDEOS, query)

    assert answer.headers["hx-push-url"] == f"{VIDEOS}?env=dev&search=a"


def test_a_long_list_has_pages(dashboard: Dashboard) -> None:
    for number in range(25):
        dashboard.world.ready(name=f"v{number:02}")
    person = dashboard.sign_in(Role.VIEWER)

    first, second = (
        person.get(VIDEOS, f"sortBy=name&sortDir=asc&page={page}").text
        for page in (1, 2)
    )

    assert "25 videos · page 1 of 2" in first
    # Ids are random, and may have it in them.
    assert ">v24<" not in first
    assert ">v24<" in second
    assert 'rel="prev"' in second


def test_the_view_is_remembered(dashboard: Dashboard) -> None:
    dashboard.world.ready()

    answer = dashboard.sign_in(Role.VIEWER).get(VIDEOS, "view=table")

    assert answer.cookies["__Host-hv_view"].value == "table"
    assert "<table" in answer.text


def test_encoding_moves_by_itself_until_it_is_done(dashboard: Dashboard) -> None:
    world = dashboard.world
    video_id = world.transcoding()
    person = dashboard.sign_in(Role.VIEWER)
    asked = re.compile(r'id="poll" hidden[^>]* hx-get="([^"]+)"')

    page = person.get(VIDEOS)
    poll = asked.search(page.text)
    assert poll
    path, _, query = poll[1].replace("&amp;", "&").partition("?")
    running = person.fragment(path, query)
    assert asked.search(running.text)
    world.fail(video_id)
    ended = person.fragment(path, query)

    assert f'hx-target="#video-{video_id}"' in running.text
    assert not asked.search(ended.text)
    assert "Failed" in ended.text


def test_progress_is_told_of_ones_own_videos_alone(dashboard: Dashboard) -> None:
    theirs = dashboard.world.transcoding(dashboard.world.other_env)

    answer = dashboard.sign_in(Role.ADMIN).fragment(
        f"{VIDEOS}/progress", f"ids={theirs},nonsense"
    )

    assert answer.status_code == 200
    assert theirs not in answer.text


def test_the_state_of_a_video_says_why_it_failed(dashboard: Dashboard) -> None:
    failed = dashboard.world.failed()

    answer = dashboard.sign_in(Role.VIEWER).fragment(f"{VIDEOS}/{failed}/state")

    assert "There is no picture." in answer.text
    assert "hx-trigger" not in answer.text


def test_chosen_videos_are_deleted_in_the_persons_name(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    chosen, kept = [world.ready(), world.failed()], world.ready()
    theirs = world.ready(world.other_env)
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(f"{VIDEOS}/delete", {"video": [*chosen, theirs, "nonsense"]})

    assert answer.status_code == 303
    with world.services.uow.read() as work:
        states = {
            one: video.state
            for one in (*chosen, kept, theirs)
            if (video := work.videos.find(one))
        }
    assert states == dict.fromkeys(chosen, VideoState.DELETED) | dict.fromkeys(
        (kept, theirs), VideoState.READY
    )
    told = world.services.audit.latest(ORG, limit=10)
    deleted = [entry for entry in told if entry.action == "video.delete"]
    assert {entry.subject for entry in deleted} == set(chosen)
    assert {entry.actor_name for entry in deleted} == {"Editor Person"}
    assert world.services.audit.latest(OTHER_ORG, limit=10)[0].action != "video.delete"


def test_the_storyboard_of_a_private_video_has_a_permission(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=False)

    answer = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/storyboard")

    start = f"https://worker.test/v1/private/{video_id}/storyboard.vtt?token="
    assert answer.json["url"].startswith(start)


def test_an_upright_video_is_listed_with_its_whole_picture(
    dashboard: Dashboard,
) -> None:
    wide, upright = dashboard.world.ready(), dashboard.world.ready()

    def turn(video: Video) -> None:
        assert video.media is not None
        tracks = []
        for one in video.media.tracks:
            rung = one.track.rung and attrs.evolve(
                one.track.rung, width_px=360, height_px=640
            )
            tracks.append(attrs.evolve(one, track=attrs.evolve(one.track, rung=rung)))
        video.media = attrs.evolve(video.media, tracks=tuple(tracks))

    dashboard.world.change(upright, turn)

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS).text

    assert f"/t/{wide}/256x144.webp" in text
    assert f"/t/{upright}/81x144.webp" in text


def order_encoding(dashboard: Dashboard, lane: Lane, kind: str) -> str:
    """
    Make a video with one task for an encoder.
    """
    video_id = dashboard.world.transcoding()
    with dashboard.world.services.uow.write() as work:
        task = NewTask(kind=kind, lane=lane, org_id=OrgId(ORG), subject=video_id)
        work.tasks.add([task])
        work.commit()
    return video_id


def test_a_video_that_waits_for_an_encoder_says_so_with_its_place(
    dashboard: Dashboard,
) -> None:
    planned = order_encoding(dashboard, Lane.PLAN, TRANSCODE_PLAN)
    ids = [order_encoding(dashboard, Lane.ENCODE, TRANSCODE_PART) for _ in range(3)]
    with dashboard.world.services.uow.write() as work:
        (task,) = work.tasks.unended(ids[0], kind=TRANSCODE_PART)
        work.tasks.lease(task.id, worker="test:1")
        work.commit()
    person = dashboard.sign_in(Role.VIEWER)

    def shown(video_id: str) -> str:
        text = person.fragment(f"{VIDEOS}/{video_id}/state").text
        found = re.search(r'class="badge[^>]*>([^<]*)<', text)
        assert found
        return found[1]

    assert [shown(one) for one in (*ids, planned)] == [
        "Encoding 0 %",
        "Waiting for an encoder, place 1",
        "Waiting for an encoder, place 2",
        "Waiting for an encoder, place 3",
    ]
    listed = person.get(VIDEOS).text
    assert listed.count("Waiting for an encoder") == 3
    assert "Encoding 0 %" in listed


def test_places_are_told_of_ones_own_queue_alone(dashboard: Dashboard) -> None:
    world = dashboard.world
    theirs = world.transcoding(world.other_env)
    with world.services.uow.write() as work:
        work.tasks.add(
            [
                NewTask(
                    kind=TRANSCODE_PART,
                    lane=Lane.ENCODE,
                    org_id=OrgId(OTHER_ORG),
                    subject=theirs,
                )
            ]
        )
        work.commit()
    mine = order_encoding(dashboard, Lane.ENCODE, TRANSCODE_PART)

    text = dashboard.sign_in(Role.VIEWER).fragment(f"{VIDEOS}/{mine}/state").text

    assert "place 1" in text


@pytest.mark.parametrize("view", ["grid", "table"])
def test_a_failed_video_says_why_in_the_list_and_goes_with_one_click(
    dashboard: Dashboard, view: str
) -> None:
    failed = dashboard.world.failed()
    person = dashboard.sign_in(Role.EDITOR)

    page = person.get(VIDEOS, f"view={view}")
    # The button sends the form of the list, with its token, to another address.
    fields = form_of(page, f"{VIDEOS}/bulk")
    person.post(f"{VIDEOS}/{failed}/delete", {**fields, "reason": "user_request"})

    assert "There is no picture." in page.text
    assert f'formaction="videos/{failed}/delete"' in page.text
    assert dashboard.video(failed).state is VideoState.DELETED
    assert "/delete" not in dashboard.sign_in(Role.VIEWER).get(VIDEOS).text
