"""
What is generated follows from today's description, and knows all of its examples.
"""

import copy
import io
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore import __version__ as service_version
from hvcore_api.openapi.examples import EXAMPLES
from hvcore_client import __version__, models
from hvcore_client.coding import FURTHER, decode, encode, further
from hvcore_client_generator.__main__ import main
from hvcore_client_generator.names import camel, snake
from hvcore_client_generator.reading import LEFT_OUT, read_api
from tests.support.http.fixtures import _template, shared
from tests.support.http.world import World

__all__ = ["_template", "shared"]

GENERATED = Path(__file__).parents[3] / "contrib" / "hvcore_client" / "generated"


@pytest.fixture(scope="module")
def document(shared: World) -> Any:  # noqa: ANN401 - JSON data
    return shared.client.simulate_get("/v1/openapi.json").json


def texts_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*.py")
    }


def test_what_is_committed_is_what_is_generated(
    document: Any,  # noqa: ANN401 - JSON data
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "old.py").touch()
    monkeypatch.setattr(
        "sys.argv", ["hvcore_client_generator", "python", str(tmp_path)]
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(document)))

    main()

    made, committed = texts_of(tmp_path), texts_of(GENERATED)
    changed = {
        name for name in {*made, *committed} if made.get(name) != committed.get(name)
    }
    assert not changed, (
        "hv openapi | python -m hvcore_client_generator python contrib/hvcore_client/generated"
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"type": ["string", "integer"]},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"$ref": "#/components/schemas/Twice"},
    ],
)
def test_what_no_client_can_be_written_for_is_refused(
    document: Any,  # noqa: ANN401 - JSON data
    schema: object,
) -> None:
    twice = {"type": "object", "properties": {"aB": {}, "a_b": {}}}
    schemas = {
        **document["components"]["schemas"],
        "Problem": {"properties": {"x": schema}},
        "Twice": twice,
    }
    changed = {**document, "components": {**document["components"], "schemas": schemas}}

    with pytest.raises(ValueError, match=r"types|name|same words"):
        read_api(changed)


def test_a_member_that_is_named_like_the_header_of_its_answer_is_refused(
    document: Any,  # noqa: ANN401 - JSON data
) -> None:
    changed = copy.deepcopy(document)
    details = changed["components"]["schemas"]["VideoDetails"]
    details["properties"]["etag"] = {"type": "string"}

    with pytest.raises(ValueError, match="VideoDetails has an ETag and a member"):
        read_api(changed)


def test_every_operation_of_the_service_is_a_method(document: Any) -> None:  # noqa: ANN401 - JSON data
    named = {
        operation["operationId"]
        for item in document["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }

    assert {found.name for found in read_api(document).operations} == named - LEFT_OUT


def test_the_client_has_the_version_of_the_service() -> None:
    assert __version__ == service_version


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_is_read_and_written_again(name: str) -> None:
    example: Any = EXAMPLES[name]
    wanted = name.removesuffix("Answer") if name.endswith("Answer") else name
    value = (
        example["body"] if name.endswith("Answer") and "body" in example else example
    )
    model = getattr(models, wanted, models.Problem if name.islower() else None)
    assert model is not None

    read: Any = decode(model, value)

    assert encode(read) == value
    assert getattr(read, FURTHER) == {}


def test_members_of_a_later_service_are_kept() -> None:
    sent = {"status": "ok", "mood": {"is": ["good"]}}

    read = decode(models.Liveness, sent)

    assert read.further_members == {"mood": {"is": ["good"]}}
    assert encode(read) == sent


def test_words_of_a_later_service_are_taken() -> None:
    assert decode(models.Liveness, {"status": "sleepy"}).status == "sleepy"  # type: ignore[comparison-overlap]  # a word of tomorrow


@pytest.mark.parametrize("value", [None, [], "x", {}, {"videos": {}, "pagination": {}}])
def test_what_is_no_such_object_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"is no|has no"):
        decode(models.VideoList, value)


def test_lists_maps_and_days_are_read() -> None:
    @attrs.frozen(kw_only=True)
    class Plain:
        counts: Mapping[str, int]
        days: Sequence[date] | None = None
        further_members: Mapping[str, object] = further()

    read = decode(Plain, {"counts": {"a": 1}, "days": ["2026-01-02", "soon"]})

    assert read.days == [date(2026, 1, 2), "soon"]
    assert encode(read) == {"counts": {"a": 1}, "days": ["2026-01-02", "soon"]}
    assert encode(decode(Plain, {"counts": {}})) == {"counts": {}}
    for wrong in ({"counts": []}, {"counts": {}, "days": {}}):
        with pytest.raises(ValueError, match="is no"):
            decode(Plain, wrong)


def test_a_moment_needs_a_time_zone() -> None:
    east = timezone(timedelta(hours=2))

    assert encode(datetime(2026, 1, 2, 3, tzinfo=east)) == "2026-01-02T01:00:00.000Z"
    with pytest.raises(ValueError, match="time zone"):
        encode(datetime(2026, 1, 2))  # noqa: DTZ001 - what is refused
    # What is no moment is taken as it is.
    read: Any = decode(Sequence[datetime], ["soon", None])  # type: ignore[type-abstract]
    assert read == ["soon", None]


def test_addresses_and_keys_are_not_shown() -> None:
    granted = decode(
        models.VideoUploadGrant, EXAMPLES["VideoUploadGrantAnswer"]["body"]
    )  # type: ignore[index]  # JSON data
    key = decode(models.EdgeKey, EXAMPLES["EdgeKeyAnswer"]["body"])  # type: ignore[index]  # JSON data

    assert granted.signed_url not in repr(granted)
    assert "https://upload.test/…" in repr(granted)
    assert key.edge_key not in repr(key)


@pytest.mark.parametrize(
    ("name", "in_python", "in_javascript"),
    [
        ("createUploadUrl", "create_upload_url", "createUploadUrl"),
        ("videoID", "video_id", "videoId"),
        ("twoPassVBREncoding", "two_pass_vbr_encoding", "twoPassVbrEncoding"),
        ("Upload-Length", "upload_length", "uploadLength"),
        ("signed_url", "signed_url", "signedUrl"),
        ("playbackURLs", "playback_urls", "playbackUrls"),
        ("area51Name", "area51_name", "area51Name"),
    ],
)
def test_names_are_written_as_the_language_does(
    name: str, in_python: str, in_javascript: str
) -> None:
    assert (snake(name), camel(name)) == (in_python, in_javascript)
