"""
Filters of lists of videos that hold, or are refused, in both families.
"""

import pytest

from hvcore.domain.labels import Labels
from tests.support.http.world import ORG, World, body_of, locations, problem_of

LIST = pytest.mark.parametrize(
    "videos", [f"/v1/api/{ORG}/environments/live/videos", "/v1/videos"]
)
VIDEO = pytest.mark.parametrize(
    "video", [f"/v1/api/{ORG}/videos/{{}}", "/v1/videos/{}"]
)


def labelled(api: World, *, is_public: bool = True, **metadata: str) -> str:
    video_id = api.ready(is_public=is_public)
    labels = Labels(metadata=tuple(metadata.items()), tags=("kept",))
    api.change(video_id, lambda video: setattr(video, "labels", labels))
    return video_id


def found(api: World, videos: str, query: str) -> list[str]:
    page = body_of(api.get(videos, query))
    ids = [video["id"] for video in page["videos"]]
    assert page["pagination"]["total"] == len(ids)
    return sorted(ids)


@LIST
def test_of_several_metadata_all_must_hold(api: World, videos: str) -> None:
    both = labelled(api, order="4711", hall="2", year="1922")
    labelled(api, order="4711", hall="3")
    labelled(api, order="4712", hall="2")

    query = "metadata=order:4711&metadata=hall:2"

    assert found(api, videos, query) == [both]
    assert found(api, videos, f"{query}&metadata=year:1922&tag=kept") == [both]
    assert found(api, videos, f"{query}&metadata=year:1923") == []
    # Nobody has both.
    assert found(api, videos, "metadata=hall:2&metadata=hall:3") == []
    # Once more says nothing new.
    assert found(api, videos, f"{query}&metadata=hall:2&sortBy=name") == [both]


@LIST
def test_each_of_several_metadata_is_judged(api: World, videos: str) -> None:
    labelled(api, order="4711")

    wrong = api.get(videos, "metadata=order:4711&metadata=hall")
    many = api.get(videos, "&".join(f"metadata=k{n}:1" for n in range(21)))

    for refused in (wrong, many):
        document = problem_of(refused, 400, "invalid_parameters")
        assert locations(document) == ["query.metadata"]
    assert "at most 20 times" in many.json["detail"]
    assert found(api, videos, "&".join(f"metadata=k{n}:1" for n in range(20))) == []


@LIST
def test_lists_show_public_or_private_videos_alone(api: World, videos: str) -> None:
    public = labelled(api, order="1")
    private = labelled(api, is_public=False, order="1")

    for further in (
        *("", "&metadata=order:1", "&tag=kept&search=clip", "&search=cl"),
        *("&status=ready", "&sortBy=name", "&sortBy=duration&sortDir=asc"),
        *("&sortBy=status", "&from=2026-01-02&to=2026-01-02"),
    ):
        assert found(api, videos, f"allowPublicAccess=true{further}") == [public]
        assert found(api, videos, f"allowPublicAccess=false{further}") == [private]
    assert found(api, videos, "") == sorted([public, private])


@LIST
def test_a_video_that_is_made_private_leaves_the_list_of_public_ones(
    api: World, videos: str
) -> None:
    video_id = labelled(api)
    query = "allowPublicAccess=true&sortBy=name"
    before = found(api, videos, query)

    body_of(
        api.call("PATCH", f"/v1/videos/{video_id}", json={"allowPublicAccess": False})
    )

    assert before == [video_id]
    assert found(api, videos, query) == []


@LIST
@pytest.mark.parametrize("value", ["1", "True", "", "public"])
def test_a_visibility_that_is_no_boolean_is_refused(
    api: World, videos: str, value: str
) -> None:
    result = api.get(videos, f"allowPublicAccess={value}")

    document = problem_of(result, 422, "invalid_parameters")
    assert locations(document) == ["query.allowPublicAccess"]


@LIST
@pytest.mark.parametrize(
    ("sent", "right"),
    [
        ("tags", "tag"),
        ("Tag", "tag"),
        ("meta", "metadata"),
        ("metadata[order]", "metadata"),
        ("externalId", "externalID"),
        ("external_id", "externalID"),
        ("SEARCH", "search"),
        ("sort_by", "sortBy"),
        ("allowpublicaccess", "allowPublicAccess"),
        ("visibility", "allowPublicAccess"),
        ("isPublic", "allowPublicAccess"),
    ],
)
def test_a_misnamed_filter_lists_nothing_and_names_the_right_one(
    api: World, videos: str, sent: str, right: str
) -> None:
    api.ready()

    document = problem_of(api.get(videos, f"{sent}=x"), 400, "invalid_parameters")

    assert locations(document) == [f"query.{sent}"]
    assert f"send {right}" in document["detail"]


@VIDEO
def test_a_change_without_a_known_member_is_refused(api: World, video: str) -> None:
    video_id = api.ready(name="Before")
    path = video.format(video_id)

    document = problem_of(
        api.call("PATCH", path, json={"name": "After", "title": "After"}),
        400,
        "invalid_parameters",
    )

    assert locations(document) == ["body.name", "body.title"]
    assert "videoName" in document["detail"]
    assert body_of(api.get(f"/v1/videos/{video_id}"))["name"] == "Before"
    # One that is known is enough, and none changes nothing.
    body_of(api.call("PATCH", path, json={"name": "After", "description": "New"}))
    body_of(api.call("PATCH", path, json={}))


@VIDEO
def test_a_second_deletion_is_refused_as_already_done(api: World, video: str) -> None:
    path = video.format(api.ready())
    body_of(api.delete(path))

    for _ in range(2):
        problem_of(api.delete(path), 400, "already_deleted")
