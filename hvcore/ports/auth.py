"""The authentication port: providers recognise the callers of the API."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import attrs

from hvcore.domain.access.principals import Principal


@attrs.frozen(kw_only=True)
class Credentials:
    """
    Hold the headers of a request in which a provider looks for credentials.

    Attributes:
        headers: The headers' values by their names in lower case.
    """

    headers: Mapping[str, str] = attrs.field(repr=False)


_SCHEME_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
"""Of a component (OpenAPI 3.1, section 4.8.7)."""
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""RFC 9110, section 5.1."""


def _is_scheme_name(_: object, __: object, value: str) -> None:
    if not _SCHEME_NAME.fullmatch(value):
        raise ValueError(
            f"name must be letters, digits, '.', '-' and '_', not {value!r}"
        )


def _is_header_name(_: object, __: object, value: str) -> None:
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError(f"header must be the name of a header, not {value!r}")


@attrs.frozen(kw_only=True)
class HeaderScheme:
    """
    Describe credentials in a header of their own, for the API's description.

    Attributes:
        name: The scheme's name in the description of the API, such as ``ApiKey``.
        header: The header's name as callers write it, such as ``X-Api-Key``.
        about: An explanation of the credentials, for readers of the API's public
            description.
    """

    name: str = attrs.field(validator=_is_scheme_name)
    header: str = attrs.field(validator=_is_header_name)
    about: str = ""


@attrs.frozen(kw_only=True)
class BearerScheme:
    """
    Describe credentials that are sent as ``Authorization: Bearer …`` (RFC 6750).

    Attributes:
        name: The scheme's name in the description of the API, such as ``AccessToken``.
        bearer_format: The token's format, such as ``JWT``; "" if callers need not know
            it.
        about: An explanation of the credentials, for readers of the API's public
            description.
    """

    name: str = attrs.field(validator=_is_scheme_name)
    bearer_format: str = ""
    about: str = ""

    @property
    def header(self) -> str:
        """The name of the header that carries the credentials: ``Authorization``."""
        return "Authorization"


CredentialScheme: TypeAlias = HeaderScheme | BearerScheme
"""
How callers send their credentials.
"""


class AuthProvider(ABC):
    """
    Recognise the callers of the API by their credentials.

    Providers are asked in the order of the settings. A provider is called for every API
    request, from any thread: its time is added to every request. Each process builds
    its own provider, after a fork. What a provider looked up elsewhere is looked up
    again when it may have changed: credentials that were revoked are refused at once.

    A provider finds the ids of a Principal by itself, in the credentials or in a data
    source; ``org_id`` is that of an organization of the service. For a program it also
    chooses ``key_id``: a text of letters, digits, ``_`` and ``-`` with at most 64
    characters, always the same for a caller, different for each caller, and no secret.
    Logs show it, and limits for each key count by it. It need not be the id of an API
    key.

    No error, log line or repr contains a secret.

    Attributes:
        scheme: How callers send the credentials that this provider reads, for the
            description of the API and for pages of other origins, which may send this
            header then. None if callers do not choose to send them.
    """

    scheme: CredentialScheme | None = None

    @abstractmethod
    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the caller, or None if the credentials are not for this provider.

        If the header of this provider is missing, the provider returns None without
        asking anybody. Whatever stands in that header, it raises no other errors than
        the two below.

        Args:
            credentials: The headers of the request, by their names in lower case.

        Raises:
            UnauthorizedError: The credentials are for this provider and refused:
                malformed, unknown, expired or revoked. The caller is not told the
                reason.
            UnavailableError: The credentials could not be looked up. They are not
                refused, because they may be valid.
        """

    def ambiguous_settings(self) -> Sequence[str]:
        """
        Return a sentence about each setting that could recognise the wrong callers.

        For example, two names that one claim matches. Only the check of an operator
        calls the method; it waits for no server.
        """
        return ()

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""
