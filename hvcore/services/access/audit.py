"""
Write and read the audit log: changes of keys, organizations, members, webhooks and videos.

An entry is written in the transaction of the change that it describes, so neither
exists without the other.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.access.audit import ActorKind, AuditEntry, AuditPage, AuditQuery
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.ids import OrgId
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work


@attrs.frozen(kw_only=True)
class Actor:
    """
    The person, program or command line whose action the audit log records.

    Attributes:
        name: The name of a person, or of a program's key; "" for others.
    """

    id: str
    name: str = ""
    is_program: bool = False


_SERVICE: Final = Actor(id="service")
_actor: ContextVar[Actor] = ContextVar("hvcore_actor", default=_SERVICE)


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """
    Set the actor of audit log entries for a ``with`` block, in this thread.

    Args:
        actor: The actor, such as ``cli:alice``; entries outside of such a block have
            ``service``.
    """
    with _acting(Actor(id=actor)):
        yield


@contextmanager
def acting_as_person(person: Person) -> Iterator[None]:
    """Set a signed-in person as the actor of audit log entries, for a ``with`` block."""
    with _acting(Actor(id=actor_of_person(person), name=person.name)):
        yield


@contextmanager
def acting_as_program(caller: Principal) -> Iterator[None]:
    """Set a program, which sent the request, as the actor of audit log entries, for a ``with`` block."""
    program = Actor(id=_program(caller), name=caller.key_name, is_program=True)
    with _acting(program):
        yield


def actor_of_person(person: Person) -> str:
    """Return the actor as which entries of the audit log name a person."""
    return f"{person.backend}:{person.subject}"


@contextmanager
def _acting(actor: Actor) -> Iterator[None]:
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def record(
    work: Work, action: str, subject: str, *, org_id: OrgId | None, **details: object
) -> None:
    """
    Add an entry to the audit log about the change that this transaction makes.

    Args:
        action: The kind of change, such as ``key.create``.
        subject: The id of the key, organization, video or other object that is changed.
        details: Facts about the change: plain JSON data and moments; never a secret.
    """
    actor = _actor.get()
    work.audit.add(
        AuditEntry(
            at=work.now(),
            org_id=org_id,
            actor=actor.id,
            actor_name=actor.name,
            is_by_program=actor.is_program,
            action=action,
            subject=subject,
            details={name: _plain(value) for name, value in details.items()},
        )
    )


def record_by_caller(
    work: Work, action: str, subject: str, *, org_id: OrgId, **details: object
) -> None:
    """
    Add an entry about a change of a video to the audit log, if a caller makes the change.

    Callers are people, programs with a key, and the command line. What the service does by
    itself, or for the program that embeds it, is not recorded.

    Args:
        action: The kind of change, such as ``video.change``.
        subject: The id of the video.
        details: Facts about the change: plain JSON data and moments; never a secret.
    """
    if _actor.get() is not _SERVICE:
        record(work, action, subject, org_id=org_id, **details)


def actor_of(caller: Principal) -> str:
    """Return the actor of a change: a person, the command line, or the id of a program's key."""
    actor = _actor.get()
    return _program(caller) if actor is _SERVICE else actor.id


def _program(caller: Principal) -> str:
    return f"key:{caller.key_id}"


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


@attrs.frozen(kw_only=True)
class Audit:
    """Read the entries of the audit log."""

    uow: UnitOfWork

    def latest(
        self, org_id: str | None, *, limit: int, by: ActorKind | None = None
    ) -> Sequence[AuditEntry]:
        """
        Return the latest audit log entries of one organization, or of all; newest first.

        Args:
            by: The kind of actors of the entries; None for all.

        Raises:
            NotFoundError: There is no such organization.
        """
        org = None if org_id is None else OrgId(org_id)
        return self.page(AuditQuery(org_id=org, by=by), limit=limit).entries

    def page(self, query: AuditQuery, *, limit: int) -> AuditPage:
        """
        Return the latest audit log entries that match a query, and whether there are more.

        Raises:
            NotFoundError: There is no such organization.
        """
        org_id = query.org_id
        with self.uow.read() as work:
            if org_id is not None and work.tenants.organization(org_id) is None:
                raise NotFoundError(
                    f"There is no organization {org_id}; hv orgs list shows what "
                    "there is."
                )
            # One more than is shown tells whether there are further ones.
            found = work.audit.search(query, limit + 1)
        return AuditPage(entries=found[:limit], has_more=len(found) > limit)
