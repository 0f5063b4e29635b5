"""
The database port: transactions and the repositories they open.

No storage, queue or network call happens inside a transaction.
"""

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from hvcore.ports.repositories.access.audit import AuditRepository
from hvcore.ports.repositories.access.idempotency import IdempotencyRepository
from hvcore.ports.repositories.access.keys import KeyRepository
from hvcore.ports.repositories.access.quotas import QuotaRepository
from hvcore.ports.repositories.access.service_keys import ServiceKeyRepository
from hvcore.ports.repositories.access.signing_keys import SigningKeyRepository
from hvcore.ports.repositories.access.tenants import TenantRepository
from hvcore.ports.repositories.captions import CaptionRepository
from hvcore.ports.repositories.domain_lists import DomainListRepository
from hvcore.ports.repositories.events import EventRepository
from hvcore.ports.repositories.grants import GrantRepository
from hvcore.ports.repositories.jobs import JobRepository
from hvcore.ports.repositories.links import EdgeKeyRepository, ShareLinkRepository
from hvcore.ports.repositories.personal_data import PersonalDataRepository
from hvcore.ports.repositories.removals import RemovalRepository
from hvcore.ports.repositories.share_codes import ShareCodeRepository
from hvcore.ports.repositories.sign_in import (
    MemberRepository,
    PendingSignInRepository,
    SignInLinkRepository,
    SignInSessionRepository,
)
from hvcore.ports.repositories.tasks import TaskRepository
from hvcore.ports.repositories.videos import VideoRepository
from hvcore.ports.repositories.webhook_backlog import WebhookBacklogRepository
from hvcore.ports.repositories.webhooks import WebhookRepository


class Work(Protocol):
    """One transaction."""

    @property
    def videos(self) -> VideoRepository: ...

    @property
    def grants(self) -> GrantRepository: ...

    @property
    def jobs(self) -> JobRepository: ...

    @property
    def tasks(self) -> TaskRepository: ...

    @property
    def tenants(self) -> TenantRepository: ...

    @property
    def quotas(self) -> QuotaRepository:
        """The limits of organizations, and what they use."""
        ...

    @property
    def keys(self) -> KeyRepository: ...

    @property
    def audit(self) -> AuditRepository:
        """The audit log; see services.access.audit."""
        ...

    @property
    def first_requests(self) -> IdempotencyRepository: ...

    @property
    def events(self) -> EventRepository: ...

    @property
    def webhooks(self) -> WebhookRepository:
        """The webhook endpoints and their deliveries."""
        ...

    @property
    def webhook_backlog(self) -> WebhookBacklogRepository:
        """The deliveries that wait for webhook endpoints."""
        ...

    @property
    def service_keys(self) -> ServiceKeyRepository:
        """The keys with which the service signs, once they were rotated."""
        ...

    @property
    def signing_keys(self) -> SigningKeyRepository:
        """The keys with which organizations sign playback tokens."""
        ...

    @property
    def edge_keys(self) -> EdgeKeyRepository: ...

    @property
    def shares(self) -> ShareLinkRepository: ...

    @property
    def share_codes(self) -> ShareCodeRepository:
        """The codes by which viewers of share links are recognised."""
        ...

    @property
    def domain_lists(self) -> DomainListRepository:
        """The lists of domains that tokens name."""
        ...

    @property
    def captions(self) -> CaptionRepository: ...

    @property
    def removals(self) -> RemovalRepository:
        """The removals of deleted videos."""
        ...

    @property
    def personal_data(self) -> PersonalDataRepository:
        """The personal data of owners, files and viewers of deleted videos."""
        ...

    @property
    def sign_in_sessions(self) -> SignInSessionRepository:
        """The people who are signed in."""
        ...

    @property
    def pending_sign_ins(self) -> PendingSignInRepository:
        """The sign-ins that wait for an answer."""
        ...

    @property
    def sign_in_links(self) -> SignInLinkRepository:
        """The repository of one-time links."""
        ...

    @property
    def members(self) -> MemberRepository:
        """The members of organizations."""
        ...

    def now(self) -> datetime:
        """Return the moment that leases are measured by."""
        ...

    def undoing(self, *, keeps: bool) -> AbstractContextManager[None]:
        """
        Keep the writes of the block, or undo them; either takes the same time.

        For writes whose reason nobody may learn by waiting for the answer.
        """
        ...

    def commit(self, *, rings: bool = True) -> None:
        """
        Make everything durable; then due tasks go into the queue.

        Args:
            rings: If not, workers learn of the tasks seconds later, from the sweep, and
                the caller waits for no queue.
        """
        ...

    def lead(self, name: str, *, holder: str) -> bool:
        """Become or stay the one that does a job of the whole service."""
        ...


class UnitOfWork(Protocol):
    """Opens transactions. Thread-safe; never used across a fork."""

    def read(self) -> AbstractContextManager[Work]:
        """Open for reading; there is nothing to commit."""
        ...

    def write(self, *, is_durable: bool = True) -> AbstractContextManager[Work]:
        """
        Open a transaction; without ``commit()`` it is rolled back.

        Args:
            is_durable: Whether what is committed must outlive a power cut. What only
                says which process of this machine is at work need not: those end with
                the machine. Where it saves nothing, it is durable all the same.
        """
        ...

    def forget_overwritten(self) -> None:
        """
        Remove erased data from the places where the database keeps it beside tables.

        As far as nobody reads it just now; call it again and again.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ping(self) -> None:
        """Raise UnavailableError if the database does not answer."""
        ...

    def check_room(self) -> None:
        """
        Have the database write some bytes to its disk, and forget them.

        Raises:
            NoRoomError: They find no room.
            UnavailableError: The database does not answer.
        """
        ...

    def clock_ahead_s(self) -> float:
        """
        Return the seconds by which this host's clock is ahead of the database's.

        Negative if the clock is behind; 0 as far as the answer's own time leaves that
        open, and always with a database that is a file of this host.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
