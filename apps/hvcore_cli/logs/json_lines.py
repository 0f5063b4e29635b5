"""Write and read log lines that are JSON objects, for programs that collect logs."""

import json
import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

_OWN: Final = ("time", "level", "logger", "message", "exception")
_IMPORTANT: Final = re.compile(
    rb'^\{"time": "[^"]*", "level": "(?:WARNING|ERROR|CRITICAL)"'
)


class JsonFormatter(logging.Formatter):
    """Formats log records as JSON objects in ASCII, one per line, without characters for terminals."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON: its own members first, then its ``hv_`` attributes."""
        at = datetime.fromtimestamp(record.created, UTC)
        document: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in sorted(vars(record).items()):
            if name.startswith("hv_"):
                plain = name.removeprefix("hv_")
                document[name if plain in _OWN else plain] = value
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        return json.dumps(document, default=str)


def read_line(line: bytes) -> Mapping[str, object] | None:
    """Return the JSON object in a log line; None if the line is not one of JsonFormatter's."""
    # A service manager may have put something before it.
    start = line.find(b'{"time": ')
    if start < 0:
        return None
    try:
        document = json.loads(line[start:])
    except (ValueError, RecursionError):
        return None
    has_all = isinstance(document, dict) and all(
        isinstance(document.get(name), str) for name in _OWN[:4]
    )
    return document if has_all else None


def is_important(line: bytes) -> bool:
    """Return whether a JSON log line has the level WARNING or above."""
    return _IMPORTANT.match(line) is not None


def as_text(line: bytes) -> bytes:
    """Return a JSON log line as text for people; another line is returned unchanged."""
    document = read_line(line)
    if document is None:
        return line
    text = f"{document['time']} {document['level']} {document['logger']}: {document['message']}"
    data = [f"{name}={value!r}" for name, value in document.items() if name not in _OWN]
    return " ".join([text, *data]).encode()
