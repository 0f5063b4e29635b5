"""Log requests that the server refuses before an app sees them."""

import logging
from collections.abc import Mapping

from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import client_of_address

_log = logging.getLogger(__name__)


def log_refusal(
    exc: Exception, context: Mapping[str, object], *, is_crash: bool
) -> None:
    """
    Log that the server refused a request, or that the app crashed.

    Args:
        context: Fields of the log line, the address of the client among them.
        is_crash: Whether the app crashed; then the line is an error, with the traceback.
    """
    LOG_LINES.write(
        _log,
        logging.ERROR if is_crash else logging.INFO,
        "request crashed" if is_crash else "request refused",
        client=client_of_address(str(context["hv_client"])),
        extra=context,
        exc_info=exc if is_crash else None,
    )
