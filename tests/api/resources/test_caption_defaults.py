"""
The captions by machine that an environment's new videos get, by API.
"""

import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from hvcore.domain.videos.caption_jobs import MAX_WISHES
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.support.http.world import ORG, World, body_of, problem_of


@pytest.fixture(params=["/v1", f"/v1/api/{ORG}/environments/live"])
def path(request: pytest.FixtureRequest, api: World) -> str:
    vars(api.services)["transcriber"] = MemoryTranscriber()
    return f"{request.param}/caption-defaults"


def put(api: World, path: str, languages: object) -> Result:
    """
    Set default captions with a key that may.
    """
    full = api.make_key(KeyType.FULL_ACCESS)
    return api.call("PUT", path, json={"languages": languages}, key=full)


def test_keys_of_environments_read_the_captions_of_new_videos_and_do_not_set_them(
    api: World, path: str
) -> None:
    put(api, path, ["de"])

    refused = api.call("PUT", path, json={"languages": ["en"]})

    assert "full-access key" in problem_of(refused, 403, "forbidden")["detail"]
    assert body_of(api.get(path)) == {"languages": ["de"], "inherited": False}


def test_the_captions_of_new_videos_are_set_and_told(api: World, path: str) -> None:
    assert body_of(api.get(path)) == {"languages": [], "inherited": True}

    told = body_of(put(api, path, ["DE", "en", "de"]))

    assert told == {"languages": ["de", "en"], "inherited": False}
    assert body_of(api.get(path)) == told


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"languages": []}, {"languages": [], "inherited": False}),
        ({"languages": None}, {"languages": [], "inherited": True}),
        ({}, {"languages": [], "inherited": True}),
    ],
)
def test_no_captions_and_those_of_the_service_are_different(
    api: World, path: str, body: object, expected: object
) -> None:
    put(api, path, ["auto"])

    full = api.make_key(KeyType.FULL_ACCESS)
    assert body_of(api.call("PUT", path, json=body, key=full)) == expected


@pytest.mark.parametrize(
    ("languages", "status"),
    [
        ("en", 422),
        (True, 422),
        ([1], 422),
        (["english"], 400),
        (["en\0"], 400),
        (["en"] * (MAX_WISHES + 1), 400),
        (["ja"], 422),
    ],
)
def test_default_captions_in_no_known_language_are_refused(
    api: World, path: str, languages: object, status: int
) -> None:
    sent = put(api, path, languages)

    problem_of(sent, status, "invalid_parameters")
    assert body_of(api.get(path))["inherited"]


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b"\xff"])
def test_a_body_that_is_no_document_is_refused(
    api: World, path: str, body: bytes
) -> None:
    headers = {"Content-Type": "application/json"}

    full = api.make_key(KeyType.FULL_ACCESS)
    refused = api.call("PUT", path, body=body, headers=headers, key=full)

    problem_of(refused, 422 if body == b"[]" else 400, "invalid_parameters")


def test_each_environment_has_its_own(api: World) -> None:
    vars(api.services)["transcriber"] = MemoryTranscriber()
    dev = f"/v1/api/{ORG}/environments/dev/caption-defaults"

    put(api, "/v1/caption-defaults", ["de"])

    full = api.make_key(KeyType.FULL_ACCESS, env=None)
    assert body_of(api.get(dev, key=full)) == {"languages": [], "inherited": True}


@pytest.mark.parametrize("lacks", [Permission.VIDEOS_READ, Permission.VIDEOS_WRITE])
def test_defaults_need_the_permission_of_videos(
    api: World, path: str, lacks: Permission
) -> None:
    key = api.make_key(KeyType.FULL_ACCESS, permissions=ALL_PERMISSIONS - {lacks})
    is_write = lacks is Permission.VIDEOS_WRITE

    sent = (
        api.call("PUT", path, json={"languages": []}, key=key)
        if is_write
        else api.get(path, key=key)
    )

    assert lacks.value in problem_of(sent, 403, "forbidden")["detail"]
