"""
Fixtures for every test.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.throttling.log_lines import LOG_LINES
from tests.servers import (
    PostgresqlServer,
    RedisServer,
    postgresql_server,
    redis_server,
)

WHOLE_SERVICES: Final = tuple(Path(__file__).parent / n for n in ("torture", "e2e"))


# Last: pytest-randomly shuffles first.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Put the files with the longest tests first, so that none is begun at the end.
    """
    items.sort(key=lambda item: not any(map(item.path.is_relative_to, WHOLE_SERVICES)))


@attrs.define
class SettableClock:
    """
    A clock that tests move.
    """

    moment: datetime = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)

    def now(self) -> datetime:
        """
        Return the moment it was set to.
        """
        return self.moment

    def now_ms(self) -> int:
        """
        Return it as milliseconds since 1970.
        """
        return (self.moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
            milliseconds=1
        )

    def move(self, by: timedelta) -> None:
        """
        Let time pass.
        """
        self.moment += by


@pytest.fixture(autouse=True)
def fresh_log_lines() -> None:
    """
    Let no test use up the lines that the next one looks for.
    """
    LOG_LINES.forget()


@pytest.fixture
def clock() -> SettableClock:
    """
    A clock that tests move.
    """
    return SettableClock()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """
    A PostgreSQL for the whole session.
    """
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def _redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
def redis_url(_redis: RedisServer) -> str:
    """
    A Redis or Valkey with nothing in it.
    """
    with _redis.client() as client:
        client.flushall()
    return _redis.url
