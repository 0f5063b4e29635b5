"""
What MediaConvert's errors are reported as.
"""

import pytest

from hvcore.plugin_api import TranscodeError, UnusableSourceError
from hvcore_mediaconvert_local.errors import ERROR_CODES
from hvcore_transcoder_mediaconvert.job_errors import (
    REASONS,
    is_outage,
    job_failure,
    request_failure,
)

ADDRESS = "https://store.example.com/source.mp4?X-Amz-Signature=abc"


@pytest.mark.parametrize("code", [1010, 1020, 1021, 1030, 1075, 1076, 1092])
def test_what_is_wrong_with_a_file_is_not_tried_again(code: int) -> None:
    found = job_failure(code, f"cannot open {ADDRESS}")

    assert isinstance(found, UnusableSourceError)
    assert "example.com" not in str(found)


@pytest.mark.parametrize("code", [1401, 1404, 1434, 1550, 3403, 3450, 1999, 4711])
def test_what_is_wrong_elsewhere_is_tried_again_and_told_to_operators(
    code: int,
) -> None:
    found = job_failure(code, f"cannot open {ADDRESS}")

    assert isinstance(found, TranscodeError)
    assert "example.com" not in found.reason
    assert str(code) in found.log


def test_every_code_that_our_server_can_order_has_words() -> None:
    assert set(ERROR_CODES) - set(REASONS) == {1999}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("ForbiddenException", "pass the role"),
        ("TooManyRequestsException", "limit of requests"),
        ("ServiceQuotaExceededException", "quota"),
        ("SomethingNew", "does not answer as it should"),
    ],
)
def test_a_refused_request_says_what_to_do(kind: str, words: str) -> None:
    found = request_failure(kind, "no")

    assert words in found.log
    assert "MediaConvert" not in found.reason


def test_signatures_of_addresses_are_told_to_nobody() -> None:
    job = job_failure(3403, f"cannot open '{ADDRESS}' now")
    request = request_failure("BadRequestException", f"cannot open {ADDRESS}")

    assert isinstance(job, TranscodeError)
    assert "X-Amz" not in job.log + request.log
    assert "source.mp4?… now" in job.log.replace("'", "")


@pytest.mark.parametrize(
    ("kind", "status", "outage"),
    [
        ("TooManyRequestsException", 429, True),
        ("InternalServerErrorException", 500, True),
        ("", 503, True),
        ("ExpiredTokenException", 403, True),
        ("ForbiddenException", 403, False),
        ("BadRequestException", 400, False),
    ],
)
def test_an_outage_says_nothing_of_the_request(
    kind: str, status: int, *, outage: bool
) -> None:
    assert is_outage(kind, status) is outage
