"""
Whose task is next.
"""

from datetime import UTC, datetime, timedelta

from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.fair_order import Waiting, fair_order

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def _waiting(
    name: str,
    *,
    runs: int = 0,
    spent_s: float = 0,
    waits_s: float = 0,
    weight: float = 1,
) -> Waiting:
    return Waiting(
        org_id=OrgId(name),
        runs=runs,
        spent_s=spent_s,
        waits_since=NOW - timedelta(seconds=waits_s),
        weight=weight,
    )


def _order(*waiting: Waiting, workers: int = 4, most_percent: int = 50) -> list[str]:
    ordered = fair_order(waiting, workers=workers, most_percent=most_percent)
    return [one.org_id for one in ordered]


def test_the_organization_with_the_least_in_work_is_first() -> None:
    busy = _waiting("busy", runs=1, spent_s=1)
    idle = _waiting("idle", spent_s=100)

    assert _order(busy, idle) == ["idle", "busy"]


def test_of_equals_it_is_who_has_had_the_least() -> None:
    assert _order(_waiting("a", spent_s=2), _waiting("b", spent_s=1)) == ["b", "a"]


def test_of_equals_again_it_is_who_waits_longest() -> None:
    assert _order(_waiting("a", waits_s=1), _waiting("b", waits_s=2)) == ["b", "a"]


def test_a_weight_counts_for_as_many_workers() -> None:
    heavy = _waiting("heavy", runs=2, weight=3)
    usual = _waiting("usual", runs=1)

    assert _order(heavy, usual, workers=100) == ["heavy", "usual"]


def test_no_weight_takes_more_than_the_share_of_the_workers() -> None:
    heavy = _waiting("heavy", runs=2, weight=100)
    usual = _waiting("usual", runs=1)

    assert _order(heavy, usual, workers=4) == ["usual", "heavy"]


def test_a_share_is_rounded_up_to_at_least_one_worker() -> None:
    heavy = _waiting("heavy", runs=1, weight=100)
    usual = _waiting("usual", runs=1)

    assert _order(heavy, usual, workers=3) == ["heavy", "usual"]
    assert _order(_waiting("a"), usual, workers=1, most_percent=1) == ["a", "usual"]


def test_an_organization_alone_may_have_all_workers() -> None:
    assert _order(_waiting("alone", runs=3), workers=4) == ["alone"]
