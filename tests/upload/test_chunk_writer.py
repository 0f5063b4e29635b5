"""
A chunk with a checksum is kept if it is right.
"""

import pytest
from falcon.testing import TestClient

from tests.support.http.world import World, locations, problem_of
from tests.upload.tus.exchange import (
    DATA,
    checksum,
    created,
    cut_off,
    files,
    grant_of,
    offset_of,
    patch,
    stored,
)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "md5"])
def test_a_chunk_with_its_checksum_is_taken(
    api: World, client: TestClient, algorithm: str
) -> None:
    location = created(api)

    for start, end in ((0, 700), (700, len(DATA))):
        chunk = DATA[start:end]
        result = patch(client, location, chunk, start, checksum(algorithm, chunk))
        assert (result.status_code, result.headers["Upload-Offset"]) == (204, str(end))

    assert stored(api) == [DATA]
    assert files(api) == []


def test_a_chunk_with_another_checksum_is_not_kept(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    result = patch(client, location, DATA[700:], 700, checksum("sha1", b"other"))

    assert result.status_code == 460
    assert result.status == "460 Checksum Mismatch"
    assert result.json["code"] == "checksum_mismatch"
    assert offset_of(client, location) == 700
    assert stored(api) == []
    again = patch(client, location, DATA[700:], 700, checksum("sha1", DATA[700:]))
    assert again.status_code == 204
    assert stored(api) == [DATA]


def test_a_cut_off_chunk_with_a_checksum_is_not_kept(
    api: World, client: TestClient
) -> None:
    location = created(api)

    result = cut_off(client, location, DATA[:700], checksum("sha1", DATA[:701]))

    problem_of(result, 409, "conflict")
    assert offset_of(client, location) == 0


def test_unverified_bytes_do_not_count_while_they_come(
    api: World, client: TestClient
) -> None:
    location = created(api)
    seen: list[int] = []

    def look() -> None:
        seen.append(offset_of(client, location))

    cut_off(client, location, DATA[:700], checksum("sha1", b""), look)
    cut_off(client, location, DATA[:700], then=look)

    assert seen == [0, 700]


def test_unverified_bytes_of_a_killed_process_are_forgotten(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    grant_id = grant_of(api, location).id
    with api.services.resumable.partial_files().hold(grant_id) as file:
        file.begin_unverified()
        file.append(b"never verified")

    assert offset_of(client, location) == 700
    assert patch(client, location, DATA[700:], 700).status_code == 204
    assert stored(api) == [DATA]
    assert files(api) == []


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("crc32 AAAA", 400),
        ("", 400),
        ("SHA1 AAAA", 400),
        ("sha1 !", 422),
        ("sha1 AAAA\u00e9", 422),
    ],
)
def test_a_checksum_that_cannot_be_checked_is_refused(
    api: World, client: TestClient, header: str, status: int
) -> None:
    location = created(api)

    result = patch(client, location, b"x", headers={"Upload-Checksum": header})

    document = problem_of(result, status, "invalid_parameters")
    assert locations(document) == ["header.Upload-Checksum"]
    assert offset_of(client, location) == 0
