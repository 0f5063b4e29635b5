"""Send records as a file to download: CSV, or NDJSON (a JSON document on each line)."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.wire.envelope import encode
from hvcore.wire.exports import ExportFormat, Table, as_csv, records_of

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
    if form is ExportFormat.CSV:
        resp.data = as_csv(table, payload)
    else:
        records = records_of(table, payload)
        resp.data = b"".join(encode(record) + b"\n" for record in records)
    resp.content_type = CONTENT_TYPES[form]
    resp.set_header("Cache-Control", "no-store")
    # Of letters, digits, "-" and "_": nothing in it needs to be quoted.
    name = f"{table.name}.{form.value}"
    resp.set_header("Content-Disposition", f'attachment; filename="{name}"')
