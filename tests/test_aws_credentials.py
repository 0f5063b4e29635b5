"""
Credentials of AWS that are given for a time, while whoever gives them half answers.
"""

import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest

from hv_storage_fsspec.backend import make_storage
from hvcore import aws_credentials
from hvcore.aws_credentials import use_until_end
from hvcore.errors import UnavailableError
from tests.half_answers import HalfAnsweringServer, half_answering_server
from tests.object_store import new_bucket, s3_server


def given(minutes: float, **other: object) -> bytes:
    """
    Write credentials as a container's own service gives them.
    """
    ends_at = datetime.now(UTC) + timedelta(minutes=minutes)
    usual = {
        "AccessKeyId": "good",
        "SecretAccessKey": "s",
        "Token": "t",
        "Expiration": ends_at.isoformat(),
    }
    return json.dumps({**usual, **other}).encode()


@pytest.fixture
def giver(monkeypatch: pytest.MonkeyPatch) -> Iterator[HalfAnsweringServer]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    with half_answering_server() as server:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{server.url}/keys")
        # It is time for others as soon as they are had.
        server.answer = given(5)
        yield server


def found() -> Any:  # noqa: ANN401 - boto3 ships no types
    credentials = boto3.session.Session().get_credentials()
    use_until_end(credentials)
    return credentials


HALF = {
    "nothing": lambda: b"{}",
    "a list": lambda: b"[]",
    "no secret": lambda: given(60, AccessKeyId="new", SecretAccessKey=None),
    "a number": lambda: given(60, AccessKeyId="new", SecretAccessKey=5),
    "ended": lambda: given(-1, AccessKeyId="new"),
    "no time": lambda: given(60, AccessKeyId="new", Expiration="soon"),
}


@pytest.mark.parametrize("half", HALF.values(), ids=HALF)
def test_credentials_are_used_until_they_end_while_there_are_only_half_others(
    giver: HalfAnsweringServer,
    half: Callable[[], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    credentials = found()
    giver.answer = half()

    keys = [credentials.get_frozen_credentials().access_key for _ in range(9)]

    assert keys == ["good"] * 9
    # The first ones, and one question in the pause that follows.
    assert giver.requests == 2

    credentials._expiry_time = datetime.now(UTC) - timedelta(minutes=1)
    monkeypatch.setattr(aws_credentials, "AGAIN_AFTER_S", 0.0)
    for _ in range(2):
        with pytest.raises(UnavailableError, match="no credentials now"):
            credentials.get_frozen_credentials()


def test_new_credentials_are_used_as_soon_as_they_are_given(
    giver: HalfAnsweringServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_credentials, "ASKED_EVERY_S", 0.0)
    credentials = found()
    giver.answer = b"{}"
    assert credentials.get_frozen_credentials().access_key == "good"

    giver.answer = given(60, AccessKeyId="new")

    assert credentials.get_frozen_credentials().access_key == "new"


def test_a_bucket_is_read_with_credentials_until_they_end(
    giver: HalfAnsweringServer, tmp_path: Path
) -> None:
    with s3_server() as endpoint:
        bucket = make_storage(
            f"s3://{new_bucket(endpoint)}",
            args={"endpoint_url": endpoint},
            min_free_bytes=None,
            work_dir=tmp_path,
        )
        bucket.write("v/a", io.BytesIO(b"data"), content_type="video/mp4")
        giver.answer = given(-1)

        assert bucket.stat("v/a").size_bytes == 4
        assert bucket.stat("v/a").size_bytes == 4
