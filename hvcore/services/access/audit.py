"""
Who did what to keys, organizations, environments and webhooks.

An entry is written in the transaction of what it tells about, so that there is
neither without the other.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

import attrs

from hvcore.domain.access.audit import AuditEntry
from hvcore.domain.ids import OrgId
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work

_actor: ContextVar[str] = ContextVar("hvcore_actor", default="service")


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """
    Name who is responsible for what a block does, in this thread.

    Args:
        actor: Such as ``cli:alice``; without this, it is ``service``.
    """
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def record(
    work: Work, action: str, subject: str, *, org_id: OrgId | None, **details: object
) -> None:
    """
    Add to the audit log what this transaction does.

    Args:
        action: Such as ``key.create``.
        subject: The identifier of what it is done to.
        details: Plain JSON data and moments; never a secret.
    """
    work.audit.add(
        AuditEntry(
            at=work.now(),
            org_id=org_id,
            actor=_actor.get(),
            action=action,
            subject=subject,
            details={name: _plain(value) for name, value in details.items()},
        )
    )


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


@attrs.frozen(kw_only=True)
class Audit:
    """
    Read the audit log.
    """

    uow: UnitOfWork

    def latest(self, org_id: str | None, *, limit: int) -> Sequence[AuditEntry]:
        """
        Return the latest entries of an organization, or of all; newest first.

        Raises:
            NotFoundError: There is no such organization.
        """
        with self.uow.read() as work:
            if org_id is not None and work.tenants.organization(org_id) is None:
                raise NotFoundError(
                    f"There is no organization {org_id}; hv orgs list shows what "
                    "there is."
                )
            return work.audit.latest(org_id, limit)
