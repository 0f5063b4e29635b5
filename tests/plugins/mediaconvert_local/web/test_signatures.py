"""
Signatures of requests: which are good, and for how long.
"""

from datetime import UTC, datetime, timedelta

import pytest
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError

from tests.plugins.mediaconvert_local.job_requests import (
    ROLE,
)
from tests.plugins.mediaconvert_local.local_server import (
    LocalServer,
)
from tests.plugins.mediaconvert_local.web.asked import JOBS, signed

pytestmark = pytest.mark.services


def cut_date(made: AWSRequest) -> None:
    del made.headers["X-Amz-Date"]
    made.headers["X-Amz-Date"] = "today"


SIGNED_WRONG = {
    "no signature": (
        lambda made: made.headers.__delitem__("Authorization"),
        "MissingAuthenticationTokenException",
    ),
    "another scheme": (
        lambda made: made.headers.replace_header("Authorization", "Bearer x"),
        "IncompleteSignatureException",
    ),
    "a changed body": (
        lambda made: setattr(made, "data", b'{"role": "other"}'),
        "InvalidSignatureException",
    ),
    "a changed address": (
        lambda made: setattr(made, "url", made.url + "?status=ERROR"),
        "InvalidSignatureException",
    ),
    "no date": (cut_date, "InvalidSignatureException"),
}


@pytest.mark.parametrize("name", SIGNED_WRONG)
def test_a_signature_is_refused_for(server: LocalServer, name: str) -> None:
    tamper, kind = SIGNED_WRONG[name]

    answer = signed(server, "POST", JOBS, {"role": ROLE}, tamper=tamper)

    assert (answer.status, answer.headers["x-amzn-errortype"]) == (403, kind)


def test_a_wrong_secret_and_an_unknown_key_are_refused(server: LocalServer) -> None:
    with pytest.raises(ClientError) as wrong:
        server.client(secret="guessed").list_jobs()
    with pytest.raises(ClientError) as unknown:
        server.client(access_key="AKIAOTHER").list_jobs()

    assert wrong.value.response["Error"]["Code"] == "InvalidSignatureException"
    assert unknown.value.response["Error"]["Code"] == "UnrecognizedClientException"


def test_a_signature_is_good_for_five_minutes(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(ago: timedelta) -> int:
        moment = datetime.now(UTC).replace(tzinfo=None) - ago
        monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: moment)
        return signed(server, "GET", JOBS).status

    assert answered(timedelta(minutes=4)) == 200
    assert answered(timedelta(minutes=6)) == 403
    assert answered(timedelta(minutes=-6)) == 403


def test_names_with_strange_characters_are_signed_and_found(
    server: LocalServer,
) -> None:
    client = server.client()
    name = "a b/c+é~%2F"

    client.create_preset(Name=name, Settings={}, Tags={"team": "x"})
    found = client.get_preset(Name=name)["Preset"]
    tags = client.list_tags_for_resource(Arn=found["Arn"])["ResourceTags"]["Tags"]
    client.delete_preset(Name=name)

    assert (found["Name"], tags) == (name, {"team": "x"})
