"""
Write the records of an API answer as a file for export; CSV follows RFC 4180.

Columns come from the schema of the answer, so that a file without records has
its header row, and no answer gets a member that its file lacks.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, cast

import attrs

from hvcore.wire.schema import Schema

FORMULA_BEGINS_WITH: Final = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes such a cell for a formula, and runs it."""


class ExportFormat(Enum):
    """The file formats in which records can be exported: JSON, CSV and NDJSON."""

    JSON = "json"
    CSV = "csv"
    NDJSON = "ndjson"


MEDIA_TYPES: Final = {
    ExportFormat.JSON: "application/json",
    ExportFormat.CSV: "text/csv",
    ExportFormat.NDJSON: "application/x-ndjson",
}


@attrs.frozen(kw_only=True)
class Table:
    """
    The name and the columns of the file into which an answer's records are exported.

    Attributes:
        name: The name of the file, without its extension.
        member: The member of the payload that holds the records: an array, or one
            record.
        columns: The members of a record, in the documented order.
    """

    name: str
    member: str
    columns: tuple[str, ...]


def table(name: str, answer: Schema, member: str) -> Table:
    """
    Return the table (name and columns) of the file that exports one member of an answer.

    Args:
        answer: The JSON Schema of the answer's payload; the columns are the properties of its
            records.
        member: The member of the payload that holds the records.
    """
    found = cast("Mapping[str, Any]", answer)["properties"][member]
    records = found.get("items", found)
    return Table(name=name, member=member, columns=tuple(records["properties"]))


def renamed(of: Table, name: str) -> Table:
    """Return a table with another file name and the same columns."""
    return attrs.evolve(of, name=name)


def as_csv(of: Table, payload: Mapping[str, object]) -> bytes:
    """Return the records that a table takes from a payload as CSV with a header row; lines end with CR LF."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow(of.columns)
    return text.getvalue().encode() + csv_rows(of, records_of(of, payload))


def csv_rows(of: Table, records: Sequence[Mapping[str, object]]) -> bytes:
    """Return records as the rows of a CSV file in UTF-8, without a header row."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerows([_cell(record[name]) for name in of.columns] for record in records)
    return text.getvalue().encode("utf-8", "replace")


def records_of(
    of: Table, payload: Mapping[str, object]
) -> Sequence[Mapping[str, object]]:
    """Return the records that a table takes from a payload, as a list."""
    found = payload[of.member]
    records = found if isinstance(found, list) else [found]
    return cast("Sequence[Mapping[str, object]]", records)


def _cell(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return f"'{value}" if value.startswith(FORMULA_BEGINS_WITH) else value
