"""
Values that the database keeps as JSON are the same again.
"""

import json
from datetime import UTC, datetime
from enum import Enum
from fractions import Fraction

import attrs

from hvcore.wire.stored import from_stored, to_stored


class Colour(Enum):
    """
    Some values.
    """

    RED = "red"


@attrs.frozen(kw_only=True)
class Kept:
    """
    One value of each kind.
    """

    rate: Fraction
    at: datetime
    colour: Colour
    name: str
    size: int | None = None


def test_a_stored_value_is_the_same_again() -> None:
    at = datetime(2026, 11, 30, 1, 2, 3, 4, tzinfo=UTC)
    kept = Kept(rate=Fraction(30_000, 1001), at=at, colour=Colour.RED, name="1/2")

    stored = json.loads(json.dumps(to_stored(kept)))

    assert stored == {
        "rate": "30000/1001",
        "at": "2026-11-30T01:02:03.000004+00:00",
        "colour": "red",
        "name": "1/2",
        "size": None,
    }
    assert from_stored(stored, Kept) == kept
    del stored["size"]
    assert from_stored(stored, Kept) == kept
