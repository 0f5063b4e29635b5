"""
What owners keep with videos: external IDs, metadata and tags.
"""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from hvcore.domain.limits import MAX_METADATA_KEY_CHARS, MAX_METADATA_VALUE_CHARS
from hvcore.wire.videos.labels import MetadataFilter
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of

LABELS = {
    "externalID": "order/4711 ü🎬",
    "metadata": {"plan": "free", "lang-1": "日本語"},
    "tags": ["sommer", "Ü 18", "🎬"],
}


def new(api: World, **fields: object) -> str:
    wanted = {"fileName": "a.mp4", **fields}
    return str(body_of(api.post("/v1/videos/upload-url", wanted))["videoID"])


def details(api: World, video: str) -> dict[str, Any]:
    return body_of(api.get(f"/v1/videos/{video}"))


def patch(api: World, video: str, **fields: object) -> Any:  # noqa: ANN401 - a result
    return api.call("PATCH", f"/v1/videos/{video}", json=fields)


def labels_of(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in LABELS if name in record}


def found(api: World, query: str) -> list[str]:
    listed = body_of(api.get("/v1/videos", query))
    assert listed["pagination"]["total"] == len(listed["videos"])
    return [video["id"] for video in listed["videos"]]


def tus(api: World, fields: dict[str, str]) -> Any:  # noqa: ANN401 - a result
    pairs = ",".join(
        f"{name} {base64.b64encode(text.encode()).decode()}"
        for name, text in {"fileName": "a.mp4", **fields}.items()
    )
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "5",
        "Upload-Metadata": pairs,
    }
    return api.call("POST", "/v1/uploads", headers=headers)


@pytest.mark.parametrize("door", ["upload-url", "fetch", "process", "tus", "patch"])
def test_every_door_takes_them(api: World, door: str) -> None:
    if door == "upload-url":
        video = new(api, **LABELS)
    elif door == "fetch":
        wanted = {"fileName": "a.mp4", "videoURL": "https://93.184.216.34/a.mp4"}
        video = body_of(api.post("/v1/videos/upload", {**wanted, **LABELS}))["videoID"]
    elif door == "process":
        file = {"filename": "a.mp4", "fileSize": 5}
        root = f"/v1/api/{ORG}/environments/{ENV}/videos"
        path = body_of(api.post(f"{root}/upload-url", file))["bucketPath"]
        api.upload(path)
        wanted = {
            "gcsPath": path,
            "videoQuality": "standard",
            "allowPublicAccess": True,
        }
        video = body_of(api.post(f"{root}/process", {**wanted, **LABELS}))["videoID"]
    elif door == "tus":
        texts = {
            "externalID": LABELS["externalID"],
            "metadata": json.dumps(LABELS["metadata"]),
            "tags": ", ".join(LABELS["tags"]),
        }
        video = tus(api, texts).headers["X-Asset-Id"]
    else:
        video = api.transcoding()
        assert labels_of(body_of(patch(api, video, **LABELS))) == LABELS

    assert labels_of(details(api, video)) == LABELS


def test_lists_events_and_details_show_them(api: World) -> None:
    video = api.ready()
    assert labels_of(details(api, video)) == {}

    patch(api, video, **LABELS)

    [listed] = body_of(api.get("/v1/videos"))["videos"]
    events = body_of(api.get("/v1/events"))["events"]
    assert labels_of(listed) == LABELS
    assert labels_of(events[-1]) == LABELS
    assert labels_of(events[0]) == {}
    patch(api, video, tags=None)
    # What has happened stays as it was told.
    assert body_of(api.get("/v1/events"))["events"][: len(events)] == events


def test_metadata_is_merged_and_null_removes(api: World) -> None:
    video = api.transcoding()
    patch(api, video, **LABELS)

    body = body_of(patch(api, video, metadata={"plan": None, "seat": "4"}))
    assert body["metadata"] == {"lang-1": "日本語", "seat": "4"}
    assert body["tags"] == LABELS["tags"]
    assert body_of(patch(api, video, tags=["x", "x"]))["tags"] == ["x"]

    body = body_of(patch(api, video, externalID=None, metadata=None, tags=None))
    assert labels_of(body) == {}
    assert labels_of(body_of(patch(api, video, metadata={}, tags=[]))) == {}


