"""
The site whose files the loop sends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

import attrs
import pytest

from tests.server.file_loop.loop_server import MAX_CONNECTIONS
from tests.server.file_loop.loop_site import (
    Site,
    running_site,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with (
        few_open_files(MAX_CONNECTIONS + 25) as end,
        running_site(tmp_path_factory.mktemp("site")) as made,
    ):
        end()
        yield made


@contextmanager
def few_open_files(number: int) -> Iterator[Callable[[], None]]:
    """
    Allow what is started few open files at first, until the end is called.
    """
    before, most = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (number, most))

    def end() -> None:
        setrlimit(RLIMIT_NOFILE, (before, most))

    try:
        yield end
    finally:
        end()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path) as made:
        yield made


@pytest.fixture
def own_video(site: Site) -> Site:
    """
    The same process, with a video that a test may change.
    """
    made = attrs.evolve(site)
    made.publish()
    return made


@pytest.fixture
def counted(site: Site) -> Callable[[], int]:
    before = site.counted()
    return lambda: site.counted() - before
