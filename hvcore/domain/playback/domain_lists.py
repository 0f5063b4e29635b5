"""
Domain lists: lists of allowed domains that playback tokens name by an id.

A token stands in every line of a playlist, so it must stay short, while a list of
domains may have kilobytes. The id of a list is a hash of its content: the same list is
stored once, even if several tokens use it, and never changes.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Self

import attrs

RETENTION_MARGIN: Final = timedelta(days=1)
"""Longer than the token that is issued now: a list is written once a day at most."""
_ID_BYTES: Final = 24
"""192 bits of SHA-256: nobody finds two lists with one name."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)


@attrs.frozen(kw_only=True)
class NamedDomains:
    """
    Hold a list of allowed domains, and the id by which tokens name it.

    Attributes:
        domains: The domains in alphabetical order, each once.
        expires_at: The moment from which no token that names the list is valid.
    """

    id: str
    domains: tuple[str, ...]
    expires_at: datetime

    @classmethod
    def of(cls, domains: Sequence[str], expires_at: datetime) -> Self:
        """Make the named list of some domains, in any order."""
        ordered = tuple(sorted(set(domains)))
        digest = hashlib.sha256("\n".join(ordered).encode()).digest()[:_ID_BYTES]
        return cls(
            id=base64.urlsafe_b64encode(digest).decode(),
            domains=ordered,
            expires_at=expires_at,
        )


def is_domain_list_id(text: str) -> bool:
    """Return whether a text has the form of a domain list's id."""
    return _ID.fullmatch(text) is not None
