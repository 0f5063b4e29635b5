"""
The database port: transactions and the repositories they open.

No storage, queue or network call happens inside a transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

import attrs

from hvcore.domain.access import ApiKey, Environment, Organization
from hvcore.domain.ids import JobId, KeyId, OrgId, TaskId, VideoId
from hvcore.domain.tasks import NewTask, Task, TaskState
from hvcore.domain.transcoding import TranscodeOrder
from hvcore.domain.uploads import UploadGrant
from hvcore.domain.video import Video
from hvcore.ports.audit import AuditLog
from hvcore.ports.captions import CaptionTracks
from hvcore.ports.events import Events
from hvcore.ports.idempotency import FirstRequests
from hvcore.ports.sharing import EdgeKeys, ShareLinks
from hvcore.ports.webhook_backlog import WebhookBacklog
from hvcore.ports.webhooks import Webhooks


class ConcurrentUpdateError(Exception):
    """
    Somebody else saved the same record in the meantime.
    """


class AlreadyExistsError(Exception):
    """
    A record with this identifier is there already.
    """


class Videos(Protocol):
    """
    The videos.
    """

    def find(self, video_id: str, *, for_update: bool = False) -> Video | None:
        """
        Return a video by its ``vid_`` or ``pubvid_`` id, deleted or not.
        """
        ...

    def add(self, video: Video) -> None:
        """
        Store a new video.
        """
        ...

    def save(self, video: Video) -> None:
        """
        Store a changed video and raise its version.

        Raises:
            ConcurrentUpdateError: It was saved since it was read.
        """
        ...

    def expired(self, now: datetime, limit: int) -> Sequence[Video]:
        """
        Return videos whose awaited bytes can no longer come.
        """
        ...


class Grants(Protocol):
    """
    The upload grants.
    """

    def find(self, grant_id: str, *, for_update: bool = False) -> UploadGrant | None:
        """
        Return a grant by its id.
        """
        ...

    def find_path(self, path: str, *, for_update: bool = False) -> UploadGrant | None:
        """
        Return a grant by its ``bucketPath``.
        """
        ...

    def add(self, grant: UploadGrant) -> None:
        """
        Store a new grant.
        """
        ...

    def save(self, grant: UploadGrant) -> None:
        """
        Store a changed grant.
        """
        ...

    def unused(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        """
        Return grants that ran out before a moment and became no video.
        """
        ...


@attrs.frozen(kw_only=True)
class TranscodeJob:
    """
    A job that was planned.
    """

    id: JobId
    video_id: VideoId
    order: TranscodeOrder
    parts_total: int
    parts_left: int


class Jobs(Protocol):
    """
    The transcode jobs.
    """

    def add(self, job: TranscodeJob) -> bool:
        """
        Store a new job; False if it was stored before.
        """
        ...

    def find(self, job_id: JobId) -> TranscodeJob | None:
        """
        Return a job.
        """
        ...

    def count_down(self, job_id: JobId) -> int:
        """
        Take note of one finished part; return how many are left.
        """
        ...


class Tasks(Protocol):
    """
    The tasks: ordering, leasing, finishing.
    """

    def add(self, tasks: Iterable[NewTask]) -> None:
        """
        Order tasks; after the commit those that are due go into the queue.
        """
        ...

    def find(self, task_id: TaskId) -> Task | None:
        """
        Return a task.
        """
        ...

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        """
        Return the tasks about something, oldest first.
        """
        ...

    def search(
        self,
        *,
        state: TaskState | None = None,
        org_id: OrgId | None = None,
        subject: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> Sequence[Task]:
        """
        Return tasks for an operator, the latest change first.
        """
        ...

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        """
        Take a due or queued task; None if somebody else has it or it ended.
        """
        ...

    def renew(self, task: Task, *, progress: float | None) -> bool:
        """
        Prolong a lease; False if it is lost or the task was cancelled.
        """
        ...

    def finish(self, task: Task, *, result: Mapping[str, object] | None = None) -> bool:
        """
        End a leased task as done; False if the lease is lost.
        """
        ...

    def fail(self, task: Task, *, error: str) -> bool:
        """
        End a leased task as failed; False if the lease is lost.
        """
        ...

    def put_back(
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        payload: Mapping[str, object] | None = None,
        error: str | None = None,
    ) -> bool:
        """
        Give a lease back so that the task is run again; False if it is lost.
        """
        ...

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> int:
        """
        End every unfinished task of these kinds about something.
        """
        ...

    def take_lost(self, limit: int) -> Sequence[Task]:
        """
        Make tasks whose lease ran out due again, each with one more loss.
        """
        ...

    def free_worker(self, worker_prefix: str) -> int:
        """
        Make the tasks of workers that are known to be dead due again.
        """
        ...

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, as far as their organization's window goes.

        Queued tasks that nobody took are given once more. The caller puts
        them all into the queue.
        """
        ...

    def forget_ended(self, before: datetime, limit: int) -> int:
        """
        Remove tasks that ended long ago.
        """
        ...


class Tenants(Protocol):
    """
    Organizations and environments.
    """

    def organization(self, org_id: str) -> Organization | None:
        """
        Return an organization.
        """
        ...

    def organizations(self) -> Sequence[Organization]:
        """
        Return every organization, oldest first.
        """
        ...

    def add_organization(self, organization: Organization) -> None:
        """
        Store a new organization.

        Raises:
            AlreadyExistsError: The id is taken.
        """
        ...

    def environment(self, org_id: str, ref: str) -> Environment | None:
        """
        Return an organization's environment by its id or its short name.
        """
        ...

    def environments(self, org_id: str) -> Sequence[Environment]:
        """
        Return an organization's environments, oldest first.
        """
        ...

    def add_environment(self, environment: Environment) -> None:
        """
        Store a new environment.

        Raises:
            AlreadyExistsError: The id or the name is taken.
        """
        ...


class Keys(Protocol):
    """
    The API key records.
    """

    def find(self, key_id: KeyId, *, for_update: bool = False) -> ApiKey | None:
        """
        Return a key record.
        """
        ...

    def of_organization(self, org_id: OrgId | None) -> Sequence[ApiKey]:
        """
        Return an organization's keys, oldest first; None: the system keys.
        """
        ...

    def add(self, key: ApiKey) -> None:
        """
        Store a new key record.
        """
        ...

    def save(self, key: ApiKey) -> None:
        """
        Store a changed key record.
        """
        ...


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
