"""
hv explain on what a running service has refused.
"""

import json
from typing import Any

import pytest

from tests.support.live import LiveService, request, until


def signed(service: LiveService, video_id: str) -> str:
    path = f"/v1/videos/{video_id}/signed-url?expiration=1h"
    return str(service.call("GET", path).body["signed_url"])


def explained(service: LiveService, what: str) -> tuple[int, Any]:
    done = service.hv("explain", what, "--json")
    return done.returncode, json.loads(done.stdout)


def test_the_id_of_a_refusal_leads_to_its_rule(
    service: LiveService, private_id: str
) -> None:
    # The end of its signature is lost.
    answer = request("GET", signed(service, private_id)[:-4])
    assert answer.status == 401
    request_id = answer.json["requestId"]

    # Its line is on its way through a pipe.
    until(lambda: explained(service, request_id)[0] == 1, within_s=20, what="the line")

    (refusal,) = explained(service, request_id)[1]["refusals"]
    assert (refusal["rule"], refusal["status"]) == ("token_broken", 401)
    assert refusal["path"] == f"/v1/private/{private_id}/master.m3u8"
    assert refusal["file"].endswith("delivery.log")


@pytest.mark.long
def test_an_address_is_judged_as_the_running_service_does(
    service: LiveService, private_id: str
) -> None:
    url = signed(service, private_id)

    for address in (url, url[:-4], service.public_url(private_id)):
        status, document = explained(service, address)
        assert document["status"] == request("GET", address).status
        assert status == (0 if document["served"] else 1)
