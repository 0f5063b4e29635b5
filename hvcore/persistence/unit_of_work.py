"""Open transactions, and the repositories that work within them."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.sql.dml import ReturningInsert

from hvcore.clock import Clock
from hvcore.domain.tasks.task import Task
from hvcore.errors import UnavailableError
from hvcore.persistence.access.audit import SqlAuditRepository
from hvcore.persistence.access.idempotency import SqlIdempotencyRepository
from hvcore.persistence.access.new_video_defaults import SqlNewVideoDefaultsRepository
from hvcore.persistence.access.quota_use import QuotaUseChanges
from hvcore.persistence.access.quotas import SqlQuotaRepository
from hvcore.persistence.access.service_keys import SqlServiceKeyRepository
from hvcore.persistence.access.tenants import SqlKeyRepository, SqlTenantRepository
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.links.links import SqlEdgeKeyRepository, SqlShareLinkRepository
from hvcore.persistence.links.share_codes import SqlShareCodeRepository
from hvcore.persistence.overwritten_log import OverwrittenLog
from hvcore.persistence.playback.domain_lists import SqlDomainListRepository
from hvcore.persistence.playback.signing_keys import SqlSigningKeyRepository
from hvcore.persistence.processing.jobs import SqlJobRepository
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.room_to_write import check_room
from hvcore.persistence.schema_version import schema_version
from hvcore.persistence.sign_in.mails import SqlSignInMailRepository
from hvcore.persistence.sign_in.members import SqlMemberRepository
from hvcore.persistence.sign_in.sessions import SqlSignInSessionRepository
from hvcore.persistence.sign_in.sign_ins import (
    SqlPendingSignInRepository,
    SqlSignInLinkRepository,
)
from hvcore.persistence.spoken.texts import SqlSpokenTextRepository
from hvcore.persistence.statements import begin_insert
from hvcore.persistence.tables import leaders
from hvcore.persistence.tasks.tasks import SqlTaskRepository
from hvcore.persistence.uploads.grants import SqlGrantRepository
from hvcore.persistence.videos.bulk_changes import SqlBulkChangeRepository
from hvcore.persistence.videos.caption_jobs import SqlCaptionJobRepository
from hvcore.persistence.videos.captions import SqlCaptionRepository
from hvcore.persistence.videos.personal_data import SqlPersonalDataRepository
from hvcore.persistence.videos.removals import SqlRemovalRepository
from hvcore.persistence.videos.total_changes import TotalChanges
from hvcore.persistence.videos.videos import SqlVideoRepository
from hvcore.persistence.webhooks.backlog import SqlWebhookBacklogRepository
from hvcore.persistence.webhooks.endpoints import SqlWebhookRepository
from hvcore.persistence.webhooks.events import SqlEventRepository
from hvcore.persistence.webhooks.subscriptions import FindSubscribers, no_subscribers

LEADS_FOR: Final = timedelta(seconds=15)
"""Three sweeps. Another takes over before a lost lease (20 s) runs out."""

_log = logging.getLogger(__name__)

OnCommit = Callable[[Sequence[Task]], None]


class SqlWork:
    """
    One transaction with its repositories; see ports.unit_of_work.Work.

    A repository is made when it is first used.
    """

    def __init__(  # noqa: PLR0913 - what a transaction is made of
        self,
        connection: Connection,
        *,
        clock: Clock,
        media: MediaCache,
        on_commit: OnCommit | None = None,
        find_subscribers: FindSubscribers = no_subscribers,
        writes: bool = False,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._on_commit = on_commit
        self._find_subscribers = find_subscribers
        self._writes = writes
        self._media = media

    @cached_property
    def tasks(self) -> SqlTaskRepository:
        return SqlTaskRepository(self._connection, self.now)

    @cached_property
    def webhooks(self) -> SqlWebhookRepository:
        return SqlWebhookRepository(self._connection, self.now, self.tasks)

    @cached_property
    def webhook_backlog(self) -> SqlWebhookBacklogRepository:
        return SqlWebhookBacklogRepository(self._connection, self.now, self.tasks)

    @cached_property
    def events(self) -> SqlEventRepository:
        return SqlEventRepository(
            self._connection,
            self.now,
            self.webhooks,
            self.tasks,
            self._find_subscribers,
        )

    @cached_property
    def videos(self) -> SqlVideoRepository:
        return SqlVideoRepository(
            self._connection, self._media, self.events, self._totals
        )

    @cached_property
    def grants(self) -> SqlGrantRepository:
        return SqlGrantRepository(self._connection, self._use)

    @cached_property
    def jobs(self) -> SqlJobRepository:
        return SqlJobRepository(self._connection)

    @cached_property
    def tenants(self) -> SqlTenantRepository:
        return SqlTenantRepository(self._connection)

    @cached_property
    def new_video_defaults(self) -> SqlNewVideoDefaultsRepository:
        return SqlNewVideoDefaultsRepository(self._connection)

    @cached_property
    def quotas(self) -> SqlQuotaRepository:
        return SqlQuotaRepository(self._connection, self._use, self.now)

    @cached_property
    def keys(self) -> SqlKeyRepository:
        return SqlKeyRepository(self._connection)

    @cached_property
    def audit(self) -> SqlAuditRepository:
        return SqlAuditRepository(self._connection)

    @cached_property
    def domain_lists(self) -> SqlDomainListRepository:
        return SqlDomainListRepository(self._connection)

    @cached_property
    def first_requests(self) -> SqlIdempotencyRepository:
        return SqlIdempotencyRepository(self._connection)

    @cached_property
    def service_keys(self) -> SqlServiceKeyRepository:
        return SqlServiceKeyRepository(self._connection)

    @cached_property
    def signing_keys(self) -> SqlSigningKeyRepository:
        return SqlSigningKeyRepository(self._connection)

    @cached_property
    def edge_keys(self) -> SqlEdgeKeyRepository:
        return SqlEdgeKeyRepository(self._connection)

    @cached_property
    def shares(self) -> SqlShareLinkRepository:
        return SqlShareLinkRepository(self._connection)

    @cached_property
    def share_codes(self) -> SqlShareCodeRepository:
        return SqlShareCodeRepository(self._connection)

    @cached_property
    def bulk_changes(self) -> SqlBulkChangeRepository:
        return SqlBulkChangeRepository(self._connection)

    @cached_property
    def captions(self) -> SqlCaptionRepository:
        return SqlCaptionRepository(self._connection)

    @cached_property
    def spoken_texts(self) -> SqlSpokenTextRepository:
        return SqlSpokenTextRepository(self._connection)

    @cached_property
    def caption_jobs(self) -> SqlCaptionJobRepository:
        return SqlCaptionJobRepository(self._connection)

    @cached_property
    def removals(self) -> SqlRemovalRepository:
        return SqlRemovalRepository(self._connection)

    @cached_property
    def personal_data(self) -> SqlPersonalDataRepository:
        return SqlPersonalDataRepository(self._connection)

    @cached_property
    def sign_in_sessions(self) -> SqlSignInSessionRepository:
        return SqlSignInSessionRepository(self._connection)

    @cached_property
    def pending_sign_ins(self) -> SqlPendingSignInRepository:
        return SqlPendingSignInRepository(self._connection)

    @cached_property
    def sign_in_links(self) -> SqlSignInLinkRepository:
        return SqlSignInLinkRepository(self._connection)

    @cached_property
    def sign_in_mails(self) -> SqlSignInMailRepository:
        return SqlSignInMailRepository(self._connection)

    @cached_property
    def members(self) -> SqlMemberRepository:
        return SqlMemberRepository(self._connection)

    @cached_property
    def _totals(self) -> TotalChanges:
        return TotalChanges(self._connection, self._use, self.now)

    @cached_property
    def _use(self) -> QuotaUseChanges:
        return QuotaUseChanges(self._connection)

    def now(self) -> datetime:
        """
        Return the present time, by which leases of tasks are measured.

        On PostgreSQL it is the server's time: machines may disagree about the
        time. A SQLite database is used by one machine only.
        """
        if self._connection.dialect.name != "postgresql":
            return self._clock.now()
        moment: datetime = self._connection.execute(
            # Not now(), which stands still for the whole transaction.
            sa.select(sa.func.clock_timestamp())
        ).scalar_one()
        return moment.astimezone(UTC)

    @contextmanager
    def undoing(self, *, keeps: bool) -> Iterator[None]:
        savepoint = self._connection.begin_nested()
        yield
        (savepoint.commit if keeps else savepoint.rollback)()

    def commit(self, *, rings: bool = True) -> None:
        rung = self._write_down(rings=rings)
        self._connection.commit()
        # Back into the pool: the queue may take its time.
        self._connection.close()
        self._ring(rung)

    def _write_down(self, *, rings: bool) -> Sequence[Task]:
        """Write the last rows of the transaction; return the tasks to ring for."""
        if not self._writes:
            raise RuntimeError("opened for reading; there is nothing to commit")
        made = vars(self)
        if "events" in made:
            self.events.order_deliveries()
        # A process that cannot ring leaves tasks due, and the sweep rings in seconds; a
        # task that is marked as queued would wait for longer.
        rings = rings and self._on_commit is not None
        rung = self.tasks.settle(rings=rings) if "tasks" in made else []
        # Last: every change of an environment's videos waits for these rows.
        if "_totals" in made:
            self._totals.flush()
        if "_use" in made:
            self._use.flush()
        if "events" in made:
            self.events.flush()
        return rung

    def _ring(self, rung: Sequence[Task]) -> None:
        if not rung or self._on_commit is None:
            return
        try:
            self._on_commit(rung)
        except Exception:  # noqa: BLE001 - whatever a queue plugin raises
            # The rows are durable and the sweep rings again: the caller's
            # work is done, whatever the queue says.
            _log.exception("ringing for tasks failed")

    def lead(self, name: str, *, holder: str) -> bool:
        now = self.now()
        row = {"name": name, "holder": holder, "until": now + LEADS_FOR, "now": now}
        taken = self._connection.execute(_leading(self._connection.dialect.name), row)
        return taken.first() is not None


@cache
def _leading(dialect: str) -> ReturningInsert[str]:
    statement = begin_insert(dialect, leaders)
    new = statement.excluded
    now = sa.bindparam("now", type_=leaders.c.until.type)
    return statement.on_conflict_do_update(
        index_elements=[leaders.c.name],
        set_={"holder": new.holder, "until": new.until},
        where=sa.or_(leaders.c.holder == new.holder, leaders.c.until < now),
    ).returning(leaders.c.name)


class SqlUnitOfWork:
    """
    Opens transactions; see ports.unit_of_work.UnitOfWork.

    Args:
        engine: An engine that make_engine has made in this process.
        on_commit: Called after a commit with the tasks that are queued now, while no
            connection is held; its errors are logged. With None, the sweep (the periodic task)
            wakes the workers.
        find_subscribers: Returns the event kinds that each subscriber wants, by the subscriber's
            name.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        on_commit: OnCommit | None,
        find_subscribers: FindSubscribers = no_subscribers,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._on_commit = on_commit
        self._find_subscribers = find_subscribers
        self._media = MediaCache()
        self._overwritten = OverwrittenLog()

    @contextmanager
    def read(self) -> Iterator[SqlWork]:
        with reading(self._engine) as connection:
            yield SqlWork(connection, clock=self._clock, media=self._media)

    @contextmanager
    def write(self, *, is_durable: bool = True) -> Iterator[SqlWork]:
        with writing(self._engine, is_durable=is_durable) as connection:
            yield SqlWork(
                connection,
                clock=self._clock,
                media=self._media,
                on_commit=self._on_commit,
                find_subscribers=self._find_subscribers,
                writes=True,
            )

    def forget_overwritten(self) -> None:
        self._overwritten.empty(self._engine)

    def ping(self) -> None:
        """Raise UnavailableError if the database does not answer, or this version of hvcore cannot use its tables."""
        if why := schema_version(self._engine).why_unusable():
            raise UnavailableError(why)

    def check_room(self) -> None:
        check_room(self._engine)

    def clock_ahead_s(self) -> float:
        with self.read() as work:
            # The first question of a connection may wait for more than itself.
            work.now()
            before, theirs, after = self._clock.now(), work.now(), self._clock.now()
        apart = max(before - theirs, timedelta()) or min(after - theirs, timedelta())
        return apart.total_seconds()
