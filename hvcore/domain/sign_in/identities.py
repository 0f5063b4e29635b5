"""The identity of a person, as a sign-in backend gives it."""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.shown_text import one_line

MAX_SHOWN_CHARS: Final = 200
MAX_SUBJECT_CHARS: Final = 255
"""OpenID Connect Core 1.0, section 2, ``sub``."""


@attrs.frozen(kw_only=True)
class Identity:
    """
    A person, as a sign-in backend knows them.

    Attributes:
        subject: Who it is: unique within the backend, and never given to another
            person.
        name: For the eye; not unique.
        email: "" if the backend knows none.
        is_email_proven: The backend vouches that the address is this person's.
            Only then does it make the person a member or an operator.
        roles: The roles that the backend itself gives.
        is_operator: The backend itself makes the person an operator.
    """

    subject: str
    name: str = ""
    email: str = ""
    is_email_proven: bool = False
    roles: Mapping[OrgId, Role] = attrs.field(factory=dict)
    is_operator: bool = False

    @property
    def shown_name(self) -> str:
        """Return the name, or what comes nearest to one."""
        texts = (one_line(t) for t in (self.name, self.email, self.subject))
        return next(filter(None, texts), "?")[:MAX_SHOWN_CHARS]


def is_subject(text: str) -> bool:
    """Return whether this can be the subject of a person."""
    return 1 <= len(text) <= MAX_SUBJECT_CHARS and text.isascii() and text.isprintable()
