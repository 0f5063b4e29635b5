"""
What becomes of a job that MediaConvert is asked for without credentials, or half answers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import TranscodeError, UnavailableError, UnusableSourceError
from hvcore_transcoder_mediaconvert.job_calls import MediaConvertCalls
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions
from tests.plugins.transcoder_mediaconvert.conftest import ROLE
from tests.support.stores.half_answers import (
    HALF_ANSWERS,
    HalfAnsweringServer,
    half_answering_server,
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MediaConvertCalls:
    """
    Make requests to nobody, on a machine that has no credentials.
    """
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    return MediaConvertCalls(
        MediaConvertOptions(
            role=ROLE, region="us-east-1", endpoint="http://127.0.0.1:9"
        )
    )


def test_a_job_goes_on_when_there_are_no_credentials(calls: MediaConvertCalls) -> None:
    with pytest.raises(UnavailableError, match="there are no credentials"):
        calls.job("1700000000000-abc123")


def test_a_remote_job_without_credentials_is_refused(calls: MediaConvertCalls) -> None:
    with pytest.raises(TranscodeError) as refused:
        calls.create({"Role": ROLE, "Settings": {}})

    assert "there are no credentials" in refused.value.log


def test_credentials_that_come_later_are_found(
    calls: MediaConvertCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnavailableError, match="there are no credentials"):
        calls.job("1700000000000-abc123")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "found")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "later")

    with pytest.raises(UnavailableError, match="does not answer"):
        calls.job("1700000000000-abc123")


@pytest.fixture
def half() -> Iterator[HalfAnsweringServer]:
    with half_answering_server() as server:
        yield server


@pytest.fixture
def half_answered(half: HalfAnsweringServer) -> Iterator[MediaConvertCalls]:
    """
    Make requests that something else than MediaConvert answers.
    """
    made = MediaConvertCalls(
        MediaConvertOptions(
            role=ROLE,
            region="us-east-1",
            endpoint=half.url,
            access_key="k",
            secret_key="s",
        )
    )
    yield made
    made.close()


CALLS: Final = {
    "create": lambda calls: calls.create({"Role": ROLE, "Settings": {}}),
    "job": lambda calls: calls.job("1700000000000-abc123"),
    "submitted": lambda calls: calls.submitted("key", "s3://b/in.mp4"),
    "running": lambda calls: calls.running("key"),
    "cancel": lambda calls: calls.cancel("1700000000000-abc123"),
    "probe": lambda calls: calls.probe("s3://b/in.mp4"),
}


ANSWERS: Final = (
    *HALF_ANSWERS,
    b"\xff\xfe",
    b"null",
    b'{"job": null, "jobs": null}',
    b'{"job": {"createdAt": "never"}, "jobs": [5]}',
)


@pytest.mark.parametrize("call", CALLS)
def test_an_answer_of_mediaconvert_without_what_was_asked_for_is_an_outage(
    half: HalfAnsweringServer, half_answered: MediaConvertCalls, call: str
) -> None:
    for half.answer in ANSWERS:
        with pytest.raises(UnavailableError, match="says nothing"):
            CALLS[call](half_answered)


@pytest.mark.parametrize(
    "job", [b"{}", b'{"id": "1", "status": "RESTING"}', b'{"status": {"a": 1}}']
)
def test_a_job_of_mediaconvert_without_id_or_known_state_is_an_outage(
    half: HalfAnsweringServer, half_answered: MediaConvertCalls, job: bytes
) -> None:
    half.answer = b'{"job": ' + job + b"}"

    with pytest.raises(UnavailableError, match="The job goes on"):
        half_answered.job("1")


def test_a_new_job_of_mediaconvert_without_id_is_an_outage(
    half: HalfAnsweringServer, half_answered: MediaConvertCalls
) -> None:
    half.answer = b'{"job": {"status": "SUBMITTED"}}'

    with pytest.raises(UnavailableError, match="without its id"):
        half_answered.create({"Role": ROLE, "Settings": {}})


@pytest.mark.parametrize("results", [b"[]", b"[{}]", b'[{"metadata": {}}]'])
def test_a_probe_of_mediaconvert_that_says_nothing_is_no_verdict_on_the_source(
    half: HalfAnsweringServer, half_answered: MediaConvertCalls, results: bytes
) -> None:
    half.answer = b'{"probeResults": ' + results + b"}"

    with pytest.raises(TranscodeError) as failed:
        half_answered.probe("s3://b/in.mp4")

    assert not isinstance(failed.value, UnusableSourceError)
    assert "told nothing" in failed.value.log
