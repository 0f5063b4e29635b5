"""Send a report of the API as JSON, or its records as a file, such as CSV."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.wire.exports import MEDIA_TYPES, ExportFormat, Table
from hvcore_api.answers import send
from hvcore_web.record_files import send_records

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
    Answer with a report in the format that the query names, or else the ``Accept`` header.

    Args:
        payload: The report as the JSON answer holds it.
        table: The records and columns that a file of the report has.
        wanted: The format in the query; None if it names none.
    """
    chosen = format_of(req, wanted)
    if chosen is ExportFormat.JSON:
        send(resp, payload)
        return
    send_records(resp, payload, table=table, form=chosen)


def format_of(req: falcon.Request, wanted: ExportFormat | None) -> ExportFormat:
    """Return the format of a report's answer: ``wanted`` from the query, or else by ``Accept``."""
    return wanted or _accepted(req)


def _accepted(req: falcon.Request) -> ExportFormat:
    try:
        # JSON stands first, and wins where all are equal. Types are the same in
        # upper and lower case (RFC 9110, section 8.3.1).
        preferred = falcon.mediatypes.best_match(_BY_MEDIA_TYPE, req.accept.lower())
    except ValueError:
        # No list of media types.
        preferred = ""
    return _BY_MEDIA_TYPE.get(preferred, ExportFormat.JSON)
