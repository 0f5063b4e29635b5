"""The kinds of fields in requests about edge keys, share links and thumbnails."""

import re
from datetime import UTC, datetime
from typing import Final

import attrs

from hvcore.domain.links.links import MAX_EMAIL_CHARS
from hvcore.wire.formats import MAX_DOMAINS, Domains
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, string
from hvcore.wire.schema import NUMBER, STRING, Schema

# .NET writes seven digits of a second, Go nine.
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_MAX_LOCAL_CHARS: Final = 64
# What mail servers really take: one @, nothing quoted, a host with a dot. Any
# letters, because names and hosts of the whole world are written with them.
_EMAIL = re.compile(
    rf"[^\s@\"(),:;<>\[\]\\\x00-\x1f\x7f]{{1,{_MAX_LOCAL_CHARS}}}"
    r"@[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+"
)


@attrs.frozen(kw_only=True)
class Timestamp:
    """Kind of field that is a moment, ``YYYY-MM-DDThh:mm:ss`` with ``Z`` or an offset."""

    def from_json(self, value: object) -> datetime:
        """Return the moment in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> datetime:
        """Return the moment in UTC, cut to microseconds."""
        try:
            if _MOMENT.fullmatch(text):
                return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        rule = "must be a timestamp such as 2026-01-02T03:04:05Z"
        raise FieldRefusedError(rule, NOT_READABLE)

    def schema(self) -> Schema:
        return {"type": "string", "format": "date-time"}


@attrs.frozen(kw_only=True)
class EmailAddress:
    """Kind of field that is an e-mail address, also with letters outside of ASCII."""

    def from_json(self, value: object) -> str:
        """Return the e-mail address in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str:
        """Return the e-mail address in a text; letters keep their case."""
        if len(text) > MAX_EMAIL_CHARS:
            rule = f"must have at most {MAX_EMAIL_CHARS} characters"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        if not _EMAIL.fullmatch(text) or not text.isprintable():
            rule = "must be an e-mail address such as name@example.com"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return text

    def schema(self) -> Schema:
        """Return the JSON Schema of e-mail addresses; letters of every language are allowed."""
        return {"type": "string", "format": "idn-email", "maxLength": MAX_EMAIL_CHARS}


@attrs.frozen(kw_only=True)
class DomainList:
    """Kind of field that is a list of host names, or a text with commas; ``*.`` before a name means its subdomains."""

    def from_json(self, value: object) -> tuple[str, ...]:
        """Return the host names in a JSON array of strings or a JSON string."""
        if not isinstance(value, list):
            return self.from_text(string(value))
        if not all(isinstance(entry, str) for entry in value):
            rule = "must be an array of strings, or one string"
            raise FieldRefusedError(rule, NOT_READABLE)
        if not value:
            rule = "must name a domain; leave it out to allow every page"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return self.from_text(",".join(value))

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the host names of a text in lower case, each once."""
        return Domains().from_text(text)

    def schema(self) -> Schema:
        """Return the JSON Schema of the list of host names; the form with commas, meant for people, is left out."""
        return {
            "type": "array",
            "items": STRING,
            "minItems": 1,
            "maxItems": MAX_DOMAINS,
        }


@attrs.frozen(kw_only=True)
class Seconds:
    """Kind of field that is a position in a video, in seconds."""

    maximum: float

    def from_json(self, value: object) -> float:
        """Return the position, in seconds, in a JSON number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FieldRefusedError("must be a number of seconds", NOT_READABLE)
        if not 0 <= value <= self.maximum:
            rule = f"must be from 0 to {self.maximum:g} seconds"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return float(value)

    def from_text(self, text: str) -> float:
        """Return the position, in seconds, in a text that is a decimal number."""
        if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text):
            raise FieldRefusedError("must be a number of seconds", NOT_READABLE)
        return self.from_json(float(text))

    def schema(self) -> Schema:
        return {**NUMBER, "minimum": 0, "maximum": self.maximum}
