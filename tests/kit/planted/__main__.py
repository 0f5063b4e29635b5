"""
Run the kits on plugins with planted faults, and print which faults they find::

    python -m tests.kit.planted [--seed N] [--port KIND] [--only NAME]

A fault counts as found if a test of the kit fails by its name, and the kit passes on the
backend without the fault. The exit status is 1 if less than 95 % are found.
"""

import argparse
import sys

from tests.kit.planted.faults import Fault, faults, unseen
from tests.kit.planted.kit_runs import Outcome, Verdict, outcomes, scores

SHARE = 0.95


def main() -> int:
    """Run the kits on the chosen faults, and print the verdicts and the scores."""
    parser = argparse.ArgumentParser(prog="python -m tests.kit.planted")
    parser.add_argument("--seed", type=int, default=1, help="of the tests' order")
    parser.add_argument("--port", action="append", help="a kind of plugin")
    parser.add_argument("--only", action="append", help="a part of a fault's name")
    asked = parser.parse_args()
    chosen = [fault for fault in faults() if _is_chosen(fault, asked.port, asked.only)]
    if not chosen:
        parser.error("no planted fault has such a name")
    results = []
    for fault, outcome in outcomes(chosen, asked.seed):
        results.append((fault, outcome))
        _say(_line(fault, outcome))
    _say(f"\n{'kind':20}{'found':>8}{'missed':>8}{'not runnable':>14}{'share':>8}")
    table = scores(results)
    for one in table:
        counts = f"{one.found:8}{one.missed:8}{one.not_runnable:14}"
        _say(f"{one.kind:20}{counts}{one.share:8.0%}")
    return int(table[-1].share < SHARE)


def _is_chosen(fault: Fault, kinds: list[str] | None, names: list[str] | None) -> bool:
    return (not kinds or fault.kind in kinds) and (
        not names or any(name in fault.id for name in names)
    )


def _line(fault: Fault, outcome: Outcome) -> str:
    says = outcome.says
    if outcome.verdict is Verdict.MISSED and fault.id in unseen():
        says = f"no kit sees it: {unseen()[fault.id]}"
    return f"{outcome.verdict.value:13}{outcome.took_s:6.1f} s  {fault.id}  {says}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
