"""Kinds of request fields that name the languages in which captions are made by machine."""

import re
from typing import Final

import attrs

from hvcore.domain.videos.caption_jobs import AUTO, MAX_WISHES
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, string
from hvcore.wire.schema import Schema, array

_WISH = re.compile("[a-z]{2,3}|auto")
_SCHEMA: Final[Schema] = {"type": "string", "pattern": "^([A-Za-z]{2,3}|auto)$"}
_WORDS: Final = {"true": True, "false": False}


@attrs.frozen(kw_only=True)
class CaptionLanguages:
    """
    Kind of field that is a list of languages in which captions are made by machine.

    Attributes:
        min_languages: The least number of languages.
    """

    min_languages: int = 1

    def from_json(self, value: object) -> tuple[str, ...]:
        """Return the languages of a JSON array in lower case, each once."""
        if not isinstance(value, list):
            raise FieldRefusedError("must be an array of strings", NOT_READABLE)
        if not self.min_languages <= len(value) <= MAX_WISHES:
            rule = f"must have {self.min_languages} to {MAX_WISHES} languages"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return tuple(dict.fromkeys(map(_wish, value)))

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the languages in a text, separated by commas."""
        return self.from_json([one.strip(" ") for one in text.split(",")])

    def schema(self) -> Schema:
        """Return the JSON Schema of the list."""
        return {
            **array(_SCHEMA),
            "minItems": self.min_languages,
            "maxItems": MAX_WISHES,
        }


@attrs.frozen
class CaptionsWanted:
    """Kind of field that is a list of languages for captions, ``true`` for any, or ``false`` for none."""

    languages: CaptionLanguages = CaptionLanguages(min_languages=0)

    def from_json(self, value: object) -> tuple[str, ...]:
        """Return the languages of a JSON boolean or array; none for ``false`` and an empty array."""
        if isinstance(value, bool):
            return (AUTO,) if value else ()
        if not isinstance(value, list):
            rule = "must be true, false or an array of strings"
            raise FieldRefusedError(rule, NOT_READABLE)
        return self.languages.from_json(value)

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the languages of a text: ``true``, ``false``, or languages separated by commas."""
        if text in _WORDS:
            return self.from_json(_WORDS[text])
        return self.languages.from_text(text)

    def schema(self) -> Schema:
        """Return the JSON Schema of the list alone: few generators of clients know two types for one field."""
        return self.languages.schema()


def _wish(value: object) -> str:
    wish = string(value).lower()
    if not _WISH.fullmatch(wish):
        rule = f"must have languages such as en, or {AUTO}"
        raise FieldRefusedError(rule, NOT_ALLOWED)
    return wish