@pytest.mark.parametrize(
    ("fields", "status", "where"),
    [
        ({"externalID": ""}, 400, "externalID"),
        ({"externalID": "x" * 256}, 400, "externalID"),
        ({"externalID": "a\nb"}, 400, "externalID"),
        ({"externalID": "a\x85"}, 400, "externalID"),
        ({"externalID": 7}, 422, "externalID"),
        ({"metadata": []}, 422, "metadata"),
        ({"metadata": {"a": 1}}, 422, "metadata"),
        ({"metadata": {"a": ""}}, 400, "metadata"),
        ({"metadata": {"": "a"}}, 400, "metadata"),
        ({"metadata": {"a:b": "a"}}, 400, "metadata"),
        ({"metadata": {"ü": "a"}}, 400, "metadata"),
        ({"metadata": {"k" * 41: "a"}}, 400, "metadata"),
        ({"metadata": {"a": "x" * 501}}, 400, "metadata"),
        ({"metadata": {"a": "x\0"}}, 400, "metadata"),
        ({"metadata": {f"k{n}": "x" for n in range(21)}}, 400, "metadata"),
        ({"metadata": {f"k{n}": "ü" * 200 for n in range(11)}}, 400, "metadata"),
        ({"tags": "a"}, 422, "tags"),
        ({"tags": [1]}, 422, "tags"),
        ({"tags": [""]}, 400, "tags"),
        ({"tags": ["a,b"]}, 400, "tags"),
        ({"tags": ["x" * 65]}, 400, "tags"),
        ({"tags": [f"t{n}" for n in range(21)]}, 400, "tags"),
    ],
)
def test_a_label_that_is_too_much_or_no_text_is_refused_by_name(
    api: World, fields: dict[str, object], status: int, where: str
) -> None:
    video = api.transcoding()
    wanted = {"fileName": "a.mp4", **fields}

    for result in (
        api.post("/v1/videos/upload-url", wanted),
        patch(api, video, **fields),
    ):
        assert result.status_code == status
        assert locations(result.json) == [f"body.{where}"]


def test_as_much_as_is_allowed_is_kept(api: World) -> None:
    # 4 + 20 * (3 + 201) bytes would be too many.
    metadata = {f"k{n:02}": "x" * 201 for n in range(20)}
    most = {
        "externalID": "🎬" * 255,
        "metadata": metadata | {"k00": "x" * 217},
        "tags": [f"{n:02}" + "ü" * 62 for n in range(20)],
    }
    assert labels_of(details(api, new(api, **most))) == most
    video = api.transcoding()
    assert patch(api, video, **most | {"externalID": "another"}).status_code == 200
    assert patch(api, video, metadata={"k00": "x" * 218}).status_code == 400
    assert patch(api, video, metadata={"more": "x", "k00": None}).status_code == 200
    result = patch(api, video, metadata={"k00": "x"})
    assert result.status_code == 400
    assert "null removes" in problem_of(result, 400, "invalid_parameters")["detail"]
    assert labels_of(details(api, video))["metadata"].keys() == {
        "more",
        *list(metadata)[1:],
    }


def test_an_external_id_belongs_to_one_video_until_it_is_deleted(api: World) -> None:
    video = new(api, externalID="a")
    other = api.transcoding()

    refused = [
        api.post("/v1/videos/upload-url", {"fileName": "a.mp4", "externalID": "a"}),
        patch(api, other, externalID="a"),
        tus(api, {"externalID": "a"}),
    ]

    for result in refused:
        detail = problem_of(result, 409, "conflict")["detail"]
        assert "parameter externalID" in detail
    places = [locations(result.json) for result in refused]
    assert places == [["body.externalID"]] * 2 + [["header.Upload-Metadata"]]
    new(api, externalID="A")
    key = api.make_key(env="dev")
    in_dev = {"fileName": "a.mp4", "externalID": "a"}
    assert api.post("/v1/videos/upload-url", in_dev, key=key).status_code == 200
    api.delete(f"/v1/videos/{video}")
    assert body_of(patch(api, other, externalID="a"))["externalID"] == "a"


def test_lists_find_videos_by_them(api: World) -> None:
    first = api.ready(name="first")
    api.clock.move(timedelta(seconds=1))
    second = api.failed(name="second")
    api.clock.move(timedelta(seconds=1))
    third = api.ready(name="third")
    awaited = new(api, externalID="x", tags=["a"])
    patch(api, first, externalID="1", tags=["a", "b"], metadata={"k": "v:w"})
    patch(api, second, externalID="2", tags=["a"], metadata={"k": "v"})
    patch(api, third, tags=["A"], metadata={"k": "v:w"})

    assert found(api, "externalID=2") == [second]
    assert found(api, "externalID=2&status=ready") == []
    assert found(api, "externalID=x") == []
    assert found(api, "tag=a&sortDir=asc") == [first, second]
    assert found(api, "tag=a&sortBy=name&sortDir=desc") == [second, first]
    assert found(api, "tag=a&status=failed") == [second]
    assert found(api, "tag=a&search=IRS") == [first]
    assert found(api, "metadata=k:v:w&sortDir=asc") == [first, third]
    assert found(api, "metadata=k:v:w&tag=a") == [first]
    assert found(api, "metadata=k:v:w&tag=none") == []
    assert found(api, "metadata=k:v:w&externalID=1&tag=b") == [first]
    assert found(api, "tag=a&from=2000-01-01&to=2000-01-02") == []
    assert api.get("/v1/videos", "metadata=k").status_code == 400

    patch(api, first, tags=None)
    api.delete(f"/v1/videos/{second}")
    assert found(api, "tag=a") == []
    assert found(api, "externalID=2") == []
    api.upload(details_path(api, awaited))
    assert found(api, "tag=a") == [awaited]


def details_path(api: World, video: str) -> str:
    with api.services.uow.read() as work:
        stored = work.videos.find(video)
    assert stored is not None
    return stored.source_path


def test_the_longest_metadata_filter_has_the_length_that_its_description_allows() -> (
    None
):
    longest = "k" * MAX_METADATA_KEY_CHARS + ":" + "v" * MAX_METADATA_VALUE_CHARS

    assert MetadataFilter().from_text(longest)
    assert MetadataFilter().schema()["maxLength"] == len(longest)
