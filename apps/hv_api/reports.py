"""
Send a report as JSON, or its records as a file.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import falcon

from hv_api.answers import send
from hvcore.envelope import encode
from hvcore.wire.analytics.exports import (
    MEDIA_TYPES,
    ExportFormat,
    Table,
    as_csv,
    records_of,
)

_Render: TypeAlias = Callable[[Table, Mapping[str, object]], bytes]

_CONTENT_TYPES: Final = {
    ExportFormat.CSV: "text/csv; charset=utf-8; header=present",
    ExportFormat.NDJSON: "application/x-ndjson",
}
_BY_MEDIA_TYPE: Final = {media_type: form for form, media_type in MEDIA_TYPES.items()}


def send_report(
    req: falcon.Request,
    resp: falcon.Response,
    payload: Mapping[str, object],
    *,
    table: Table,
    wanted: ExportFormat | None,
) -> None:
    """
    Answer with what the query or else ``Accept`` asks for.

    Args:
        table: What a file of the payload holds.
        wanted: The query's ``format``.
    """
    chosen = wanted or _accepted(req)
    if chosen is ExportFormat.JSON:
        send(resp, payload)
        return
    resp.data = _RENDER[chosen](table, payload)
    resp.content_type = _CONTENT_TYPES[chosen]
    resp.set_header("Cache-Control", "no-store")
    # Of letters, digits, "-" and "_": nothing in it needs to be quoted.
    name = f"{table.name}.{chosen.value}"
    resp.set_header("Content-Disposition", f'attachment; filename="{name}"')


def _accepted(req: falcon.Request) -> ExportFormat:
    try:
        # JSON stands first, and wins where all are equal. Types are the same in
        # upper and lower case (RFC 9110, section 8.3.1).
        preferred = falcon.mediatypes.best_match(_BY_MEDIA_TYPE, req.accept.lower())
    except ValueError:
        # No list of media types.
        preferred = ""
    return _BY_MEDIA_TYPE.get(preferred, ExportFormat.JSON)


def _as_ndjson(of: Table, payload: Mapping[str, object]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records_of(of, payload))


_RENDER: Final[Mapping[ExportFormat, _Render]] = {
    ExportFormat.CSV: as_csv,
    ExportFormat.NDJSON: _as_ndjson,
}
