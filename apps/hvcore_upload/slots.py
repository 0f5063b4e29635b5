"""The slots for request bodies: each sender must get one before it sends."""

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
    Slots for request bodies: a share for each organization and for each address.

    One client may use addresses of many organizations.
    """

    _of_organizations: SharedCapacity
    _of_addresses: SharedCapacity

    @classmethod
    def make(cls, *, capacity: int, most_of_one: int) -> Self:
        """Return slots, of which the last ones are reserved for clients that hold none."""
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
        Within the block, hold a slot for a request.

        Raises:
            UnavailableError: No slot is free, in all or for this sender.
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
