"""
A request is sent again where that is safe, and not before it is wanted.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from hvcore_client import (
    ApiError,
    ConflictError,
    HvClient,
    QuotaExceededError,
    RateLimitedError,
    ServiceError,
    UnreachableError,
)
from hvcore_client.retries import retry_after_s
from tests.plugins.client.misbehaving import Server, Told, answering, refusal

DONE = Told(body={"body": {"videoID": "vid_1", "assetId": "vid_1", "bucketPath": "p"}})
ALIVE = Told(body={"body": {"status": "ok"}})
BROKEN = Told(breaks_off=True)
BUSY = refusal(503, "unavailable")


@contextmanager
def calling(
    *answers: Told, waits: list[float] | None = None, max_tries: int = 5
) -> Iterator[tuple[HvClient, Server]]:
    with answering(answers) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "hv_test_key", max_tries=max_tries, http=http)
        client._sleep = [].append if waits is None else waits.append
        yield client, server


def fetch(client: HvClient) -> object:
    return client.create_video_from_url(
        file_name="a.mp4", video_url="https://example.com/a.mp4"
    )


@pytest.mark.parametrize("first", [BROKEN, BUSY, refusal(502, ""), refusal(504, "")])
def test_what_only_reads_is_sent_again(first: Told) -> None:
    with calling(first, first, ALIVE) as (client, server):
        assert client.get_liveness().status == "ok"

    assert [seen.method for seen in server.seen] == ["GET"] * 3


def test_who_waits_for_long_is_told_what_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    full = refusal(503, "unavailable", Retry_After="60")
    with calling(full, ALIVE) as (client, _):
        client.get_liveness()

    (line,) = [one for one in caplog.records if one.name == "hvcore_client"]
    assert line.levelname == "WARNING"
    assert "health/live waits 60 s" in line.getMessage()
    assert "503" in line.getMessage()


@pytest.mark.parametrize("first", [BROKEN, BUSY])
def test_what_creates_is_sent_again_under_the_same_key(first: Told) -> None:
    with calling(first, DONE, DONE) as (client, server):
        fetch(client)
        fetch(client)

    keys = [seen.headers["idempotency-key"] for seen in server.seen]
    # Another call has another key.
    assert keys[0] == keys[1] != keys[2]
    assert server.seen[0].body == server.seen[1].body


def test_a_key_of_ones_own_is_kept() -> None:
    with calling(BROKEN, DONE) as (client, server):
        client.download_file(source_url="https://a.example", idempotency_key="mine")

    assert [seen.headers["idempotency-key"] for seen in server.seen] == ["mine"] * 2


@pytest.mark.parametrize("first", [BROKEN, BUSY])
def test_what_could_happen_twice_is_sent_once(first: Told) -> None:
    with calling(first, DONE) as (client, server):
        with pytest.raises((UnreachableError, ServiceError)):
            client.retry_video("vid_1")
        server.answers.insert(0, first)
        with pytest.raises((UnreachableError, ServiceError)):
            client.update_video("vid_1", description="x")

    assert len(server.seen) == 2


def test_what_was_refused_for_now_is_sent_again_whatever_it_is() -> None:
    waits: list[float] = []
    limited = refusal(429, "rate_limit_exceeded", Retry_After="3")

    with calling(limited, DONE, waits=waits) as (client, _):
        assert client.retry_video("vid_1").video_id == "vid_1"

    assert waits == [3.0]


def test_who_nobody_answered_was_sent_nothing() -> None:
    waits: list[float] = []
    with httpx.Client(trust_env=False) as http:
        client = HvClient("http://127.0.0.1:9", "key", max_tries=3, http=http)
        client._sleep = waits.append

        with pytest.raises(UnreachableError, match=r"127\.0\.0\.1:9/v1") as failed:
            client.retry_video("vid_1")

    assert not failed.value.was_sent
    assert len(waits) == 2


def test_a_date_in_retry_after_is_obeyed() -> None:
    waits: list[float] = []
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)

    with calling(refusal(503, "unavailable", Retry_After=at), ALIVE, waits=waits) as (
        client,
        _,
    ):
        client.get_liveness()

    assert 15 < waits[0] <= 20


def test_nobody_waits_for_an_hour_within_a_call() -> None:
    waits: list[float] = []
    limited = refusal(429, "rate_limit_exceeded", Retry_After="3000")

    with (
        calling(limited, waits=waits) as (client, server),
        pytest.raises(RateLimitedError) as refused,
    ):
        client.list_events()

    assert (refused.value.retry_after_s, waits, len(server.seen)) == (3000.0, [], 1)


def test_waits_grow_and_differ() -> None:
    waits: list[float] = []

    with (
        calling(BUSY, waits=waits, max_tries=6) as (client, _),
        pytest.raises(ServiceError, match="503 unavailable"),
    ):
        client.get_liveness()

    assert len(waits) == 5
    for number, wait_s in enumerate(waits):
        assert 0.25 * 2**number <= wait_s <= 0.5 * 2**number
    assert len({wait_s / 2**number for number, wait_s in enumerate(waits)}) > 1


def test_an_own_try_that_still_runs_is_waited_for() -> None:
    running = refusal(409, "conflict")

    with calling(BROKEN, running, DONE) as (client, server):
        fetch(client)

    assert len(server.seen) == 3


@pytest.mark.parametrize(
    "answers",
    [
        # Nothing was sent before with this key.
        [refusal(409, "conflict")],
        [BROKEN, refusal(409, "conflict", Idempotency_Replayed="true")],
        [BROKEN, refusal(409, "processing_in_progress")],
    ],
)
def test_other_conflicts_are_told(answers: Sequence[Told]) -> None:
    with (
        calling(*answers) as (client, server),
        pytest.raises(ConflictError, match="409 "),
    ):
        fetch(client)

    assert len(server.seen) == len(answers)


def test_a_quota_is_waited_for_only_if_it_says_so() -> None:
    full = refusal(429, "quota_exceeded")
    encoding = refusal(429, "quota_exceeded", Retry_After="15")

    with (
        calling(encoding, full) as (client, server),
        pytest.raises(QuotaExceededError, match="quota_exceeded") as refused,
    ):
        fetch(client)

    assert len(server.seen) == 2
    assert refused.value.retry_after_s is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422, 500])
def test_what_will_not_change_is_told_at_once(status: int) -> None:
    with (
        calling(refusal(status, "some_code")) as (client, server),
        pytest.raises(ApiError) as refused,
    ):
        client.get_who_am_i()

    assert len(server.seen) == 1
    assert (refused.value.status, refused.value.code) == (status, "some_code")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        ("9" * 5000, 999999999.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:10 -0000", 5.0),
        ("soon", None),
        ("-1", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    text: str | None, seconds: float | None
) -> None:
    now = datetime(2015, 10, 21, 7, 28, 5, tzinfo=UTC)

    assert retry_after_s(text, now) == seconds
