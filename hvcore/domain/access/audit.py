"""The audit log: who changed keys, organizations, environments, members and videos."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId

_WORDS_OF_OURS: Final = frozenset({"language", "reason"})
"""Details that are one of few words, of whatever video."""


class ActorKind(Enum):
    """Name the kinds of actors by which the audit log is filtered: programs, and everybody else."""

    PERSON = "person"
    PROGRAM = "program"


@attrs.frozen(kw_only=True)
class AuditEntry:
    """
    Describe one operation that the audit log records.

    Attributes:
        org_id: The organization that the operation concerned; None if it concerned
            none, such as the creation of a system key.
        actor: The person or program that did the operation, such as ``cli:alice``; a
            person is written as the sign-in backend's name, a colon and the subject, a
            program as ``key:`` and the id of its key.
        action: The kind of operation, such as ``key.revoke``.
        subject: The identifier of the object that was changed, such as a key's id.
        details: Further facts about the operation as plain JSON data; never a secret.
        actor_name: The name of the person, or of the program's key; "" for others.
        seq: The entry's number in the log, which rises with each entry; 0 until the
            entry is stored.
        is_by_program: Whether a program with a key, or with an access token, did the
            operation.
    """

    at: datetime
    org_id: OrgId | None
    actor: str
    action: str
    subject: str
    details: Mapping[str, object] = attrs.field(factory=dict)
    actor_name: str = ""
    seq: int = attrs.field(default=0, eq=False)
    is_by_program: bool = False


@attrs.frozen(kw_only=True)
class AuditQuery:
    """
    Filter the entries of the audit log; a filter that is None or "" is not applied.

    Attributes:
        area: The beginning of the action's name, such as ``key``.
        search: A text that must occur in the actor, the action or the subject, in upper
            or lower case; the whole id of a video must be the subject.
        by: PERSON also finds the entries of the command line and of the service itself.
        first: The first UTC day of entries; ``last`` is the last day. Both days are
            included.
        before: A ``seq``: only entries with a lower one, which are older, are returned.
    """

    org_id: OrgId | None = None
    area: str = ""
    search: str = ""
    by: ActorKind | None = None
    first: date | None = None
    last: date | None = None
    before: int | None = None


@attrs.frozen(kw_only=True)
class AuditPage:
    """
    Hold one page of audit log entries, the latest first.

    Attributes:
        has_more: Whether older entries match the query, too.
    """

    entries: Sequence[AuditEntry]
    has_more: bool


def without_personal_details(details: Mapping[str, object]) -> Mapping[str, object]:
    """
    Return the details of an audit entry without personal data.

    Called when a video's data is erased. Numbers, booleans, None and the details
    ``language`` and ``reason`` stay; every other detail is left out.
    """
    return {
        name: value
        for name, value in details.items()
        if name in _WORDS_OF_OURS or isinstance(value, int | float | None)
    }
