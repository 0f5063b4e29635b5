"""The audit log: actions of operators on keys, organizations and environments."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

import attrs

from hvcore.domain.ids import OrgId

_WORDS_OF_OURS: Final = frozenset({"language", "reason"})
"""Details that are one of few words, of whatever video."""


@attrs.frozen(kw_only=True)
class AuditEntry:
    """
    One operation.

    Attributes:
        org_id: None for what belongs to no organization, such as a system key.
        actor: Who did it, such as ``cli:alice``; a person is the backend's name, a
            colon and the subject.
        action: What was done, such as ``key.revoke``.
        subject: The identifier of what it was done to.
        details: Plain JSON data; never a secret.
        actor_name: The name of a person; "" for others.
        seq: Its place in the log, rising; 0 while it is in none.
    """

    at: datetime
    org_id: OrgId | None
    actor: str
    action: str
    subject: str
    details: Mapping[str, object] = attrs.field(factory=dict)
    actor_name: str = ""
    seq: int = attrs.field(default=0, eq=False)


@attrs.frozen(kw_only=True)
class AuditQuery:
    """
    The filters of audit log entries; None or "" does not filter.

    Attributes:
        area: What actions begin with, such as ``key``.
        search: Is somewhere in who, what was done, or to what; in any case.
        first: A UTC day; last, too, and both are included.
        before: Only entries that are older than this one (``seq``).
    """

    org_id: OrgId | None = None
    area: str = ""
    search: str = ""
    first: date | None = None
    last: date | None = None
    before: int | None = None


@attrs.frozen(kw_only=True)
class AuditPage:
    """
    Entries, the latest first.

    Attributes:
        has_more: There are older ones that the query asks for, too.
    """

    entries: Sequence[AuditEntry]
    has_more: bool


def without_personal_details(details: Mapping[str, object]) -> Mapping[str, object]:
    """
    Return the details of an entry about a video that stay when its files go.

    Those are numbers, truths, and words of the service.
    """
    return {
        name: value
        for name, value in details.items()
        if name in _WORDS_OF_OURS or isinstance(value, int | float | None)
    }
