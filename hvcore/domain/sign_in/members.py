"""Members: people to whom an admin gave a role in an organization."""

import re
import string
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import MemberId, OrgId
from hvcore.domain.shown_text import one_line

MAX_MEMBER_NAME_CHARS: Final = 200
MAX_EMAIL_CHARS: Final = 254
"""RFC 5321, section 4.5.3.1.3, without the brackets."""
_EMAIL: Final = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[^\s@<>\"(),:;\\]+")
_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@attrs.frozen(kw_only=True)
class OrganizationMember:
    """
    A person's role in one organization.

    Attributes:
        email: "" if it is not known; unique in the organization, compared without
            regard to case.
        name: "" if it is not known; one of the two is.
    """

    id: MemberId
    org_id: OrgId
    email: str
    name: str
    role: Role
    created_at: datetime

    @property
    def shown_name(self) -> str:
        """Return the name, or what comes nearest to one."""
        return self.name or self.email


def is_email_address(text: str) -> bool:
    """Return whether this has the form of an email address."""
    is_plain = text.isprintable() and len(text) <= MAX_EMAIL_CHARS
    return is_plain and _EMAIL.fullmatch(text) is not None


def is_member_name(text: str) -> bool:
    """Return whether this may be a person's name: one line, not too long."""
    return len(text) <= MAX_MEMBER_NAME_CHARS and one_line(text) == text


def fold_email(email: str) -> str:
    """
    Return an address without the case of ASCII letters, to compare it.

    Only ASCII letters lose their case: folding others makes different people's
    addresses the same (``ß`` and ``ss``).
    """
    return email.strip().translate(_LOWER)
