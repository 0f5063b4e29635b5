"""
Bodies that are cut off, end early, or come in chunks.
"""

from collections.abc import Callable
from typing import NoReturn

import pytest
from falcon.testing import TestClient

from tests.support.http.world import World, problem_of
from tests.upload.granted import (
    DATA,
    Stream,
    chunked,
    grant,
    nothing_was_stored,
    put,
    stored,
)


def raising(error: Exception) -> Callable[[], NoReturn]:
    def raise_() -> NoReturn:
        raise error

    return raise_


def test_a_chunked_body_is_counted(api: World, client: TestClient) -> None:
    granted = grant(api, size_bytes=len(DATA))

    assert chunked(client, granted, DATA).status_code == 200
    assert stored(api) == [DATA]


@pytest.mark.parametrize("data", [DATA[:-1], DATA + b"x", b""])
def test_a_chunked_body_of_another_size_leaves_nothing(
    api: World, client: TestClient, data: bytes
) -> None:
    granted = grant(api, size_bytes=len(DATA))

    problem_of(chunked(client, granted, data), 400, "invalid_file_size")

    assert nothing_was_stored(api, granted)


@pytest.mark.parametrize(
    "error", [TimeoutError(), ConnectionResetError(), BlockingIOError(), OSError("cut")]
)
def test_a_body_that_is_cut_off_leaves_nothing(
    api: World, client: TestClient, error: OSError
) -> None:
    for send in (put, chunked):
        granted = grant(api)
        stream = Stream(DATA, raising(error))
        extras: dict[str, object] = {"wsgi.input": stream}
        if send is put:
            extras["CONTENT_LENGTH"] = str(len(DATA) + 1)

        result = send(client, granted, b"", extras=extras)

        problem_of(result, 400, "invalid_file_size")

        assert nothing_was_stored(api, granted)


def test_a_body_that_ends_early_leaves_what_was_there_before(
    api: World, client: TestClient
) -> None:
    granted = grant(api)
    put(client, granted, b"before")

    extras = {"CONTENT_LENGTH": str(len(DATA) + 1)}
    result = put(client, granted, extras=extras)

    problem_of(result, 400, "invalid_file_size")
    assert stored(api) == [b"before"]
