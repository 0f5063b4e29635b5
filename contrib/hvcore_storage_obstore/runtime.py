"""
Check whether obstore can still work in this process.

Its threads (one runtime of Tokio for each process) do not survive a fork: a child whose
parent has used them waits for ever.
"""

import logging
import os

from hvcore.plugin_api import UnavailableError

_log = logging.getLogger(__name__)
_used_by: int | None = None


def check_runtime() -> None:
    """
    Refuse calls of obstore that would wait for ever; called before each call.

    Raises:
        UnavailableError: This process was forked from one that had used obstore.
    """
    global _used_by  # noqa: PLW0603 - obstore's runtime is one for the process, too
    pid = os.getpid()
    if _used_by is None:
        _used_by = pid
    if _used_by != pid:
        message = (
            "the storage was used before this process was forked, which obstore does "
            "not survive: fork first, or start the process anew (spawn)"
        )
        _log.error(message, extra={"hv_used_by": _used_by})
        raise UnavailableError(message)
