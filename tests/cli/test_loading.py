"""Loading modules without looking for garbage."""

import gc
from collections.abc import Iterator

import pytest

from hvcore_cli.loading import no_garbage_collected

OBJECTS = 50_000


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    # The tests' own modules may be.
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.fixture
def frozen() -> None:
    gc.freeze()


def test_loaded_objects_are_not_looked_at_when_loading_has_ended(
    nothing_frozen: None,
) -> None:
    gc.collect()
    before = gc.get_stats()

    with no_garbage_collected():
        loaded = [[] for _ in range(OBJECTS)]
    after = gc.get_stats()

    assert after == before
    assert gc.isenabled()
    assert len(loaded) == OBJECTS


def test_objects_that_forks_share_stay_frozen(frozen: None) -> None:
    before = gc.get_freeze_count()

    with no_garbage_collected():
        pass

    # One or another ends meanwhile, as any object.
    assert gc.get_freeze_count() > before / 2
