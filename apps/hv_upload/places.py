"""
Who may send a body now.
"""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import attrs
import falcon

from hv_web.viewers import client_address
from hvcore.throttling.shares import SharedCapacity, client_of_address


@attrs.frozen
class UploadPlaces:
    """
    Places for bodies: a share for each organization, and one for each address.

    Addresses of many organizations may be in the hands of one client.
    """

    _of_organizations: SharedCapacity
    _of_addresses: SharedCapacity

    @classmethod
    def make(cls, *, capacity: int, most_of_one: int) -> Self:
        """
        Make places, the last of which only those get who have none.
        """
        return cls(
            *(
                SharedCapacity(
                    name="uploads_of_one",
                    capacity=capacity,
                    most_of_one=min(most_of_one, capacity),
                    kept_for_newcomers=kept,
                    things="uploads",
                )
                for kept in (capacity // 4, 0)
            )
        )

    @contextmanager
    def take(self, req: falcon.Request, org_id: str) -> Iterator[None]:
        """
        Keep a place.

        Raises:
            UnavailableError: There is none, of all or of the sender's.
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
        """
        Tell whether others wait for one.
        """
        return self._of_organizations.is_scarce()


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        # A unix socket's peer has none.
        return True
