"""
Credentials of AWS that are given for a time, while whoever gives them half answers.
"""

import asyncio
import io
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from aiobotocore.credentials import AioRefreshableCredentials
from botocore.credentials import RefreshableCredentials

from hvcore import aws_credentials
from hvcore.aws_credentials import use_until_end
from hvcore.errors import UnavailableError
from hvcore_storage_fsspec.backend import make_storage
from tests.support.full_machine import full_machine
from tests.support.live import until
from tests.support.stores.half_answers import HalfAnsweringServer, half_answering_server
from tests.support.stores.object_store import new_bucket, s3_server


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

    keys = [credentials.get_frozen_credentials().access_key]
    until(credentials._refresh_using._question.done, within_s=10, what="the answer")
    keys += [credentials.get_frozen_credentials().access_key for _ in range(8)]

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

    until(
        lambda: credentials.get_frozen_credentials().access_key == "new",
        within_s=10,
        what="the change",
    )


class Source:
    """
    Gives credentials once it is let; until then, it hangs.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.let = threading.Event()

    def give(self) -> dict[str, str]:
        """Give new credentials."""
        self.asked += 1
        assert self.let.wait(30)
        ends_at = datetime.now(UTC) + timedelta(hours=1)
        return {
            "access_key": "new",
            "secret_key": "s",
            "token": "t",
            "expiry_time": ends_at.isoformat(),
        }

    async def give_later(self) -> dict[str, str]:
        """Give the credentials to aiobotocore."""
        return await asyncio.to_thread(self.give)


@pytest.fixture
def source() -> Iterator[Source]:
    made = Source()
    yield made
    # Its threads end with the test.
    made.let.set()


def held(source: Source, *, minutes: float) -> RefreshableCredentials:
    ends_at = datetime.now(UTC) + timedelta(minutes=minutes)
    made = RefreshableCredentials("good", "s", "t", ends_at, source.give, "test")
    use_until_end(made)
    return made


def test_good_credentials_are_given_while_their_source_hangs(source: Source) -> None:
    credentials = held(source, minutes=8)

    def key() -> str:
        return str(credentials.get_frozen_credentials().access_key)

    with ThreadPoolExecutor(4) as pool:
        keys = [one.result(10) for one in [pool.submit(key) for _ in range(8)]]
    source.let.set()

    assert keys == ["good"] * 8
    until(lambda: key() == "new", within_s=10, what="the change")
    assert source.asked == 1


def test_good_credentials_are_given_to_asyncio_while_their_source_hangs(
    source: Source,
) -> None:
    async def check() -> None:
        ends_at = datetime.now(UTC) + timedelta(minutes=8)
        credentials = AioRefreshableCredentials(
            "good", "s", "t", ends_at, source.give_later, "test"
        )
        use_until_end(credentials)

        async def key() -> str:
            async with asyncio.timeout(5):
                return str((await credentials.get_frozen_credentials()).access_key)

        keys = await asyncio.gather(*(key() for _ in range(8)))
        source.let.set()

        assert keys == ["good"] * 8
        async with asyncio.timeout(10):
            await asyncio.wrap_future(credentials._refresh_using._question)
        assert await key() == "new"
        assert source.asked == 1

    asyncio.run(check())


def test_a_call_that_gives_up_waiting_ends_no_question_of_credentials(
    source: Source,
) -> None:
    async def check() -> None:
        ends_at = datetime.now(UTC) - timedelta(minutes=1)
        credentials = AioRefreshableCredentials(
            "ended", "s", "t", ends_at, source.give_later, "test"
        )
        use_until_end(credentials)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await credentials.get_frozen_credentials()

        source.let.set()

        assert (await credentials.get_frozen_credentials()).access_key == "new"
        assert source.asked == 1

    asyncio.run(check())


def test_a_source_of_credentials_that_hangs_is_waited_for_once(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_credentials, "WAITS_S", 0.2)
    credentials = held(source, minutes=-1)

    for _ in range(20):
        with pytest.raises(UnavailableError, match="no credentials now"):
            credentials.get_frozen_credentials()
    assert source.asked == 1

    # An answer that comes late is used.
    source.let.set()
    until(credentials._refresh_using._question.done, within_s=10, what="the answer")
    assert credentials.get_frozen_credentials().access_key == "new"


def test_a_question_of_credentials_that_hangs_for_long_is_asked_again(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_credentials, "GIVEN_UP_AFTER_S", 0.0)
    credentials = held(source, minutes=8)

    for _ in range(2):
        assert credentials.get_frozen_credentials().access_key == "good"

    until(lambda: source.asked == 2, within_s=10, what="the second question")


def test_good_credentials_are_given_while_the_machine_has_no_thread(
    source: Source,
) -> None:
    credentials = held(source, minutes=8)

    with full_machine():
        assert credentials.get_frozen_credentials().access_key == "good"

    assert source.asked == 0


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


def test_a_bucket_is_read_while_the_source_of_credentials_hangs(
    giver: HalfAnsweringServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_credentials, "ASKED_EVERY_S", 0.0)
    asked, let = threading.Event(), threading.Event()

    def hang(*_: str) -> bool:
        asked.set()
        return let.wait(30)

    with s3_server() as endpoint:
        bucket = make_storage(
            f"s3://{new_bucket(endpoint)}",
            args={"endpoint_url": endpoint},
            min_free_bytes=None,
            work_dir=tmp_path,
        )
        bucket.write("v/a", io.BytesIO(b"data"), content_type="video/mp4")
        giver.is_meant = hang

        try:
            for _ in range(3):
                assert bucket.stat("v/a").size_bytes == 4
            # The last question may have begun before it hung.
            assert asked.wait(10)
            assert bucket.stat("v/a").size_bytes == 4
        finally:
            let.set()
