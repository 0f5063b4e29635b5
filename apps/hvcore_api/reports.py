"""Send a report as JSON, or its records as a file."""

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
    Answer a report in the format of the query, or else of ``Accept``.

    Args:
        table: What a file of the payload holds.
        wanted: The query's ``format``.
    """
    chosen = format_of(req, wanted)
    if chosen is ExportFormat.JSON:
        send(resp, payload)
        return
    send_records(resp, payload, table=table, form=chosen)


def format_of(req: falcon.Request, wanted: ExportFormat | None) -> ExportFormat:
    """Return the format of an answer: that of the query, or else of ``Accept``."""
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
