"""
The search of the list by tags and ids, its filters, and the size of its pages.
"""

import copy
import re
from html import unescape

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import new_public_id, new_video_id
from hvcore.domain.labels import Labels
from hvcore.domain.videos.catalog import TagTotal
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.support.http.world import OTHER_ORG

MOST_BYTES = 300_000


def label(dashboard: Dashboard, video_id: str, labels: Labels) -> None:
    dashboard.world.change(video_id, lambda video: setattr(video, "labels", labels))


def suggested(answer: Result) -> list[tuple[str, str]]:
    """
    Return the suggested tags with their counts.
    """
    place = answer.text.partition('class="suggested"')[2].partition("</nav>")[0]
    found = re.findall(r'dir="auto">(.*?) <span class="muted">([\d,]+)<', place)
    return [(unescape(tag), count) for tag, count in found]


def test_tags_are_suggested_by_a_part_of_their_name_with_their_counts(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    for tags in (("Interview", "b <i>"), ("Interview",), ("interval",)):
        label(dashboard, world.ready(), Labels(tags=tags, metadata=(("view", "x"),)))
    theirs = (world.ready(world.other_env), world.ready(world.dev))
    for video_id in theirs:
        label(dashboard, video_id, Labels(tags=("view of theirs",)))
    person = dashboard.sign_in(Role.VIEWER)

    assert suggested(person.fragment(VIDEOS, "search=VIEW")) == [("Interview", "2")]
    assert suggested(person.get(VIDEOS)) == [
        ("Interview", "2"),
        ("b <i>", "1"),
        ("interval", "1"),
    ]
    chosen = person.get(VIDEOS, "tag=Interview")
    assert suggested(chosen) == []
    assert "2 videos" in chosen.text
    assert 'aria-label="Remove this filter"' in chosen.text


def test_a_suggested_tag_keeps_the_filters_and_takes_the_place_of_the_text(
    dashboard: Dashboard,
) -> None:
    label(dashboard, dashboard.world.ready(), Labels(tags=("a&b",)))

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS, "search=a&status=ready").text

    assert f'href="{VIDEOS}?status=ready&amp;tag=a%26b"' in text


def test_few_of_many_tags_are_suggested(dashboard: Dashboard) -> None:
    world = dashboard.world
    for start in range(0, 60, 20):
        tags = tuple(f"tag {number:02}" for number in range(start, start + 20))
        label(dashboard, world.ready(), Labels(tags=tags))

    found = world.services.catalog.tags(world.env, "TAG 1", most=4)

    assert found == tuple(TagTotal(f"tag {number}", 1) for number in range(10, 14))


