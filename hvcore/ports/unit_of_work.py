"""
The database port: transactions, and the repositories within them.

No storage, queue or network call happens inside a transaction.
"""

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from hvcore.ports.repositories.access.audit import AuditRepository
from hvcore.ports.repositories.access.idempotency import IdempotencyRepository
from hvcore.ports.repositories.access.keys import KeyRepository
from hvcore.ports.repositories.access.new_video_defaults import (
    NewVideoDefaultsRepository,
)
from hvcore.ports.repositories.access.quotas import QuotaRepository
from hvcore.ports.repositories.access.service_keys import ServiceKeyRepository
from hvcore.ports.repositories.access.signing_keys import SigningKeyRepository
from hvcore.ports.repositories.access.tenants import TenantRepository
from hvcore.ports.repositories.bulk_changes import BulkChangeRepository
from hvcore.ports.repositories.caption_jobs import CaptionJobRepository
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
    SignInMailRepository,
    SignInSessionRepository,
)
from hvcore.ports.repositories.spoken_texts import SpokenTextRepository
from hvcore.ports.repositories.tasks import TaskRepository
from hvcore.ports.repositories.videos import VideoRepository
from hvcore.ports.repositories.webhook_backlog import WebhookBacklogRepository
from hvcore.ports.repositories.webhooks import WebhookRepository


class Work(Protocol):
    """Give access to the repositories within one transaction."""

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
    def new_video_defaults(self) -> NewVideoDefaultsRepository:
        """The repository of defaults for new videos of organizations."""
        ...

    @property
    def quotas(self) -> QuotaRepository:
        """The repository of organizations' quota limits and their use."""
        ...

    @property
    def keys(self) -> KeyRepository: ...

    @property
    def audit(self) -> AuditRepository:
        """The repository of the audit log; see services.access.audit."""
        ...

    @property
    def first_requests(self) -> IdempotencyRepository: ...

    @property
    def events(self) -> EventRepository: ...

    @property
    def webhooks(self) -> WebhookRepository:
        """The repository of webhook endpoints and their deliveries."""
        ...

    @property
    def webhook_backlog(self) -> WebhookBacklogRepository:
        """The repository of webhook deliveries that wait although their endpoint was disabled or removed."""
        ...

    @property
    def service_keys(self) -> ServiceKeyRepository:
        """The repository of the service's own signing keys, once they were rotated."""
        ...

    @property
    def signing_keys(self) -> SigningKeyRepository:
        """The repository of keys with which organizations sign playback tokens."""
        ...

    @property
    def edge_keys(self) -> EdgeKeyRepository: ...

    @property
    def shares(self) -> ShareLinkRepository: ...

    @property
    def share_codes(self) -> ShareCodeRepository:
        """The repository of codes by which viewers of share links prove who they are."""
        ...

    @property
    def domain_lists(self) -> DomainListRepository:
        """The repository of lists of domains that playback tokens name."""
        ...

    @property
    def bulk_changes(self) -> BulkChangeRepository:
        """The repository of changes of many videos that people have ordered."""
        ...

    @property
    def captions(self) -> CaptionRepository: ...

    @property
    def spoken_texts(self) -> SpokenTextRepository:
        """The repository of what is said in videos, for the search in it."""
        ...

    @property
    def caption_jobs(self) -> CaptionJobRepository:
        """The repository of jobs that make captions by machine."""
        ...

    @property
    def removals(self) -> RemovalRepository:
        """The repository of records of removed data of deleted videos."""
        ...

    @property
    def personal_data(self) -> PersonalDataRepository:
        """The repository that erases personal data of deleted videos."""
        ...

    @property
    def sign_in_sessions(self) -> SignInSessionRepository:
        """The repository of the sessions of people who are signed in."""
        ...

    @property
    def pending_sign_ins(self) -> PendingSignInRepository:
        """The repository of sign-ins that wait for the provider's answer."""
        ...

    @property
    def sign_in_links(self) -> SignInLinkRepository:
        """The repository of one-time sign-in links."""
        ...

    @property
    def sign_in_mails(self) -> SignInMailRepository:
        """The repository of mails with invitations and sign-in links."""
        ...

    @property
    def members(self) -> MemberRepository:
        """The repository of the members of organizations."""
        ...

    def now(self) -> datetime:
        """Return the present moment, by the clock that task leases are measured with."""
        ...

    def undoing(self, *, keeps: bool) -> AbstractContextManager[None]:
        """
        Keep or undo the writes of the block; both take the same time.

        For writes whose outcome nobody may find out by measuring the answer's time.
        """
        ...

    def commit(self, *, rings: bool = True) -> None:
        """
        Commit the transaction; then put the ids of due tasks into the queue.

        Args:
            rings: If False, the queue is not used: the sweep puts the ids in seconds
                later, and the caller waits for no queue.
        """
        ...

    def lead(self, name: str, *, holder: str) -> bool:
        """
        Claim a periodic job, such as the sweep, for one process.

        Return whether that process has it.

        Args:
            name: The name of the job.
            holder: The name of the process that claims it.
        """
        ...


class UnitOfWork(Protocol):
    """Open transactions of the database; thread-safe, but not across a fork."""

    def read(self) -> AbstractContextManager[Work]:
        """Open a transaction for reading; it needs no commit."""
        ...

    def write(self, *, is_durable: bool = True) -> AbstractContextManager[Work]:
        """
        Open a transaction for writing; without ``commit()`` it is rolled back.

        Args:
            is_durable: Whether committed data must survive a power cut. Data that only
                says which process of this machine is working need not, because those
                processes end with the machine. Where a database gains nothing by it,
                the data is durable all the same.
        """
        ...

    def forget_overwritten(self) -> None:
        """
        Remove erased data from the database's files beside its tables, such as a log.

        Data that somebody reads just now may stay; call the method again and again.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ping(self) -> None:
        """Raise UnavailableError if the database cannot be used with this version."""
        ...

    def check_room(self) -> None:
        """
        Check that the database can write to its disk; the written bytes are discarded.

        Raises:
            NoRoomError: The disk has no room.
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
