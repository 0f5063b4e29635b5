"""
The description that an OpenID provider gives of itself.

Source: OpenID Connect Discovery 1.0, section 4.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

import attrs
from authlib.oidc.discovery import get_well_known_url

from hvcore.plugin_api import UnavailableError
from hvcore_openid_provider.provider_http import ProviderExchange, ProviderHttp

BELIEVED_S: Final = 3600.0
MetadataT = TypeVar("MetadataT")


@attrs.frozen(kw_only=True)
class DescribedMembers:
    """The members of the JSON in which an OpenID provider describes itself, with a checked issuer."""

    members: Mapping[str, Any]
    http: ProviderHttp

    def endpoint(self, name: str) -> str:
        """
        Return the address of an endpoint, which must be in the provider's description.

        Raises:
            UnavailableError: The endpoint is missing, or on a host that the settings do
                not allow.
        """
        address = self.text(name)
        if not self.http.allows(address):
            settings = self.http.settings
            raise UnavailableError(
                f"{settings.called}'s {name} is {address[:200]!r}; if that is "
                f"right, add its host to {settings.section}.further_hosts."
            )
        return address

    def optional_endpoint(self, name: str) -> str:
        """
        Return the address of an endpoint in the provider's description, "" if there is none.

        Raises:
            UnavailableError: The endpoint is on a host that the settings do not allow.
        """
        return self.endpoint(name) if self.members.get(name) else ""

    def text(self, name: str) -> str:
        """Return a text member of the provider's description, "" if there is none."""
        value = self.members.get(name)
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> list[str]:
        """Return the texts of a list member of the provider's description."""
        value = self.members.get(name)
        values = value if isinstance(value, list) else []
        return [text for text in values if isinstance(text, str)]


class ProviderDescription(Generic[MetadataT]):
    """
    The metadata of an OpenID provider, fetched when needed and cached for an hour; thread-safe.

    Args:
        read: Makes the metadata from the description's members; may raise
            UnavailableError.
    """

    def __init__(
        self, http: ProviderHttp, read: Callable[[DescribedMembers], MetadataT]
    ) -> None:
        self._http = http
        self._read = read
        self._known: tuple[MetadataT, float] | None = None

    def get(self, exchange: ProviderExchange) -> MetadataT:
        """
        Return the provider's metadata, which are fetched if they are older than an hour.

        Raises:
            UnavailableError: The metadata cannot be fetched or used; the text says why.
        """
        known = self._known
        if known is not None and time.monotonic() < known[1] + BELIEVED_S:
            return known[0]
        return self.fetch(exchange)

    def fetch(self, exchange: ProviderExchange) -> MetadataT:
        """
        Fetch the provider's metadata now, and return them.

        Raises:
            UnavailableError: The metadata cannot be fetched or used; the text says why.
        """
        settings = self._http.settings
        address = get_well_known_url(settings.issuer, external=True)
        answer = exchange.get(address)
        found = answer.json()
        if answer.status != 200 or found is None:  # noqa: PLR2004 - HTTP
            raise UnavailableError(
                f"{settings.called} answered {answer.status} at {address}; "
                f"is {settings.section}.issuer its address?"
            )
        if found.get("issuer") != settings.issuer:
            # Or another provider's tokens would be taken for this one's.
            raise UnavailableError(
                f"{settings.called} calls itself {str(found.get('issuer'))[:200]!r}, "
                f"and {settings.section}.issuer is {settings.issuer!r}; they must be "
                "equal."
            )
        metadata = self._read(DescribedMembers(members=found, http=self._http))
        self._known = (metadata, time.monotonic())
        return metadata
