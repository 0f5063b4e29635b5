"""
Tables for people: in a pipe they have no width, and their lines no blank ends.
"""

from tests.cli.conftest import Hv

NARROW = 80


def test_lines_of_a_table_in_a_pipe_end_with_their_last_word(hv: Hv) -> None:
    lines = hv("plugins").stdout.splitlines()

    assert lines
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_plugin_that_does_not_fail_says_so_within_a_usual_terminal(hv: Hv) -> None:
    heading, *rows = hv("plugins").stdout.split("\n\n")[0].splitlines()

    assert heading.index("FAILS") < NARROW
    assert rows
    assert {row[heading.index("FAILS")] for row in rows} == {"-"}
