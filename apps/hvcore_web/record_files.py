"""Send records as a file to download: CSV, or NDJSON (a JSON document on each line)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import falcon

from hvcore.wire.envelope import encode
from hvcore.wire.exports import ExportFormat, Table, as_csv, csv_rows, records_of

Records: TypeAlias = Sequence[Mapping[str, object]]
"""The records of a part of a file."""
CONTENT_TYPES: Final = {
    ExportFormat.CSV: "text/csv; charset=utf-8; header=present",
    ExportFormat.NDJSON: "application/x-ndjson",
}


def send_records(
    resp: falcon.Response,
    payload: Mapping[str, object],
    *,
    table: Table,
    form: ExportFormat,
) -> None:
    """
    Answer with records as a CSV or NDJSON file to be saved; caches may not keep a copy.

    Args:
        table: The records and columns to take from the payload, and the file's name.
        form: CSV or NDJSON; not JSON, which is not sent as a file.
    """
    resp.data = b"".join(_encoded([records_of(table, payload)], table, form))
    _describe(resp, table, form)


def stream_records(
    resp: falcon.Response,
    parts: Iterable[Records],
    *,
    table: Table,
    form: ExportFormat,
) -> None:
    """
    Answer as ``send_records`` does, with records that are made part by part while they are sent.

    If a part fails, the connection ends before the last byte, so that no client takes
    the beginning of a file for the whole.
    """
    resp.stream = _encoded(parts, table, form)
    _describe(resp, table, form)


def _encoded(
    parts: Iterable[Records], table: Table, form: ExportFormat
) -> Iterator[bytes]:
    if form is ExportFormat.CSV:
        yield as_csv(table, {table.member: []})
    for records in parts:
        if form is ExportFormat.CSV:
            yield csv_rows(table, records)
        else:
            yield b"".join(encode(record) + b"\n" for record in records)


def _describe(resp: falcon.Response, table: Table, form: ExportFormat) -> None:
    resp.content_type = CONTENT_TYPES[form]
    resp.set_header("Cache-Control", "no-store")
    # Of letters, digits, "-" and "_": nothing in it needs to be quoted.
    name = f"{table.name}.{form.value}"
    resp.set_header("Content-Disposition", f'attachment; filename="{name}"')
