"""
A fair order of the organizations whose tasks wait in a lane.

Each lane has an account of what it has spent on each organization. The
organization with the fewest running tasks is served first, then the one that
has used the least for its weight. What a slice of work costs is known only
when it ends; so nothing is paid in advance.

Source: Shreedhar and Varghese, Deficit Round Robin, 1995; FQ-CoDel (RFC 8290) for
what a newcomer gets.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.ids import OrgId

MAX_DEBT_S: Final = 600.0
"""How much more than others an organization may be remembered to have used: ten slices. What it used while nobody else waited must not make it wait for a day."""
_ALL_PERCENT: Final = 100


@attrs.frozen(kw_only=True)
class Waiting:
    """
    An organization that waits in a lane.

    Attributes:
        runs: How many of its tasks are being worked on.
        spent_s: What was spent on it, in seconds divided by its weight, since any
            moment that is the same for all.
        waits_since: When it was last served, or when it came.
        weight: How many usual ones it counts for.
    """

    org_id: OrgId
    runs: int
    spent_s: float
    waits_since: datetime
    weight: float = 1.0


def newcomers(waiting: Iterable[Waiting]) -> Sequence[Waiting]:
    """Return the waiting organizations of which no task is in work."""
    return [one for one in waiting if one.runs == 0]


def fair_order(
    waiting: Iterable[Waiting], *, workers: int, most_percent: int
) -> Sequence[Waiting]:
    """
    Return the waiting organizations in the order in which they are served.

    Nobody is left out: a worker that is free never waits.

    Args:
        workers: How many there are: the busy ones, and the one that asks.
        most_percent: Of the workers, for one organization while others wait.
    """
    most = max(1, math.ceil(workers * most_percent / _ALL_PERCENT))

    def place(one: Waiting) -> tuple[bool, float, float, datetime]:
        has_its_share = one.runs >= most
        return has_its_share, one.runs / one.weight, one.spent_s, one.waits_since

    return sorted(waiting, key=place)
