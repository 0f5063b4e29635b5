"""
The database port: transactions and the repositories they open.

No storage, queue or network call happens inside a transaction.
"""

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from hvcore.ports.repositories.audit import AuditLog
from hvcore.ports.repositories.captions import CaptionTracks
from hvcore.ports.repositories.events import Events
from hvcore.ports.repositories.grants import Grants
from hvcore.ports.repositories.idempotency import FirstRequests
from hvcore.ports.repositories.jobs import Jobs
from hvcore.ports.repositories.keys import Keys
from hvcore.ports.repositories.links import EdgeKeys, ShareLinks
from hvcore.ports.repositories.tasks import Tasks
from hvcore.ports.repositories.tenants import Tenants
from hvcore.ports.repositories.videos import Videos
from hvcore.ports.repositories.webhook_backlog import WebhookBacklog
from hvcore.ports.repositories.webhooks import Webhooks


class Work(Protocol):
    """
    One transaction.
    """

    @property
    def videos(self) -> Videos:
        """
        The videos.
        """
        ...

    @property
    def grants(self) -> Grants:
        """
        The upload grants.
        """
        ...

    @property
    def jobs(self) -> Jobs:
        """
        The transcode jobs.
        """
        ...

    @property
    def tasks(self) -> Tasks:
        """
        The tasks.
        """
        ...

    @property
    def tenants(self) -> Tenants:
        """
        Organizations and environments.
        """
        ...

    @property
    def keys(self) -> Keys:
        """
        The API key records.
        """
        ...

    @property
    def audit(self) -> AuditLog:
        """
        Who did what; see services.audit.record.
        """
        ...

    @property
    def first_requests(self) -> FirstRequests:
        """
        The first requests of idempotency keys.
        """
        ...

    @property
    def events(self) -> Events:
        """
        The events.
        """
        ...

    @property
    def webhooks(self) -> Webhooks:
        """
        The webhook endpoints and their deliveries.
        """
        ...

    @property
    def webhook_backlog(self) -> WebhookBacklog:
        """
        What waits for webhook endpoints.
        """
        ...

    @property
    def edge_keys(self) -> EdgeKeys:
        """
        The edge keys.
        """
        ...

    @property
    def shares(self) -> ShareLinks:
        """
        The share links.
        """
        ...

    @property
    def captions(self) -> CaptionTracks:
        """
        The captions of videos.
        """
        ...

    def now(self) -> datetime:
        """
        Return the moment that leases are measured by.
        """
        ...

    def commit(self) -> None:
        """
        Make everything durable; then due tasks go into the queue.
        """
        ...

    def lead(self, name: str, *, holder: str) -> bool:
        """
        Become or stay the one that does a job of the whole service.
        """
        ...


class UnitOfWork(Protocol):
    """
    Opens transactions. Thread-safe; never used across a fork.
    """

    def read(self) -> AbstractContextManager[Work]:
        """
        Open for reading; there is nothing to commit.
        """
        ...

    def write(self) -> AbstractContextManager[Work]:
        """
        Open a transaction; without ``commit()`` it is rolled back.
        """
        ...

    def ping(self) -> None:
        """
        Raise UnavailableError if the database does not answer.
        """
        ...
