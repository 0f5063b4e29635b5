"""
The usual run leaves repetitions to long runs, and no promise.
"""

from collections.abc import Callable

import pytest

from tests.conftest import leave_repetitions_to_long_runs


def shared() -> None:
    """
    Stand for a test of a kit that several backends run.
    """


def own() -> None:
    """
    Stand for a test that one backend runs.
    """


def names_in_usual_run(*items: pytest.Function) -> list[str]:
    leave_repetitions_to_long_runs(items)
    return [item.name for item in items if not item.get_closest_marker("long")]


@pytest.fixture
def item(request: pytest.FixtureRequest) -> Callable[..., pytest.Function]:
    def make(
        name: str, function: Callable[[], None], *marks: pytest.MarkDecorator
    ) -> pytest.Function:
        module = request.node.parent
        made = pytest.Function.from_parent(module, name=name, callobj=function)
        for mark in marks:
            made.add_marker(mark)
        return made

    return make


def test_every_third_repetition_is_in_the_usual_run(
    item: Callable[..., pytest.Function],
) -> None:
    repeated = [item(f"s3-{n}", shared, pytest.mark.every(3)) for n in range(7)]

    names = names_in_usual_run(item("files", shared), *repeated)

    assert names == ["files", "s3-0", "s3-3", "s3-6"]


def test_a_test_that_nothing_else_runs_stays_in_the_usual_run(
    item: Callable[..., pytest.Function],
) -> None:
    alone = [item(f"s3-{n}", own, pytest.mark.every(3)) for n in range(3)]

    names = names_in_usual_run(item("files", shared), *alone)

    assert names == ["files", "s3-0", "s3-1", "s3-2"]


def test_a_test_that_only_long_runs_have_otherwise_stays_in_the_usual_run(
    item: Callable[..., pytest.Function],
) -> None:
    other = item("azure", own, pytest.mark.long)
    alone = [item(f"s3-{n}", own, pytest.mark.every(3)) for n in range(2)]

    assert names_in_usual_run(other, *alone) == ["s3-0", "s3-1"]
