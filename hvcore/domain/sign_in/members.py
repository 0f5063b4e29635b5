"""Members: people to whom an admin has given a role in an organization."""

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
    Describe a member: a person with a role in one organization.

    Attributes:
        email: The mail address; "" if it is not known. Unique in the organization,
            regardless of case.
        name: The name; "" if it is not known. Name or email is always known.
    """

    id: MemberId
    org_id: OrgId
    email: str
    name: str
    role: Role
    created_at: datetime

    @property
    def shown_name(self) -> str:
        """The member's name for display; the mail address if there is none."""
        return self.name or self.email


def is_email_address(text: str) -> bool:
    """Return whether a text has the form of an email address."""
    is_plain = text.isprintable() and len(text) <= MAX_EMAIL_CHARS
    return is_plain and _EMAIL.fullmatch(text) is not None


def is_member_name(text: str) -> bool:
    """Return whether a text may be a person's name: one line, not too long."""
    return len(text) <= MAX_MEMBER_NAME_CHARS and one_line(text) == text


def fold_email(email: str) -> str:
    """
    Return an email address in lower case, for comparing addresses.

    Only ASCII letters are changed: folding other letters would make different people's
    addresses equal (``ß`` and ``ss``).
    """
    return email.strip().translate(_LOWER)
