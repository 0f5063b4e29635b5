"""
Lists of domains that tokens name instead of carrying them.

A token stands in every line of a playlist, so it must stay short, while a list
may have kilobytes. A list is named by its content: the same list is stored
once, even if several use it, and never changes.
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
    A list of domains.

    Attributes:
        domains: In order, each once.
        expires_at: No token that names it is valid from then on.
    """

    id: str
    domains: tuple[str, ...]
    expires_at: datetime

    @classmethod
    def of(cls, domains: Sequence[str], expires_at: datetime) -> Self:
        """Make the list of some domains; their order does not matter."""
        ordered = tuple(sorted(set(domains)))
        digest = hashlib.sha256("\n".join(ordered).encode()).digest()[:_ID_BYTES]
        return cls(
            id=base64.urlsafe_b64encode(digest).decode(),
            domains=ordered,
            expires_at=expires_at,
        )


def is_domain_list_id(text: str) -> bool:
    """Return whether a text looks like the name of a list."""
    return _ID.fullmatch(text) is not None
