"""
Fair order: which organization's waiting task a worker takes next.

Each lane has an account of the time that it has spent on each organization. The
organization with the fewest running tasks is served first, then the organization that
has used the least time for its weight. The cost of a task is known only when the task
ends; so nothing is paid in advance.

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
    Describe an organization whose tasks wait in a lane.

    Attributes:
        runs: The number of the organization's tasks that are running in the lane.
        spent_s: The seconds spent on the organization's tasks, divided by its weight,
            since a moment that is the same for all organizations.
        waits_since: When the organization was last served, or when its first task came.
        weight: The organization's share compared with others; 1 is usual.
    """

    org_id: OrgId
    runs: int
    spent_s: float
    waits_since: datetime
    weight: float = 1.0


def newcomers(waiting: Iterable[Waiting]) -> Sequence[Waiting]:
    """Return the waiting organizations without a running task."""
    return [one for one in waiting if one.runs == 0]


def fair_order(
    waiting: Iterable[Waiting], *, workers: int, most_percent: int
) -> Sequence[Waiting]:
    """
    Return the waiting organizations in the order in which workers should serve them.

    All organizations are in the result: a free worker never stays idle.

    Args:
        workers: The number of the lane's workers: the busy ones, and the one that asks.
        most_percent: The percentage of the workers that one organization may have while
            others wait.
    """
    most = max(1, math.ceil(workers * most_percent / _ALL_PERCENT))

    def place(one: Waiting) -> tuple[bool, float, float, datetime]:
        has_its_share = one.runs >= most
        return has_its_share, one.runs / one.weight, one.spent_s, one.waits_since

    return sorted(waiting, key=place)
