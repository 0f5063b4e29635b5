"""Loading modules without looking for garbage."""

import gc
from collections.abc import Iterator

import pytest

from hvcore_cli.loading import no_garbage_collected
from hvcore_cli.main import run

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


def test_a_command_that_is_loaded_is_found_without_counting_what_is_frozen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Counting walks through all of it, which takes 40 ms where much is frozen.
    assert run(["migrate", "--help"]) == 0
    counts = iter([0])
    monkeypatch.setattr(gc, "get_freeze_count", lambda: next(counts))

    again = run(["migrate", "--help"])

    assert again == 0
    assert [*counts] == [0]
