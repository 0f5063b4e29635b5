"""
A commit whose connection is lost, while the database server goes on by itself.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Final

import pytest

from hvcore.errors import UnavailableError
from hvcore.persistence.unit_of_work import SqlUnitOfWork, SqlWork
from hvcore.ports.unit_of_work import Work
from tests.services.conftest import World

ENDS_WITHIN_S: Final = 20


@contextmanager
def next_commit_is_lost(
    world: World,
    patch: pytest.MonkeyPatch,
    changed: Callable[[SqlWork], Callable[[Work], None]],
) -> Iterator[None]:
    """
    Lose the connection of the next commit; its transaction ends once it is asked for.

    Args:
        changed: Reads what the transaction has changed, and returns how to change
            the same in another transaction, which stands for the server's.
    """
    uow = world.services.uow
    with uow.write() as work:
        kind = type(work)
    commit, write = kind.commit, type(uow).write
    holds, is_asked_for = threading.Event(), threading.Event()

    def go_on(change: Callable[[Work], None]) -> None:
        with write(uow) as work:
            change(work)
            holds.set()
            is_asked_for.wait(ENDS_WITHIN_S)
            commit(work)

    def lose_the_connection(work: SqlWork) -> None:
        change = changed(work)
        work._connection.close()
        server.submit(go_on, change)
        assert holds.wait(ENDS_WITHIN_S)
        patch.setattr(type(uow), "write", ask_for)
        raise UnavailableError("The connection was lost.")

    def ask_for(self: SqlUnitOfWork) -> AbstractContextManager[SqlWork]:
        is_asked_for.set()
        return write(self)

    with ThreadPoolExecutor(1) as server:
        patch.setattr(kind, "commit", lose_the_connection)
        try:
            yield
        finally:
            is_asked_for.set()
            patch.undo()
