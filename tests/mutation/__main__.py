"""
Plant faults drawn by chance into a copy of the tree, and print which of them tests find::

    python -m tests.mutation --map [TESTS ...]
    python -m tests.mutation --carry-over FOLDER
    python -m tests.mutation --draw 100 --seed SEED [--of SOURCES ...]

The first makes the map from lines to tests, or goes on with it; it takes hours for all
tests, so that a part can be named. The second adds what an older map knows of lines that
are still there. The third draws, where the map is of a part, from the lines alone that its
tests run.
"""

import argparse
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import attrs

from tests.mutation.carried_over import carry_over, collected
from tests.mutation.choosing import chosen
from tests.mutation.coverage_map import (
    ROOT,
    SOURCES,
    ChosenTests,
    CoverageMap,
    default_folder,
    make_map,
)
from tests.mutation.drawing import draw, equivalents, functions, reached, source_files
from tests.mutation.faults import Fault
from tests.mutation.runs import MISSED, Outcome, Tree, Verdict
from tests.mutation.type_checks import first_type_error


def main() -> int:
    """Make the map, or draw."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument(
        "--map", nargs="*", type=Path, metavar="TESTS", help="make the map"
    )
    parser.add_argument(
        "--markers", default="not long", metavar="EXPRESSION", help="of the map's tests"
    )
    parser.add_argument(
        "--file-seconds",
        type=float,
        default=float("inf"),
        metavar="S",
        help="of a file of tests, map those that S seconds are enough for",
    )
    parser.add_argument(
        "--carry-over",
        type=Path,
        metavar="FOLDER",
        help="take what an older map knows of unchanged lines, where this one has nothing",
    )
    parser.add_argument("--draw", type=int, metavar="N", help="plant N faults")
    parser.add_argument("--seed", default="1", help="any text, such as a commit's hash")
    parser.add_argument("--of", nargs="+", default=SOURCES, metavar="SOURCES")
    parser.add_argument("--map-folder", type=Path, default=default_folder())
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    # A run that is ended ends its tests, as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if asked.map is None and asked.carry_over is None and asked.draw is None:
        parser.error("say --map, --carry-over or --draw")
    if asked.map is not None:
        paths = asked.map or [ROOT / "tests"]
        tests = ChosenTests(markers=asked.markers, file_s=asked.file_seconds)
        for line in make_map(asked.map_folder, paths, asked.processes, tests):
            _say(line)
    if asked.carry_over is not None:
        for line in carry_over(asked.carry_over, asked.map_folder, collected()):
            _say(line)
    if asked.draw is not None:
        known = CoverageMap.read(asked.map_folder)
        if not known.made_for:
            parser.error(f"there is no map in {asked.map_folder}; make one with --map")
        faults = _drawn(known, asked.of, asked.draw, asked.seed)
        outcomes = _outcomes(known, faults, asked.processes)
        _print_scores(list(_with_types(outcomes)))
    return 0


def _drawn(
    known: CoverageMap, below: Iterable[str], number: int, seed: str
) -> list[Fault]:
    changed = known.changed_files()
    for file in sorted(changed):
        _say(f"left out, changed since the map was made: {file}")
    pool = list(functions(source_files(below) - changed))
    all_of_them = len(pool)
    if not known.is_whole:
        pool = list(reached(pool, known))
    _say(
        f"{len(pool)} of {all_of_them} functions; map of "
        f"{'all tests' if known.is_whole else f'{len(known.made_for)} folders of tests'}, "
        f"{len(known.seconds)} tests; seed {seed}"
    )
    return draw(pool, number, seed)


def _outcomes(known: CoverageMap, faults: list[Fault], processes: int) -> list[Outcome]:
    reasons = equivalents()
    free: SimpleQueue[Tree] = SimpleQueue()

    def one(fault: Fault) -> Outcome:
        reason = reasons.get((fault.file, fault.function, fault.text))
        if reason:
            equivalent = Verdict.EQUIVALENT
            return Outcome(fault=fault, verdict=equivalent, says=reason, took_s=0.0)
        tree = free.get()
        try:
            return tree.outcome(
                fault,
                chosen(fault.file, fault.lines, known),
                ran_at_import=known.runs_at_import(fault.file, fault.lines),
            )
        finally:
            free.put(tree)

    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        trees = [Tree.copied_to(Path(scratch) / str(n)) for n in range(processes)]
        for tree in trees:
            free.put(tree)
        done = []
        with ThreadPoolExecutor(processes) as pool:
            try:
                for outcome in pool.map(one, faults):
                    _say(_line(outcome))
                    done.append(outcome)
            except BaseException:
                # Broken off: no test begins.
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                for tree in trees:
                    tree.stop()
        return done


def _with_types(outcomes: list[Outcome]) -> Iterator[Outcome]:
    """Show the survivors to the type checker, and yield what becomes of all."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        root = Tree.copied_to(Path(scratch) / "types").root
        for one in outcomes:
            error = first_type_error(one.fault, root) if one.is_missed else None
            if error is None:
                yield one
            else:
                refused = attrs.evolve(one, verdict=Verdict.REFUSED, says=error)
                _say(_line(refused))
                yield refused


def _line(outcome: Outcome) -> str:
    fault = outcome.fault
    place = f"{fault.file}:{fault.line} {fault.function}"
    about = f"{outcome.verdict.value:10} {outcome.took_s:5.1f} s"
    return f"{about}  {place}: {fault.text} ({outcome.says})"


def _print_scores(outcomes: list[Outcome]) -> None:
    by_package: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for one in outcomes:
        by_package[_package(one.fault.file)][one.verdict] += 1
        by_package["all"][one.verdict] += 1
    _say(f"\n{'package':28}" + "".join(f"{verdict.value:>12}" for verdict in Verdict))
    for package in sorted(by_package, key=lambda name: (name == "all", name)):
        counts = by_package[package]
        seen = counts[Verdict.FOUND] + counts[Verdict.REFUSED]
        counted = seen + sum(counts[verdict] for verdict in MISSED)
        share = f"{seen / counted:8.0%}" if counted else f"{'-':>8}"
        _say(f"{package:28}" + "".join(f"{counts[v]:12}" for v in Verdict) + share)
    _say("\nsurvivors:")
    for one in outcomes:
        if one.is_missed:
            _say(f"  {one.fault.file}:{one.fault.line}  {one.fault.text}")


def _package(file: str) -> str:
    """Return ``hvcore.services`` of a file of the core, else the package's name."""
    parts = Path(file).with_suffix("").parts
    return f"hvcore.{parts[1]}" if parts[0] == "hvcore" else parts[1]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
