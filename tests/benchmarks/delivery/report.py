"""
The figures of delivery beside those of nginx, with their goals.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tests.benchmarks.delivery.data import LARGE, PLAYLISTS, SMALL
from tests.benchmarks.delivery.edge import EDGE
from tests.benchmarks.delivery.load import Load, middle, ratio
from tests.benchmarks.delivery.servers import EMBEDDED, PLAIN

GOALS: Final[Mapping[tuple[str, str], str]] = {
    (EMBEDDED, SMALL): "3.60, aim 2.00",
    (EMBEDDED, LARGE): "1.20, aim 1.20",
    (EMBEDDED, PLAYLISTS): "0.10, aim 0.40",
    (EDGE, SMALL): "1.10",
    (EDGE, LARGE): "1.05",
    (EDGE, PLAYLISTS): "0.70",
}
"""Of nginx: processor time of segments at most, rate of playlists at least."""
P99_GOAL: Final = "2.00"


def report(case: str, found: Mapping[str, Sequence[Load]]) -> None:
    """
    Print a line for each server: medians, and median ratios round by round.
    """
    nginx = found[PLAIN]
    print(
        f"\n{case:16}{'requests/s':>12}{'of nginx':>10}{'CPU us':>10}{'of nginx':>10}"
        f"{'p99 ms':>10}{'of nginx':>10}"
    )
    for name, loads in found.items():
        figures = "".join(
            f"{middle(loads, field):{form}}{ratio(loads, nginx, field):10.2f}"
            for field, form in (
                ("per_s", "12,.0f"),
                ("cpu_us", "10.0f"),
                ("p99_ms", "10.1f"),
            )
        )
        print(f"{name:16}{figures}{_goals(name, case)}", flush=True)


def _goals(name: str, case: str) -> str:
    goal = GOALS.get((name, case))
    if goal is None:
        return ""
    if case == PLAYLISTS:
        return f"   goal: rate {goal}"
    return f"   goal: CPU {goal}" + (f"; p99 {P99_GOAL}" if case == SMALL else "")
