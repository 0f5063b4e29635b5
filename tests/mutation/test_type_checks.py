"""
A survivor that the type checker refuses is told apart from one that nothing sees.
"""

from pathlib import Path

import pytest

from tests.mutation.faults import Fault
from tests.mutation.type_checks import errors_of, first_type_error

SOURCE = """
def length(text: str | None) -> int:
    if text is None:
        return 0
    return len(text)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.mypy]\nstrict = true\nwarn_unreachable = true\n"
        'enable_error_code = ["redundant-expr"]\n'
    )
    (tmp_path / "one.py").write_text(SOURCE)
    return tmp_path


def fault_that_turns(was: str, becomes: str) -> Fault:
    start = SOURCE.index(was)
    line = SOURCE.count("\n", 0, start) + 1
    return Fault(
        file="one.py",
        function="length",
        line=line,
        lines=range(line, line + 1),
        kind="",
        start=start,
        end=start + len(was),
        was=was,
        becomes=becomes,
    )


def test_a_forgotten_none_is_told_in_the_words_of_the_type_checker(root: Path) -> None:
    error = first_type_error(fault_that_turns("text is None", "False"), root)

    assert error == (
        'one.py:5: Argument 1 to "len" has incompatible type "str | None"; expected "Sized"'
    )


def test_a_fault_of_right_types_is_left_to_the_tests(root: Path) -> None:
    assert first_type_error(fault_that_turns("return 0", "return 1"), root) is None


def test_errors_about_the_form_of_a_fault_do_not_count() -> None:
    # People who forget a check leave no line that is never reached.
    output = (
        "one.py:4: error: Statement is unreachable  [unreachable]\n"
        "one.py:4: note: See the documentation\n"
        'one.py:5: error: Left operand of "or" is always true  [redundant-expr]\n'
        "one.py:6: error: No return value expected  [return-value]\n"
    )

    assert list(errors_of(output)) == ["one.py:6: No return value expected"]


def test_the_file_is_as_it_was_afterwards(root: Path) -> None:
    first_type_error(fault_that_turns("text is None", "False"), root)

    assert (root / "one.py").read_text() == SOURCE


def test_a_type_checker_that_does_not_answer_is_no_finding(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.mypy]\npython_version = 'none'\n")
    (root / "one.py").write_text(SOURCE)

    with pytest.raises(ValueError, match="mypy does not answer"):
        first_type_error(fault_that_turns("def length", "def ("), root)
