"""
Options of the queue on SQS, what SQS refuses in plain words, and the order of lanes.
"""

import pytest
from botocore.exceptions import NoCredentialsError, ReadTimeoutError

from hvcore.plugin_api import Lane
from hvcore_queue_sqs.answers import no_answer, refusal
from hvcore_queue_sqs.options import SqsOptions
from hvcore_queue_sqs.plugin import hvcore_queues
from hvcore_queue_sqs.turns import IN_A_ROW, Turns


def test_queues_are_named_by_prefix_and_lane() -> None:
    assert SqsOptions(prefix="hv_2").name_of(Lane.LIGHT) == "hv_2-light"
    assert all(len(SqsOptions(prefix="p" * 71).name_of(lane)) <= 80 for lane in Lane)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"endpoint": "sqs.local"}, "endpoint must be http"),
        ({"prefix": ""}, "prefix must be 1 to 71 letters"),
        ({"prefix": "a.fifo"}, "prefix must be 1 to 71 letters"),
        ({"prefix": "p" * 72}, "prefix must be 1 to 71 letters"),
        ({"wait_s": 0}, "wait_s must be 1 to 20 seconds, not 0"),
        ({"wait_s": 21}, "wait_s must be 1 to 20 seconds, not 21"),
        ({"workers": 0}, "workers must be 1 or more, not 0"),
        ({"timeout_s": 0}, "timeout_s must be more than 0, not 0"),
    ],
)
def test_an_unusable_option_is_named(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SqsOptions(**given)  # type: ignore[arg-type]  # wrong on purpose


def test_the_record_names_the_extra_and_that_there_is_something_to_prepare() -> None:
    (record,) = hvcore_queues()

    assert (record.name, record.extra, record.prepares) == ("sqs", "sqs", True)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "AWS.SimpleQueueService.NonExistentQueue",
            "The queue hv-light is not at SQS; run: hv migrate.",
        ),
        ("AccessDenied", "SQS refuses sqs:SendMessage; allow it on hv-light."),
        (
            "KMS.AccessDeniedException",
            "SQS refuses sqs:SendMessage; allow it on hv-light and its KMS key.",
        ),
        (
            "ExpiredToken",
            "SQS does not accept the AWS credentials (ExpiredToken); renew them.",
        ),
        (
            "AWS.SimpleQueueService.QueueDeletedRecently",
            "The queue hv-light was deleted just now; try again after a minute.",
        ),
        ("RequestThrottled", "SQS refuses send_message on hv-light: RequestThrottled."),
    ],
)
def test_a_refusal_says_what_to_do(code: str, told: str) -> None:
    assert refusal(code, request="send_message", queue="hv-light") == told


def test_what_is_no_answer_is_told_apart_from_missing_credentials() -> None:
    late = ReadTimeoutError(endpoint_url="http://127.0.0.1")

    assert no_answer(late) == (
        "SQS does not answer (ReadTimeoutError); check the network, the region and the "
        "endpoint."
    )
    assert no_answer(NoCredentialsError()).startswith("No AWS credentials for SQS; set")


def test_a_full_lane_passes_on_before_ten_messages() -> None:
    turns = Turns([Lane.ENCODE, Lane.LIGHT])
    for _ in range(IN_A_ROW - 1):
        turns.had_message()
    before = turns.lane

    turns.had_message()

    assert IN_A_ROW < 10
    assert (before, turns.lane) == (Lane.ENCODE, Lane.LIGHT)
