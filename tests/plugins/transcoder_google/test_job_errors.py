"""
What the Transcoder API's errors are reported as.
"""

import pytest

from hvcore.plugin_api import TranscodeError, UnusableSourceError
from hvcore_transcoder_google.job_errors import (
    UNREADABLE,
    is_outage,
    job_failure,
    request_failure,
)

ADDRESS = "https://store.example.com/source.mp4?X-Goog-Signature=abc"


@pytest.mark.parametrize(
    "message",
    [
        "The input file has an unsupported codec.",
        "Video stream is corrupted",
        "input asset could not be decoded",
        "No valid media: audio track missing",
    ],
)
def test_what_is_wrong_with_a_file_is_not_tried_again(message: str) -> None:
    found = job_failure(3, message)

    assert isinstance(found, UnusableSourceError)
    assert str(found) == UNREADABLE


@pytest.mark.parametrize(
    ("code", "message", "reason", "words"),
    [
        (7, "Permission denied.", "GCSPermissionDenied", "roles/storage.objectAdmin"),
        (7, "Permission denied.", "", "roles/storage.objectAdmin"),
        (5, "The bucket does not exist.", "", "writes_to"),
        (3, "config.manifests is invalid", "", "report it"),
        (3, "Elementary stream format is invalid", "", "report it"),
        (8, "Quota exceeded.", "", "tried again"),
        (13, "Internal error.", "", "tried again"),
        (2, "Something new.", "", "the job failed"),
    ],
)
def test_what_is_wrong_elsewhere_is_tried_again_and_told_to_operators(
    code: int, message: str, reason: str, words: str
) -> None:
    found = job_failure(code, f"{message} {ADDRESS}", reason, "account has no access")

    assert isinstance(found, TranscodeError)
    assert "example.com" not in found.reason
    assert words in found.log
    assert "account has no access" in found.log
    assert "abc" not in found.log


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        (401, "", "credentials are not valid"),
        (403, "", "roles/transcoder.admin"),
        (403, "BILLING_DISABLED", "enable billing"),
        (403, "SERVICE_DISABLED", "gcloud services enable"),
        (404, "", "location"),
        (429, "RATE_LIMIT_EXCEEDED", "quota"),
        (400, "", "report it"),
        (418, "", "out of order"),
    ],
)
def test_a_refused_request_says_what_to_do(
    status: int, reason: str, words: str
) -> None:
    found = request_failure(status, "no", reason)

    assert words in found.log
    assert "Google" not in found.reason
    assert "Transcoder" not in found.reason


@pytest.mark.parametrize(
    ("status", "outage"), [(400, False), (403, False), (429, True), (503, True)]
)
def test_quotas_and_failures_of_the_service_are_outages(
    status: int,
    outage: bool,  # noqa: FBT001 - of a table
) -> None:
    assert is_outage(status) is outage
