"""Read single fields of ffprobe's report of a file that may lie."""

import json
import re
from fractions import Fraction
from math import isfinite
from typing import Any

from hvcore.plugin_api import UnusableSourceError
from hvcore_transcoder_ffmpeg.reasons import UNREADABLE


def parse(report: bytes) -> dict[str, Any]:
    """
    Return ffprobe's JSON report as an object.

    Raises:
        UnusableSourceError: The text is no report of ffprobe.
    """
    try:
        content = json.loads(report.decode(errors="replace"))
    except (ValueError, RecursionError) as exc:
        raise UnusableSourceError(UNREADABLE) from exc
    return content if isinstance(content, dict) else {}


def dict_of(content: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key of a JSON object; an empty one if there is none."""
    found = content.get(key)
    return found if isinstance(found, dict) else {}


def list_of(content: dict[str, Any], key: str) -> list[Any]:
    """Return the list under a key of a JSON object; an empty one if there is none."""
    found = content.get(key)
    return found if isinstance(found, list) else []


def known(stream: dict[str, Any], key: str) -> str:
    """Return a field of ffprobe's report that is a name of ffmpeg's; ``""`` if the file does not say."""
    value = str(stream.get(key, ""))
    is_said = re.fullmatch(r"[a-z0-9-]{1,32}", value) and value != "unknown"
    return value if is_said else ""


def number(content: dict[str, Any], key: str) -> float:
    """Return a field of ffprobe's report as a number; 0 if it is none."""
    try:
        found = float(content.get(key) or 0)
    except (TypeError, ValueError):
        return 0.0
    return found if isfinite(found) else 0.0


def integer(content: dict[str, Any], key: str) -> int:
    """Return a field of ffprobe's report as a whole number; 0 if it is none."""
    found = number(content, key)
    return int(found) if abs(found) < 2**53 else 0


def rate(stream: dict[str, Any], key: str) -> Fraction:
    """Return a field of ffprobe's report, such as ``30/1``, as a fraction; 0 if it is none."""
    found = re.fullmatch(r"(\d{1,10})[/:](\d{1,10})", str(stream.get(key, "")))
    if found is None or int(found.group(2)) == 0:
        return Fraction(0)
    return Fraction(int(found.group(1)), int(found.group(2)))
