"""
The authentication port: recognises callers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

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


class AuthProvider(ABC):
    """
    Recognise callers. Providers are asked in the order of the settings.

    Called for every API request, from any thread.
    """

    @abstractmethod
    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the caller, or None if these credentials are not of my kind.

        Raises:
            UnauthorizedError: They are of my kind, and refused.
        """

    def close(self) -> None:
        """
        Release what the backend holds; called once, at the end.
        """
