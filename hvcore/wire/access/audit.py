"""The audit log's JSON and file formats, which the interface document does not define."""

from collections.abc import Iterable
from typing import Final

from hvcore.domain.access.audit import AuditEntry
from hvcore.wire.exports import table
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import STRING, TIMESTAMP, array, nullable, record

ENTRIES: Final = record(
    "AuditEntryList",
    {
        "entries": array(
            record(
                "AuditEntry",
                {
                    "at": TIMESTAMP,
                    "actor": STRING,
                    "actorName": STRING,
                    "action": STRING,
                    "subject": STRING,
                    "orgID": nullable(STRING),
                    "details": {"type": "object"},
                },
            )
        )
    },
)
TABLE: Final = table("audit-log", ENTRIES, "entries")


def entries(found: Iterable[AuditEntry]) -> Payload:
    """Return the JSON payload of audit log entries, in their order."""
    return {
        "entries": [
            {
                "at": timestamp(entry.at),
                "actor": entry.actor,
                "actorName": entry.actor_name,
                "action": entry.action,
                "subject": entry.subject,
                "orgID": entry.org_id,
                "details": dict(entry.details),
            }
            for entry in found
        ]
    }
