"""
Records as files: each has its columns, and no cell is run.
"""

import pytest

from hvcore.wire.exports import (
    FORMULA_BEGINS_WITH,
    as_csv,
    csv_rows,
    records_of,
    renamed,
    table,
)
from hvcore.wire.schema import INTEGER, STRING, array, record

DAY = record("Day", {"day": STRING, "views": INTEGER})
TABLE = table("days", record("Report", {"days": array(DAY), "total": DAY}), "days")


def test_a_table_has_the_members_of_its_records_as_columns() -> None:
    assert (TABLE.name, TABLE.member, TABLE.columns) == (
        "days",
        "days",
        ("day", "views"),
    )
    assert renamed(TABLE, "other").name == "other"
    one = table("sum", record("Report", {"days": array(DAY), "total": DAY}), "total")
    assert (one.name, one.member, one.columns) == ("sum", "total", ("day", "views"))


def test_a_file_has_a_header_row_and_a_row_for_each_record() -> None:
    records = [{"views": 3, "day": "a,b"}, {"day": None, "views": True, "more": 1}]

    assert as_csv(TABLE, {"days": []}) == b"day,views\r\n"
    assert as_csv(TABLE, {"days": records}) == (
        b'day,views\r\n"a,b",3\r\nnull,true\r\n'
    )
    assert csv_rows(TABLE, records[:1]) == b'"a,b",3\r\n'
    assert records_of(TABLE, {"days": records[0]}) == records[:1]


@pytest.mark.parametrize("first", FORMULA_BEGINS_WITH)
def test_no_cell_is_a_formula(first: str) -> None:
    cell = csv_rows(TABLE, [{"day": f"{first}1", "views": -1}])

    assert cell.strip(b'"').startswith(b"'" + first.encode())
    assert cell.rstrip().endswith(b",-1")
