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

    Called for every API request, from any thread: what it takes, every request takes.
    Each process builds its own, after a fork. What is asked of others is asked again when
    it may have changed: credentials that were revoked are refused at once.

    A provider finds the ids of a Principal by itself, in what it was sent or looks up;
    ``org_id`` is that of an organization of the service. For a program it also chooses
    ``key_id``: a text of letters, digits, ``_`` and ``-`` with at most 64 characters, the
    same for a caller at any time, no other caller's, and no secret. Logs show it, and
    limits for each key count by it. It need not be the id of an API key.

    No secret is in an error, a log line, or a repr.
    """

    @abstractmethod
    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the caller, or None if these credentials are not of my kind.

        Without a header of its kind a provider returns None and asks nobody. Whatever
        stands in that header, it raises nothing else than the two errors here.

        Raises:
            UnauthorizedError: They are of my kind, and refused: malformed, unknown,
                expired or revoked. The caller is not told which.
            UnavailableError: They could not be looked up. They are not refused, because
                they may be good.
        """

    def close(self) -> None:
        """
        Release what the backend holds; called once, at the end.
        """
