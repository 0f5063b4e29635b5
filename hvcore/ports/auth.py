"""The authentication port: recognises callers."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import attrs

from hvcore.domain.access.principals import Principal


@attrs.frozen(kw_only=True)
class Credentials:
    """
    The credentials of a request.

    Attributes:
        headers: Header names in lower case.
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
    Credentials that stand in a header of their own.

    Attributes:
        name: In the description of the API, such as ``ApiKey``.
        header: As callers write it, such as ``X-Api-Key``.
        about: What the credentials are, for who reads the description. Everybody may.
    """

    name: str = attrs.field(validator=_is_scheme_name)
    header: str = attrs.field(validator=_is_header_name)
    about: str = ""


@attrs.frozen(kw_only=True)
class BearerScheme:
    """
    Credentials that are sent as ``Authorization: Bearer …`` (RFC 6750).

    Attributes:
        name: In the description of the API, such as ``AccessToken``.
        bearer_format: Of the token, such as ``JWT``; "" if callers need not know.
        about: What the credentials are, for who reads the description. Everybody may.
    """

    name: str = attrs.field(validator=_is_scheme_name)
    bearer_format: str = ""
    about: str = ""

    @property
    def header(self) -> str:
        """The header that carries them."""
        return "Authorization"


CredentialScheme: TypeAlias = HeaderScheme | BearerScheme
"""
How callers send their credentials.
"""


class AuthProvider(ABC):
    """
    Recognise callers. Providers are asked in the order of the settings.

    Called for every API request, from any thread: what it takes, every request takes.
    Each process builds its own, after a fork. What is asked of others is asked again when
    it may have changed: credentials that were revoked are refused at once.

    A provider finds the ids of a Principal by itself, in what it was sent or looks up;
    ``org_id`` is that of an organization of the service. For a program it also chooses
    ``key_id``: a text of letters, digits, ``_`` and ``-`` with at most 64 characters, the
    same for a caller at any time, no other caller's, and no secret. Logs show it, and
    limits for each key count by it. It need not be the id of an API key.

    No secret is in an error, a log line, or a repr.

    Attributes:
        scheme: How callers send what this provider reads, for the description of the API
            and for pages of other origins, which may send this header then. None if it is
            nothing that callers choose to send.
    """

    scheme: CredentialScheme | None = None

    @abstractmethod
    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the caller, or None if these credentials are not of my kind.

        Without a header of its kind a provider returns None and asks nobody. Whatever
        stands in that header, it raises nothing else than the two errors here.

        Args:
            credentials: The headers of the request, by their names in lower case.

        Raises:
            UnauthorizedError: They are of my kind, and refused: malformed, unknown,
                expired or revoked. The caller is not told which.
            UnavailableError: They could not be looked up. They are not refused, because
                they may be good.
        """

    def ambiguous_settings(self) -> Sequence[str]:
        """
        Return a sentence about each setting that could serve the wrong callers.

        Such as two names that one claim matches. Called by an operator's check alone; it
        waits for nobody.
        """
        return ()

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""
