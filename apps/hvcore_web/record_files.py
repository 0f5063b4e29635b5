"""Send records as a file: CSV, or a JSON document a line."""

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
    Answer with a file to be saved; nobody may keep a copy on the way.

    Args:
        table: What the file holds of the payload, and its name.
        form: Not JSON, which is no file.
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
