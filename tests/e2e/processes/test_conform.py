"""
hv conform on what a running service has published.
"""

import json

import pytest

from tests.support.live import LiveService

# The clip says no language, and it is too small for several renditions.
KNOWN = {"language-present", "several-variants"}


@pytest.mark.long
def test_a_private_video_is_conformant_by_its_id(
    service: LiveService, private_id: str
) -> None:
    done = service.hv("conform", private_id, "--json")

    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert document["conformant"] is True
    assert {found["rule"] for found in document["findings"]} <= KNOWN
    assert document["segments"] >= 4


def test_a_public_video_is_the_same_by_its_id_and_its_address(
    service: LiveService, public_id: str
) -> None:
    by_id = service.hv("conform", public_id, "--json")
    by_address = service.hv("conform", service.public_url(public_id), "--json")

    assert by_address.returncode == 0, by_address.stderr
    assert json.loads(by_id.stdout) == json.loads(by_address.stdout)


def test_a_signed_address_is_checked_and_not_shown(
    service: LiveService, private_id: str
) -> None:
    path = f"/v1/videos/{private_id}/signed-url?expiration=1h"
    signed = str(service.call("GET", path).body["signed_url"])

    done = service.hv("conform", signed, "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["conformant"] is True
    assert "token" not in done.stdout
