"""Identities: who a person is, as a sign-in backend tells it."""

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
    Describe a person, as a sign-in backend knows the person.

    Attributes:
        subject: The person's identifier: unique within the backend, and never given to
            another person.
        name: The person's name for display; not unique.
        email: The person's mail address; "" if the backend knows none.
        is_email_proven: Whether the backend vouches that the address is this person's.
            Only then can the address make the person a member or an operator.
        roles: The roles in organizations that the backend itself gives.
        is_operator: Whether the backend itself makes the person an operator.
    """

    subject: str
    name: str = ""
    email: str = ""
    is_email_proven: bool = False
    roles: Mapping[OrgId, Role] = attrs.field(factory=dict)
    is_operator: bool = False

    @property
    def shown_name(self) -> str:
        """The person's name for display; the mail address or the subject if there is none."""
        texts = (one_line(t) for t in (self.name, self.email, self.subject))
        return next(filter(None, texts), "?")[:MAX_SHOWN_CHARS]


def is_subject(text: str) -> bool:
    """
    Return whether a text may be a person's subject.

    A subject has 1 to 255 printable ASCII characters.
    """
    return 1 <= len(text) <= MAX_SUBJECT_CHARS and text.isascii() and text.isprintable()
