"""Kinds of request fields that are texts in a format: a day, and a list of domains; see wire.kinds."""

import re
from datetime import date
from typing import Final

import attrs

from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, string
from hvcore.wire.schema import DAY, Schema

MAX_DOMAINS: Final = 32
MAX_DOMAIN_CHARS: Final = 253

# ASCII digits only: \d and date.fromisoformat take others, too.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The same for readers of the schema: in either case, with spaces around it.
_LABEL_OF_SCHEMA = _LABEL.replace("a-z", "A-Za-z")
_ENTRY = rf" *(?:\*\.)?{_LABEL_OF_SCHEMA}(?:\.{_LABEL_OF_SCHEMA})*(?::[0-9]{{1,5}})? *"
_DOMAIN = re.compile(rf"((?:\*\.)?{_LABEL}(?:\.{_LABEL})*)(?::[0-9]{{1,5}})?")


@attrs.frozen(kw_only=True)
class Day:
    """Kind of field that is a day, ``YYYY-MM-DD``."""

    def from_json(self, value: object) -> date:
        """Return the day in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> date:
        """Return the day in a text; refuse a day that no calendar has."""
        try:
            if _DAY.fullmatch(text):
                return date.fromisoformat(text)
        except ValueError:
            pass
        raise FieldRefusedError("must be a day, YYYY-MM-DD", NOT_READABLE)

    def schema(self) -> Schema:
        return DAY


@attrs.frozen(kw_only=True)
class Domains:
    """Kind of field that is a comma-separated list of host names; ``*.`` before a name means its subdomains."""

    def from_json(self, value: object) -> tuple[str, ...]:
        """Return the host names in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> tuple[str, ...]:
        """
        Return the host names of a text in lower case, each once.

        An empty list is refused, because a sender of the field wants to restrict domains.
        """
        entries = text.split(",")
        if len(entries) > MAX_DOMAINS:
            rule = f"must name at most {MAX_DOMAINS} domains"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return tuple(dict.fromkeys(_host(entry) for entry in entries))

    def schema(self) -> Schema:
        """Return the JSON Schema of the comma-separated list of host names."""
        return {
            "type": "string",
            "pattern": rf"^{_ENTRY}(?:,{_ENTRY}){{0,{MAX_DOMAINS - 1}}}$",
        }


def _host(entry: str) -> str:
    found = _DOMAIN.fullmatch(entry.strip(" ").lower())
    if found is None or len(found[1]) > MAX_DOMAIN_CHARS:
        rule = (
            "must be host names separated by commas, such as "
            "example.com,*.example.org, without scheme or path"
        )
        raise FieldRefusedError(rule, NOT_ALLOWED)
    # A page's port does not matter, so an entry's does not either.
    return found[1]
