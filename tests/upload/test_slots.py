"""
Who may send a body to the upload address, and who waits.
"""

from contextlib import ExitStack

import falcon
import pytest
from falcon.testing import create_environ

from hvcore.errors import UnavailableError
from hvcore_upload.slots import UploadSlots


@pytest.fixture
def upload_slots() -> UploadSlots:
    return UploadSlots.make(capacity=8, most_of_one=2)


def request(address: str, forwarded: str | None = None) -> falcon.Request:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return falcon.Request(
        create_environ("/upload/x", remote_addr=address, headers=headers)
    )


def test_an_organization_has_a_share_whatever_its_addresses(
    upload_slots: UploadSlots,
) -> None:
    with (
        upload_slots.take(request("192.0.2.1"), "org_a"),
        upload_slots.take(request("192.0.2.2"), "org_a"),
    ):
        with (
            pytest.raises(UnavailableError, match="You have too many"),
            upload_slots.take(request("192.0.2.3"), "org_a"),
        ):
            pytest.fail("it has its share")
        with upload_slots.take(request("192.0.2.3"), "org_b"):
            pass


@pytest.mark.parametrize(
    ("neighbour", "forwarded"), [("192.0.2.1", None), ("127.0.0.1", "192.0.2.1")]
)
def test_an_address_has_a_share_whatever_its_organizations(
    upload_slots: UploadSlots, neighbour: str, forwarded: str | None
) -> None:
    with (
        upload_slots.take(request(neighbour, forwarded), "org_a"),
        upload_slots.take(request(neighbour, forwarded), "org_b"),
    ):
        with (
            pytest.raises(UnavailableError, match="You have too many"),
            upload_slots.take(request(neighbour, forwarded), "org_c"),
        ):
            pytest.fail("it has its share")
        with upload_slots.take(request("192.0.2.2"), "org_c"):
            pass


def test_a_proxy_of_this_machine_that_says_nothing_is_no_client(
    upload_slots: UploadSlots,
) -> None:
    with ExitStack() as stack:
        for name in ("org_a", "org_b", "org_c", "org_d"):
            stack.enter_context(upload_slots.take(request("127.0.0.1"), name))


def test_the_last_places_are_for_who_has_none(upload_slots: UploadSlots) -> None:
    with ExitStack() as stack:
        for name in ("org_a", "org_a", "org_b", "org_b", "org_c", "org_d"):
            stack.enter_context(upload_slots.take(request("127.0.0.1"), name))
        with (
            pytest.raises(UnavailableError, match="There are too many"),
            upload_slots.take(request("127.0.0.1"), "org_c"),
        ):
            pytest.fail("it has one")
        stack.enter_context(upload_slots.take(request("127.0.0.1"), "org_e"))
