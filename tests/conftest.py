"""
Fixtures for every test.
"""

import gc
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

from hvcore.testing.fakes import SettableClock
from hvcore.throttling.log_lines import LOG_LINES
from tests.support.servers import (
    PostgresqlServer,
    RedisServer,
    postgresql_server,
    redis_server,
)

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

# Hypothesis fails an example of 200 ms or more, which a busy machine takes now and then.
hypothesis.settings.register_profile("no_deadline", hypothesis.settings(deadline=None))
hypothesis.settings.load_profile("no_deadline")

__all__ = ["SettableClock"]

pytest_plugins = ("tests.support.runs.folder_times", "tests.support.http.fixtures")

IS_LONG: Final = "LONG_TESTS" in os.environ
"""Whether ``./hv test --long`` runs the tests."""
WHOLE_SERVICES: Final = tuple(
    Path(__file__).parent / n for n in ("torture", "e2e", "hosts")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """
    Add what the runs under further interpreters choose.
    """
    parser.addoption(
        "--one-case-each",
        action="store_true",
        help="of each parametrized test, run its first case alone",
    )
    parser.addoption(
        "--one-test-each-file",
        action="store_true",
        help="of each file, run the first test alone",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(
    config: pytest.Config, log: "Producer"
) -> "Scheduling | None":
    """
    Let files that share a server run where it runs; see tests.support.runs.scheduling.
    """
    if config.getoption("dist") != "loadfile":
        return None
    # Not needed by any of the processes that run the tests.
    from tests.support.runs.scheduling import HomeScheduling  # noqa: PLC0415

    return HomeScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """
    Look for no garbage while the tests are collected: nearly all that is made stays.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """
    Choose cases before pytest-randomly shuffles them, and spread the long files after it.
    """
    leave_cases_to_long_runs(items)
    leave_repetitions_to_long_runs(items)
    if config.getoption("--one-case-each"):
        keep_first_of_each(config, items, "[")
    if config.getoption("--one-test-each-file"):
        keep_first_of_each(config, items, "::")
    yield
    items[:] = [item for file in spread(items) for item in file]


def pytest_collection_finish() -> None:
    """
    Look through twenty thousand tests for garbage no more.
    """
    gc.freeze()


def spread(items: Iterable[pytest.Item]) -> Iterator[list[pytest.Item]]:
    """
    Yield the tests file by file: those with whole services evenly between the others.

    Several of them at a time make each other slow, while processors idle later. None
    is among the last fifth, where one worker would go on alone.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    long = [path for path in files if any(map(path.is_relative_to, WHOLE_SERVICES))]
    others = [path for path in files if path not in set(long)]
    placed = 0
    for number, path in enumerate(others):
        due = min(len(long), len(long) * (number + 1) * 5 // (len(others) * 4))
        for one in long[placed:due]:
            yield files[one]
        placed = due
        yield files[path]
    for one in long[placed:]:
        yield files[one]


def leave_cases_to_long_runs(items: Iterable[pytest.Item]) -> None:
    """
    Mark as long all but so many cases of a test as its marker ``cases`` says.

    Those that stay are spread evenly over the ones that are not long anyway.
    """
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("cases") and not item.get_closest_marker("long"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        marker = cases[0].get_closest_marker("cases")
        assert marker is not None
        usual = min(marker.args[0], len(cases))
        kept = {number * len(cases) // usual for number in range(usual)}
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker(pytest.mark.long)


def leave_repetitions_to_long_runs(items: Iterable[pytest.Item]) -> None:
    """
    Mark as long all but every n-th repetition among tests with the marker ``every``.

    Such a test is a kit's, on a further backend, or one on a further database. A test that
    no item without the marker runs stays in the usual run.
    """
    held: set[object] = set()
    marked: dict[object, list[pytest.Function]] = {}
    for item in items:
        if not isinstance(item, pytest.Function) or item.get_closest_marker("long"):
            continue
        if item.get_closest_marker("every"):
            marked.setdefault((item.path, item.cls), []).append(item)
        else:
            held.add(item.function)
    for tests in marked.values():
        repeated = [test for test in tests if test.function in held]
        for number, test in enumerate(repeated):
            marker = test.get_closest_marker("every")
            assert marker is not None
            if number % marker.args[0]:
                test.add_marker(pytest.mark.long)


def keep_first_of_each(
    config: pytest.Config, items: list[pytest.Item], end: str
) -> None:
    """
    Of all tests whose ids are alike up to ``end``, leave out all but the first.
    """
    kept: dict[str, pytest.Item] = {}
    for item in items:
        kept.setdefault(item.nodeid.partition(end)[0], item)
    chosen = set(kept.values())
    config.hook.pytest_deselected(items=[one for one in items if one not in chosen])
    items[:] = kept.values()


@pytest.fixture(autouse=True)
def fresh_log_lines() -> None:
    """
    Let no test use up the lines that the next one looks for.
    """
    LOG_LINES.forget()


@pytest.fixture(autouse=True)
def root_logger_as_before() -> Iterator[None]:
    """
    Undo what a command that ran within the tests' process did to the root logger.

    Later tests would write to its closed stream, and would log at its level.
    """
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    for handler in list(root.handlers):
        if type(handler) is logging.StreamHandler and handler not in handlers:
            root.removeHandler(handler)


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


@pytest.fixture(scope="session")
def swift() -> Iterator[str]:
    """
    An object store that speaks S3 and checks signatures; gives its address.
    """
    # Its clients take a second to import, which most tests do without.
    from tests.support.stores.object_store import swift_server  # noqa: PLC0415

    with swift_server() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def azure_store() -> Iterator[str]:
    """
    The server of Azure Blob Storage; gives its address.
    """
    from tests.support.stores.azure_store import azurite_server  # noqa: PLC0415 - see swift

    with azurite_server() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def google_store() -> Iterator[str]:
    """
    An imitation of Google Cloud Storage that checks signatures; gives its address.
    """
    from tests.support.stores.google_store import google_server  # noqa: PLC0415 - see swift

    with google_server() as endpoint:
        yield endpoint
