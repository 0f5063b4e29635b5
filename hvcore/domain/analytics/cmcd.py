"""
CMCD: read what players report in their requests (CTA-5004, Common Media Client Data).

Players send the report as the query parameter ``CMCD``, or in headers such as
``CMCD-Session``. Data that breaks the specification is ignored: no request is refused
because of it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from hvcore.domain.analytics.playback_metrics import (
    METRICS,
    PlayerReport,
    SumsAs,
)

MAX_CHARS: Final = 1_024
"""Players send about 200."""
MAX_SESSION_CHARS: Final = 64
"""Of ``sid`` (CTA-5004, table 1)."""
MOST_TOLD: Final = 9_999_999
"""Of any number: 10 Gbit/s in kbit/s, three hours in ms; more is nonsense."""
_MAX_REMEMBERED: Final = 1_024
_NUMBER: Final = re.compile("[0-9]{1,7}")
# By key, as what it is told; every segment asks.
_FLAGS: Final = tuple(
    (metric.comes_from, metric.report_field)
    for metric in METRICS
    if metric.sums_as is SumsAs.REPORTS
)
_NUMBERS: Final = tuple(
    (metric.comes_from, metric.report_field)
    for metric in METRICS
    if metric.sums_as is SumsAs.NUMBERS
)

# Keys of the specification, and those of others, which have a hyphen.
_KEY: Final = r"[a-z]{1,8}|[A-Za-z0-9.]{1,32}-[A-Za-z0-9.-]{1,32}"
_STRING: Final = r'"(?:[^"\\\x00-\x1f]|\\["\\])*"'
_WORD: Final = r'[^",=\s\\]+'
_PAIR: Final = rf"(?:{_KEY})(?:=(?:{_STRING}|{_WORD}))?"
_LIST: Final = re.compile(rf"{_PAIR}(?:, ?{_PAIR})*")
_EACH: Final = re.compile(rf"({_KEY})(?:=({_STRING}|{_WORD}))?(?:, ?|$)")


def player_session(text: str | None) -> str | None:
    """
    Return the session id (``sid``) of a CMCD text; None if it has none.

    Args:
        text: The decoded value of the query parameter, or the header's value.
    """
    value = _read(text).get("sid", "") if text else ""
    # A string; a token would be another key's.
    if not value.startswith('"'):
        return None
    session = value[1:-1]
    return session if 0 < len(session) <= MAX_SESSION_CHARS else None


def player_report(*texts: str | None) -> PlayerReport | None:
    """
    Return a player's CMCD report about playback; None if it reports nothing.

    Fractions, negative numbers and numbers above ``MOST_TOLD`` are ignored.

    Args:
        texts: The decoded value of the query parameter, or the values of all CMCD
            headers; if two headers have the same CMCD key, the first one counts.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        if text:
            pairs = {**_read(text), **pairs}
    if not pairs:
        return None
    fields: dict[str, int] = {}
    for key, name in _FLAGS:
        # True is said by the name alone.
        if pairs.get(key) == "":
            fields[name] = True
    for key, name in _NUMBERS:
        value = _number(pairs.get(key))
        if value is not None:
            fields[name] = value
    return PlayerReport.of(fields)


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None


@lru_cache(maxsize=_MAX_REMEMBERED)
def _read(text: str) -> Mapping[str, str]:
    """Return the values by key, as they were written; none of a malformed text."""
    if len(text) > MAX_CHARS or _LIST.fullmatch(text) is None:
        return {}
    pairs = _EACH.findall(text)
    found = dict(pairs)
    # Two of one key: which of them is meant is not for us to guess.
    return found if len(found) == len(pairs) else {}
