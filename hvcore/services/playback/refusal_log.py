"""
Log the rule that refused a playback request, so that the refusal can be explained later.

Each refusal is one line. The lines are limited, so that no flood of requests fills a disk
or pushes all other lines out of the log.
"""

import logging
import re
from typing import Final

import attrs

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.throttling.log_lines import LOG_LINES, LogLines, without_credentials
from hvcore.throttling.shares import client_of_address

LINES_IN_ALL: Final = 300
"""Log lines a minute for all refusals: about 60 KB, so 10 MB of log hold two hours."""
LINES_OF_UNKNOWN: Final = 20
"""Log lines a minute for unknown addresses, about 4 KB: guesses need no line each."""
LINES_OF_REPORTS: Final = 20
"""Log lines a minute for reports of playback sessions: they keep nobody from watching."""
MAX_PATH_CHARS: Final = 200

_log = logging.getLogger(__name__)

_UNKNOWN: Final = frozenset(
    {
        PlaybackRule.NO_SUCH_ADDRESS,
        PlaybackRule.METHOD_NOT_ALLOWED,
        PlaybackRule.VIDEO_UNKNOWN,
        PlaybackRule.EDGE_KEY_UNKNOWN,
        PlaybackRule.SHARE_UNKNOWN,
    }
)
"""Of addresses that lead to nothing; strangers could crowd out all other refusals."""

# Who copies an address by halves asks for "/master.m3u8%3Ftoken=…".
_QUERY = re.compile(r"[?#&;]|token=", re.IGNORECASE)
# Longer than any name of ours, and too short for what is left of a token.
_LONG_NAME = re.compile(r"([^/]{12})[^/]{29,}")


@attrs.frozen(kw_only=True)
class PlaybackRefusal:
    """
    A playback request that was refused, and the rule that refused it.

    Attributes:
        path: The requested path, decoded; secrets in it are not removed.
    """

    request_id: str
    rule: PlaybackRule
    status: int
    path: str


class RefusalLog:
    """
    Log refused playback requests; thread-safe.

    Args:
        lines: Limits the number of log lines.
    """

    def __init__(self, lines: LogLines = LOG_LINES) -> None:
        self._lines = lines

    def write(self, refusal: PlaybackRefusal, client: str) -> None:
        """
        Log a refusal, unless too many were logged in the last minute.

        Args:
            client: The address that the request came from; it is not logged.
        """
        group, most = _group_of(refusal.rule)
        self._lines.write(
            _log,
            logging.INFO,
            "playback refused",
            client=client_of_address(client),
            part=refusal.rule.id,
            group=group,
            of_kind=most,
            extra={
                "hv_request_id": refusal.request_id,
                "hv_rule": refusal.rule.id,
                "hv_status": refusal.status,
                "hv_path": shown_path(refusal.path),
            },
        )


def _group_of(rule: PlaybackRule) -> tuple[str, int]:
    """Return the name of the rules that a rule shares log lines with, and how many lines."""
    if rule in _UNKNOWN:
        return "unknown addresses", LINES_OF_UNKNOWN
    if rule is PlaybackRule.PLAYBACK_REPORT:
        return "playback reports", LINES_OF_REPORTS
    return "", LINES_IN_ALL


def shown_path(path: str) -> str:
    """Return a request's path for the log, without its token and without most of the edge key in it."""
    whole = _QUERY.split(path, maxsplit=1)[0]
    shown = _LONG_NAME.sub(r"\1…", without_credentials(whole))
    if len(shown) > MAX_PATH_CHARS or whole != path:
        return f"{shown[:MAX_PATH_CHARS]}…"
    return shown
