"""
Drawn faults are planted as they are told, and tests are chosen for what they run.
"""

import ast
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from coverage import CoverageData

from tests.mutation.carried_over import carry_over
from tests.mutation.choosing import CHOSEN_S, chosen
from tests.mutation.coverage_map import ROOT, CoverageMap
from tests.mutation.drawing import draw, equivalents, functions, source_files
from tests.mutation.faults import KINDS, Fault, Surroundings
from tests.mutation.runs import Tree, Verdict

SOME = source_files(["hvcore/domain/uploads", "hvcore/services/sign_in"])
MADE = [
    ("comparison", "a == b", "a != b"),
    ("comparison", "a in b", "a not in b"),
    ("comparison", "a > 1 and b > 1", "((a > 1) or (b > 1))"),
    ("bound", "a <= b", "a < b"),
    ("bound", "a - 1", "(a)"),
    ("dropped check", "if a: raise Wrong()", "False"),
    ("dropped call", "work.commit()", "pass"),
    ("dropped lock", "find(for_update=True)", "False"),
    ("swapped arguments", "f(a, b, 1)", "f(b, a, 1)"),
    ("swapped arguments", "f(x=a, y=b)", "f(x=b, y=a)"),
    ("forgotten None", "a is None", "False"),
    ("forgotten None", "x = a or b", "(a)"),
    ("other error", "raise AError(a)", "BError.__new__(BError)"),
    ("other unit or form", "timedelta(seconds=a)", "minutes=a"),
    ("other unit or form", "a.strip()", "a"),
    ("other unit or form", "a * 1000", "(a)"),
]


@pytest.mark.parametrize(("kind", "source", "becomes"), MADE)
def test_each_kind_of_fault_is_made(kind: str, source: str, becomes: str) -> None:
    around = Surroundings(("AError", "BError"))

    made = [
        text
        for node in ast.walk(ast.parse(source))
        for _, text in KINDS[kind](node, around)
    ]

    assert made == [becomes]


@pytest.mark.parametrize("line", ["LOG.info('sent')", "_log.info('sent')"])
def test_a_line_of_the_log_is_no_dropped_call(line: str) -> None:
    node = ast.parse(line).body[0]

    assert not list(KINDS["dropped call"](node, Surroundings(())))


def test_arguments_of_the_larger_of_two_are_not_swapped() -> None:
    node = ast.parse("max(a, b)", mode="eval").body

    assert not list(KINDS["swapped arguments"](node, Surroundings(())))


def test_a_draw_with_the_same_seed_is_the_same() -> None:
    pool = list(functions(SOME))

    assert draw(pool, 10, "a") == draw(pool, 10, "a")
    assert draw(pool, 10, "a") != draw(pool, 10, "b")
    assert len({(one.file, one.function) for one in draw(pool, 10, "a")}) == 10


def test_every_planted_fault_is_python_and_differs_from_the_source() -> None:
    for fault in draw(functions(SOME), 40, "python"):
        source = (ROOT / fault.file).read_bytes()

        planted = ast.parse(fault.plant(source))

        assert ast.dump(planted) != ast.dump(ast.parse(source)), fault.text


def test_functions_that_only_forward_are_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.mutation.drawing.ROOT", tmp_path)
    text = 'def short(a):\n    """Forward."""\n    return f(a == 1)\n'
    text += "def long(a):\n    b = a == 1\n    return b\n"
    (tmp_path / "one.py").write_text(text)

    assert [one.name for one in functions(["one.py"])] == ["long"]


def test_equivalent_faults_are_faults_that_can_be_drawn() -> None:
    known = equivalents()
    files = {file for file, _, _ in known}
    possible = {
        (fault.file, fault.function, fault.text)
        for function in functions(files)
        for fault in function.faults
    }

    assert not known.keys() - possible


def test_the_file_named_after_the_module_comes_first_then_each_file_in_turn() -> None:
    seconds = {"a/test_b.py::1": 1.0, "a/test_b.py::2": 2.0, "test_c.py::1": 1.0}
    seconds |= {"test_a.py::1": 1.0, "test_a.py::2": 2.0, "test_long.py::1": CHOSEN_S}
    known = CoverageMap(
        Path("map"),
        seconds,
        {"a.py": {7: list(seconds)}},
        # What is long runs many lines.
        Counter({test: round(took_s * 10) for test, took_s in seconds.items()}),
        {},
        frozenset(),
    )

    found = chosen("a.py", [7], known)

    own, others = found[:2], found[2:]
    assert own == ["test_a.py::1", "test_a.py::2"]
    assert others == ["a/test_b.py::1", "test_c.py::1", "a/test_b.py::2"]


def test_a_fault_is_found_by_a_test_that_passes_without_it(tmp_path: Path) -> None:
    source = b"def is_full(number):\n    full = number >= 5\n    return full\n"
    (tmp_path / "places.py").write_bytes(source)
    plugin = Path("tests/mutation/warm_process.py")
    (tmp_path / plugin.parent).mkdir(parents=True)
    shutil.copy(ROOT / plugin, tmp_path / plugin)
    (tmp_path / "test_places.py").write_text(
        "from places import is_full\n"
        "def test_broken(): assert is_full(4)\n"
        "def test_end(): assert is_full(5)\n"
    )
    start = source.index(b"number >=")
    fault = Fault(
        file="places.py",
        function="is_full",
        line=2,
        lines=range(2, 3),
        kind="bound",
        start=start,
        end=start + len("number >= 5"),
        was="number >= 5",
        becomes="number > 5",
    )
    tests = ["test_places.py::test_broken", "test_places.py::test_end"]
    tree = Tree(tmp_path)

    outcome = tree.outcome(fault, tests)
    tree.stop()

    assert (outcome.verdict, outcome.says) == (Verdict.FOUND, tests[1])
    assert (tmp_path / "places.py").read_bytes() == source


def test_an_older_map_knows_the_lines_that_are_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)

    monkeypatch.setattr("tests.mutation.carried_over.ROOT", tmp_path)
    source = tmp_path / "one.py"
    source.write_text("a = 1\nb = 2\nc = 3\n")
    git("init", "-q")
    git("add", "one.py")
    git("commit", "-q", "-m", "first")
    old = tmp_path / "old"
    old.mkdir()
    at = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=tmp_path, text=True)
    (old / "commit").write_text(at)
    (old / "tests.seconds").write_text('{"t.py::kept": 1.0, "t.py::gone": 1.0}')
    data = CoverageData(basename=str(old / "tests.coverage"))
    data.set_context("t.py::kept")
    data.add_lines({"one.py": [1, 2, 3]})
    data.write()
    source.write_text("new = 0\na = 1\nb = 4\nc = 3\n")

    list(carry_over(old, tmp_path / "map", {"t.py::kept"}))

    known = CoverageMap.read(tmp_path / "map")
    assert known.seconds == {"t.py::kept": 1.0}
    assert {n for n in range(1, 5) if known.tests_of("one.py", [n])} == {2, 4}
