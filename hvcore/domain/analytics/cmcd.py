"""
What players tell of themselves (CTA-5004, Common Media Client Data).

Players send it with a request as a parameter ``CMCD`` of the query, or in
headers such as ``CMCD-Session``. What is not as the specification says is as if
it had not been sent: nobody is refused for it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import attrs

MAX_CHARS: Final = 1_024
"""What a player sends has some 200."""
MAX_SESSION_CHARS: Final = 64
"""Of ``sid`` (CTA-5004, table 1)."""
MOST_TOLD: Final = 9_999_999
"""Of any number: 10 Gbit/s in kbit/s, three hours in ms; more is nonsense."""
_MAX_REMEMBERED: Final = 1_024
_NUMBER: Final = re.compile("[0-9]{1,7}")

# Keys of the specification, and those of others, which have a hyphen.
_KEY: Final = r"[a-z]{1,8}|[A-Za-z0-9.]{1,32}-[A-Za-z0-9.-]{1,32}"
_STRING: Final = r'"(?:[^"\\\x00-\x1f]|\\["\\])*"'
_WORD: Final = r'[^",=\s\\]+'
_PAIR: Final = rf"(?:{_KEY})(?:=(?:{_STRING}|{_WORD}))?"
_LIST: Final = re.compile(rf"{_PAIR}(?:, ?{_PAIR})*")
_EACH: Final = re.compile(rf"({_KEY})(?:=({_STRING}|{_WORD}))?(?:, ?|$)")


@attrs.frozen(kw_only=True)
class PlayerReport:
    """
    What a player tells of how playback goes, with one request.

    Attributes:
        has_starved: Its buffer ran empty since its last request (``bs``).
        is_startup: It needs the file at once: to begin, after seeking, or
            because its buffer is empty (``su``).
        throughput_kbps: As it measured (``mtp``); None if it does not tell.
        buffer_ms: What it has yet to show (``bl``).
        bitrate_kbps: Of what it asks for (``br``).
    """

    has_starved: bool = False
    is_startup: bool = False
    throughput_kbps: int | None = None
    buffer_ms: int | None = None
    bitrate_kbps: int | None = None


def player_session(text: str | None) -> str | None:
    """
    Return what a player calls its session (``sid``), if it does.

    Args:
        text: Of the query's parameter, decoded, or of the header.
    """
    value = _read(text).get("sid", "") if text else ""
    # A string; a token would be another key's.
    if not value.startswith('"'):
        return None
    session = value[1:-1]
    return session if 0 < len(session) <= MAX_SESSION_CHARS else None


def player_report(*texts: str | None) -> PlayerReport | None:
    """
    Return what a player tells of how playback goes; None if it tells nothing.

    Numbers beyond ``MOST_TOLD``, fractions and negative ones are as if they had
    not been sent.

    Args:
        texts: Of the query's parameter, decoded; or of all the headers, in
            which of two of one key the first is taken.
    """
    told: dict[str, str] = {}
    for text in texts:
        if text:
            told = {**_read(text), **told}
    if not told:
        return None
    return PlayerReport(
        # True is said by the name alone.
        has_starved=told.get("bs") == "",
        is_startup=told.get("su") == "",
        throughput_kbps=_number(told.get("mtp")),
        buffer_ms=_number(told.get("bl")),
        bitrate_kbps=_number(told.get("br")),
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None


@lru_cache(maxsize=_MAX_REMEMBERED)
def _read(text: str) -> Mapping[str, str]:
    """
    Return the values by key, as they were written; none of a malformed text.
    """
    if len(text) > MAX_CHARS or _LIST.fullmatch(text) is None:
        return {}
    pairs = _EACH.findall(text)
    found = dict(pairs)
    # Two of one key: which of them is meant is not for us to guess.
    return found if len(found) == len(pairs) else {}
