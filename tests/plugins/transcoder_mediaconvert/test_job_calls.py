"""
What becomes of a job that MediaConvert is asked for without credentials.
"""

from pathlib import Path

import pytest

from hv_transcoder_mediaconvert.job_calls import MediaConvertCalls
from hv_transcoder_mediaconvert.options import MediaConvertOptions
from hvcore.plugin_api import TranscodeError, UnavailableError
from tests.plugins.transcoder_mediaconvert.conftest import ROLE


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


def test_a_submission_without_credentials_is_refused(calls: MediaConvertCalls) -> None:
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
