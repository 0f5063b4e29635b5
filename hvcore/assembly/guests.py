"""Make the services that work within another program's transaction."""

from collections.abc import Sequence
from functools import cached_property, partial

import attrs

from hvcore.assembly.services import Services
from hvcore.assembly.uploads import UploadWiring
from hvcore.clock import Clock
from hvcore.domain.tasks.kinds import VIDEO_PURGE
from hvcore.domain.tasks.task import Task
from hvcore.persistence.guest import GuestUnitOfWork
from hvcore.persistence.host_connections.connections import OnHostCommit
from hvcore.persistence.host_engine import accept_host_engine
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.videos.deletion import Deletion
from hvcore.signing.sealing import Sealer

__all__ = ["GuestServices", "accept_host_engine"]


class GuestServices(UploadWiring):
    """
    Uploads and deletions within another program's transaction, undone by its rollback.

    Raises:
        ConfigError: The connection cannot be used; see GuestUnitOfWork.
        UnavailableError: The database does not answer.
    """

    def __init__(
        self,
        services: Services,
        connection: object,
        *,
        call_after_commit: OnHostCommit | None = None,
    ) -> None:
        super().__init__(services.recipe)
        self._services = services
        self._work = GuestUnitOfWork(
            services.engine,
            connection,
            clock=services.clock,
            on_commit=partial(_tell, services),
            call_after_commit=call_after_commit,
            find_subscribers=services.wanted_kinds,
        )

    @cached_property
    def uow(self) -> UnitOfWork:
        """The unit of work, which opens savepoints in the other program's transaction."""
        return self._work

    @cached_property
    def deletion(self) -> Deletion:
        """The service that deletes videos; workers and delivery learn of it after the commit."""
        return attrs.evolve(self._services.deletion, uow=self.uow)

    @cached_property
    def clock(self) -> Clock:
        """The clock that the services use, the same as outside of the other program's transaction."""
        return self._services.clock

    @cached_property
    def storage(self) -> Storage:
        return self._services.storage

    @cached_property
    def sealer(self) -> Sealer:
        # With it, keys are read on the other program's connection: there may be no
        # other one.
        return self._services.sealer


def _tell(services: Services, tasks: Sequence[Task]) -> None:
    """Ring for tasks of a transaction that is committed, and have delivery look again."""
    if any(task.kind == VIDEO_PURGE for task in tasks):
        services.deletion.changes.publish()
    if services.on_commit is not None:
        services.on_commit(tasks)
