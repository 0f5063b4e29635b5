"""
What is generated follows from today's description, and knows all of its examples.
"""

from pathlib import Path
from typing import Any

import pytest

from hv_api.openapi.examples import EXAMPLES
from hv_client import __version__, models
from hv_client.coding import FURTHER, decode, encode
from hv_client_generator.names import camel, snake
from hv_client_generator.python import write_python
from hv_client_generator.reading import LEFT_OUT, read_api
from hvcore import __version__ as service_version
from tests.http.conftest import _template, shared
from tests.http.world import World

__all__ = ["_template", "shared"]

GENERATED = Path(__file__).parents[2] / "contrib" / "hv_client" / "generated"


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
) -> None:
    write_python(read_api(document), tmp_path)

    made, committed = texts_of(tmp_path), texts_of(GENERATED)
    changed = {
        name for name in {*made, *committed} if made.get(name) != committed.get(name)
    }
    assert not changed, (
        "hv openapi | python -m hv_client_generator python contrib/hv_client/generated"
    )


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