def test_a_tag_of_deleted_videos_is_not_suggested(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    label(dashboard, video_id, Labels(tags=("gone",)))
    person = dashboard.sign_in(Role.EDITOR)
    person.post(f"{VIDEOS}/{video_id}/delete")

    assert suggested(person.get(VIDEOS)) == []


@pytest.mark.parametrize("by", ["id", "public id", "external id"])
def test_a_video_is_found_by_each_of_its_ids(dashboard: Dashboard, by: str) -> None:
    video_id = dashboard.world.ready(name="wanted")
    dashboard.world.ready(name="another")
    label(dashboard, video_id, Labels(external_id="order 4711"))
    asked = {
        "id": video_id,
        "public id": dashboard.video(video_id).public_id,
        "external id": " order 4711 ",
    }
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(VIDEOS, f"search={asked[by].replace(' ', '+')}")

    assert answer.text.count(f'id="video-{video_id}"') == 1
    assert ">another<" not in answer.text
    assert "Found by its id" in answer.text
    assert "No video is like that" not in answer.text


def test_an_external_id_that_is_a_part_of_names_finds_both(
    dashboard: Dashboard,
) -> None:
    numbered, named = dashboard.world.ready(), dashboard.world.ready(name="Take 7")
    label(dashboard, numbered, Labels(external_id="7"))
    both = dashboard.world.ready(name="7 up")

    answer = dashboard.sign_in(Role.VIEWER).get(VIDEOS, "search=7")

    listed = {f"video-{one}" for one in (numbered, named, both)}
    assert listed <= ids_in(answer)


def test_the_id_of_another_environment_leads_there(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(dashboard.world.dev)

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS, f"search={video_id}").text

    assert f'href="{VIDEOS}/{video_id}?env=dev"' in text
    assert "Found by its id" not in text


def test_the_id_of_another_organization_finds_nothing(dashboard: Dashboard) -> None:
    world = dashboard.world
    theirs, unknown = world.ready(world.other_env), "vid_" + "0" * 22
    label(dashboard, theirs, Labels(external_id="theirs"))
    person = dashboard.sign_in(Role.ADMIN)

    foreign, none, external = (
        person.fragment(VIDEOS, f"search={one}") for one in (theirs, unknown, "theirs")
    )

    nonce = re.compile(r'nonce="[^"]*"')
    told = (nonce.sub("", one.text) for one in (foreign, none))
    assert next(told).replace(theirs, unknown) == next(told)
    assert "No video is like that" in external.text
    assert OTHER_ORG not in foreign.text


def test_a_list_is_filtered_by_visibility_and_days(dashboard: Dashboard) -> None:
    dashboard.world.ready(name="open")
    dashboard.world.ready(name="closed", is_public=False)
    person = dashboard.sign_in(Role.VIEWER)
    today = dashboard.world.clock.now().date().isoformat()

    def names(query: str) -> set[str]:
        text = person.fragment(VIDEOS, query).text
        return {name for name in ("open", "closed") if f">{name}<" in text}

    assert names("allowPublicAccess=true") == {"open"}
    assert names("allowPublicAccess=false") == {"closed"}
    assert names(f"from={today}&to={today}") == {"open", "closed"}
    assert names("to=2001-01-01") == set()
    assert (
        "must not be after"
        in person.fragment(VIDEOS, f"from={today}&to=2001-01-01").text
    )
    page = person.get(VIDEOS, f"from={today}&allowPublicAccess=false").text
    assert f'name="from" value="{today}"' in page
    assert '<option value="false" selected>Private' in page


@pytest.mark.parametrize("size", ["0", "25", "-1", "9" * 30, "x", "24.0"])
def test_a_page_has_a_size_from_the_choices_alone(
    dashboard: Dashboard, size: str
) -> None:
    for number in range(26):
        dashboard.world.ready(name=f"v{number:02}")

    answer = dashboard.sign_in(Role.VIEWER).fragment(VIDEOS, f"pageSize={size}")

    assert answer.text.count('<li id="video-') == 24


def test_pages_have_numbers(dashboard: Dashboard) -> None:
    for number in range(25):
        dashboard.world.ready(name=f"v{number:02}")
    person = dashboard.sign_in(Role.VIEWER)

    text = person.get(VIDEOS, "search=v").text

    assert '<span class="unseen">Page </span>2</a>' in text
    assert f'href="{VIDEOS}?page=2&amp;search=v"' in text or (
        f'href="{VIDEOS}?search=v&amp;page=2"' in text
    )


def list_usual_videos(dashboard: Dashboard) -> None:
    """
    Store 240 private videos that a search for ``usual`` finds.
    """
    one = dashboard.video(dashboard.world.ready(is_public=False))
    with dashboard.world.services.uow.write() as work:
        for number in range(240):
            copied = copy.deepcopy(one)
            copied.id, copied.public_id = new_video_id(), new_public_id()
            copied.name = f"A usual name of a usual video, {number}"
            copied.labels = Labels(tags=("interview", "autumn"))
            work.videos.add(copied)
        work.commit()


def test_a_page_of_240_videos_is_light(dashboard: Dashboard) -> None:
    """
    The page itself, as it is sent: nothing of the dashboard is compressed.
    """
    list_usual_videos(dashboard)
    person = dashboard.sign_in(Role.EDITOR)

    for view in ("grid", "table"):
        answer = person.get(VIDEOS, f"pageSize=240&view={view}&search=usual")
        assert len(set(re.findall(r'id="video-(\w+)"', answer.text))) == 240
        assert len(answer.content) <= MOST_BYTES, (view, len(answer.content))
