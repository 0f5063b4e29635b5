"""Limit the request bodies that are received at the same time: each needs a slot."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import attrs
import falcon

from hvcore.throttling.shares import SharedCapacity, client_of_address
from hvcore_web.viewers import client_address


@attrs.frozen
class UploadSlots:
    """
    The limit of request bodies received at the same time, shared by organizations and IP addresses.

    An organization and an IP address each have a share, because one client may use the upload
    addresses of many organizations.
    """

    _of_organizations: SharedCapacity
    _of_addresses: SharedCapacity

    @classmethod
    def make(cls, *, capacity: int, most_of_one: int) -> Self:
        """
        Return slots, of which the last ones are reserved for clients that hold none.

        Args:
            capacity: The number of slots.
            most_of_one: The most slots of one organization, and of one IP address.
        """
        return cls(
            *(
                SharedCapacity(
                    name="uploads_of_one",
                    capacity=capacity,
                    most_of_one=min(most_of_one, capacity),
                    reserved_for_newcomers=reserved,
                    things="uploads",
                )
                for reserved in (capacity // 4, 0)
            )
        )

    @contextmanager
    def take(self, req: falcon.Request, org_id: str) -> Iterator[None]:
        """
        Within the ``with`` block, hold a slot for a request's body.

        Raises:
            UnavailableError: All slots are in use, or this sender has its share of them.
        """
        address = client_address(req.remote_addr, req.get_header("X-Forwarded-For"))
        if _is_loopback(address):
            # A program of this machine, or a proxy that does not say for whom.
            with self._of_organizations.take(org_id):
                yield
            return
        with (
            self._of_addresses.take(client_of_address(address)),
            self._of_organizations.take(org_id),
        ):
            yield

    def is_scarce(self) -> bool:
        """Return whether other requests wait for a slot."""
        return self._of_organizations.is_scarce()


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        # A unix socket's peer has none.
        return True
