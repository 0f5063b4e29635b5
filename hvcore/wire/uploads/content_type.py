"""The field of a request that announces the content type of an upload's bytes."""

import re
from typing import Final

import attrs

from hvcore.domain.uploads.content_types import CONTENT_TYPES, OTHER_NAMES
from hvcore.wire.kinds import NOT_ALLOWED, FieldRefusedError, string
from hvcore.wire.schema import Schema, one_of

MAX_CONTENT_TYPE_CHARS: Final = 255
_NAMES: Final = (*CONTENT_TYPES, *OTHER_NAMES)
# It becomes a header: nothing in it may end one.
_VISIBLE = re.compile(r"[\t -~]*")


@attrs.frozen
class AnnouncedType:
    """
    Kind of field that is the content type of an accepted video container, kept as sent, or ``""``.

    Pages send what the browser says of a file, and some browsers say ``""``.
    """

    def from_json(self, value: object) -> str | None:
        """Return the content type in a JSON string; None for an empty string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str | None:
        """Return the content type in a text; None for an empty text."""
        given = text.strip(" \t")
        if not given:
            return None
        is_header = len(given) <= MAX_CONTENT_TYPE_CHARS and _VISIBLE.fullmatch(given)
        # Words of a request are read exactly; headers in any case.
        if not is_header or given.partition(";")[0].strip() not in _NAMES:
            rule = f"must be one of {', '.join(CONTENT_TYPES)}"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return given

    def schema(self) -> Schema:
        """Return the JSON Schema of the accepted content types and ``""``; parameters behind a type are accepted, too."""
        return one_of("ContentType", *_NAMES, "")
