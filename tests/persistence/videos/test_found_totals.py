"""
Totals of searches that are remembered.
"""

import pytest

from hvcore.persistence.videos import found_totals
from hvcore.persistence.videos.found_totals import MAX_KNOWN, Found, FoundTotals

SEVEN = Found(total=7, is_few=True)


def test_a_total_is_known_until_something_changes() -> None:
    totals = FoundTotals()
    totals.put("a", 1, SEVEN)

    assert totals.get("a", 1) == SEVEN
    assert totals.get("a", 2) is None
    assert totals.get("b", 1) is None


def test_a_total_is_known_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = FoundTotals()
    totals.put("a", 1, SEVEN)
    monkeypatch.setattr(found_totals, "MAX_AGE_S", -1)

    assert totals.get("a", 1) is None


def test_the_oldest_totals_make_room() -> None:
    totals = FoundTotals()
    for number in range(MAX_KNOWN + 1):
        totals.put(number, 1, SEVEN)

    assert totals.get(0, 1) is None
    assert totals.get(1, 1) == totals.get(MAX_KNOWN, 1) == SEVEN
