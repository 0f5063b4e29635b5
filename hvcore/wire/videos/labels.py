"""
The labels of videos (external ID, metadata, tags) in requests and answers.

Source: docs/decisions/0124.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.folded_texts import composed
from hvcore.domain.labels import (
    LabelChanges,
    Labels,
    metadata_term,
    too_much_metadata,
)
from hvcore.domain.limits import (
    MAX_EXTERNAL_ID_CHARS,
    MAX_METADATA_KEY_CHARS,
    MAX_METADATA_KEYS,
    MAX_METADATA_VALUE_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
)
from hvcore.wire.converter import Null, clearable, optional
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, Text, string
from hvcore.wire.schema import STRING, Schema, array, named, nullable

_KEY_PATTERN: Final = rf"[A-Za-z0-9_.-]{{1,{MAX_METADATA_KEY_CHARS}}}"
_KEY: Final = re.compile(_KEY_PATTERN)
_KEY_RULE: Final = (
    f"must have keys of 1 to {MAX_METADATA_KEY_CHARS} letters, digits, _, . and -"
)
# No control character, of which texts may have others than NUL.
_NO_CONTROLS: Final = r"^[^\u0000-\u001f\u007f-\u009f]*$"
_NO_CONTROLS_NOR_COMMA: Final = r"^[^\u0000-\u001f\u007f-\u009f,]*$"

METADATA: Final[Schema] = named(
    "Metadata", {"type": "object", "additionalProperties": STRING}
)
LABELS: Final[Mapping[str, Schema]] = {
    "externalID": STRING,
    "metadata": METADATA,
    "tags": array(STRING),
}
"""The members of a video that has them."""


@attrs.frozen(kw_only=True)
class Label:
    """Kind of field that is a label of a video, such as a tag: a text on one line, kept as it is."""

    max_chars: int
    has_commas: bool = True

    def from_json(self, value: object) -> str:
        """Return the text of one label in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str:
        """Return the text of one label; refuse control characters, a wrong length, and commas where they separate labels."""
        found = Text(max_chars=self.max_chars).from_text(text)
        if any(unicodedata.category(char) == "Cc" for char in found):
            raise FieldRefusedError("must not contain control characters", NOT_ALLOWED)
        if not self.has_commas and "," in found:
            raise FieldRefusedError("must not contain commas", NOT_ALLOWED)
        return found

    def schema(self) -> Schema:
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.max_chars,
            "pattern": _NO_CONTROLS if self.has_commas else _NO_CONTROLS_NOR_COMMA,
        }


EXTERNAL_ID: Final = Label(max_chars=MAX_EXTERNAL_ID_CHARS)
TAG: Final = Label(max_chars=MAX_TAG_CHARS, has_commas=False)
_VALUE: Final = Label(max_chars=MAX_METADATA_VALUE_CHARS)


@attrs.frozen(kw_only=True)
class Metadata:
    """
    Kind of field that is a video's metadata: a JSON object of texts, or its JSON text in a header or a form.

    Attributes:
        removes: Whether null as a value is accepted, and removes the key.
    """

    removes: bool = False

    def from_json(self, value: object) -> Mapping[str, str | None]:
        """Return the keys and values of a JSON object; None removes a key."""
        if not isinstance(value, dict):
            rule = "must be an object of keys and strings"
            raise FieldRefusedError(rule, NOT_READABLE)
        pairs = {_key(name): self._value(name, text) for name, text in value.items()}
        excess = too_much_metadata(pairs)
        if excess is not None:
            raise FieldRefusedError(excess, NOT_ALLOWED)
        return pairs

    def from_text(self, text: str) -> Mapping[str, str | None]:
        """Return the keys and values of a JSON object in a text; None removes a key."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as exc:
            rule = "must be the JSON text of an object of keys and strings"
            raise FieldRefusedError(rule, NOT_READABLE) from exc
        return self.from_json(value)

    def schema(self) -> Schema:
        """Return the JSON Schema of metadata; the limit of the size of the whole object is not part of it."""
        value = _VALUE.schema()
        return {
            "type": "object",
            "maxProperties": MAX_METADATA_KEYS,
            "propertyNames": {"pattern": f"^{_KEY_PATTERN}$"},
            "additionalProperties": nullable(value) if self.removes else value,
        }

    def _value(self, key: str, value: object) -> str | None:
        if value is None and self.removes:
            return None
        if not isinstance(value, str):
            rule = f"must have strings as values, unlike that of {key}"
            raise FieldRefusedError(rule, NOT_READABLE)
        try:
            return _VALUE.from_text(value)
        except FieldRefusedError as exc:
            raise FieldRefusedError(
                f"must have other values: that of {key} {exc.rule}", exc.status
            ) from exc


@attrs.frozen(kw_only=True)
class Tags:
    """Kind of field that is a list of tags; in a header or a form they are separated by commas."""

    def from_json(self, value: object) -> tuple[str, ...]:
        """Return the tags of a JSON array; a repeated tag counts once, in its first place."""
        if not isinstance(value, list):
            raise FieldRefusedError("must be an array of strings", NOT_READABLE)
        try:
            found: dict[str, str] = {}
            for tag in map(TAG.from_json, value):
                found.setdefault(composed(tag), tag)
        except FieldRefusedError as exc:
            raise FieldRefusedError(
                f"must have other tags: each {exc.rule}", exc.status
            ) from exc
        if len(found) > MAX_TAGS:
            raise FieldRefusedError(f"must be at most {MAX_TAGS}", NOT_ALLOWED)
        return tuple(found.values())

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the tags in a text, separated by commas; spaces around commas do not matter."""
        return self.from_json([tag.strip(" ") for tag in text.split(",")])

    def schema(self) -> Schema:
        return {**array(TAG.schema()), "maxItems": MAX_TAGS}


@attrs.frozen(kw_only=True)
class MetadataFilter:
    """Kind of query parameter that finds videos by a metadata key and its value, written ``key:value``."""

    def from_json(self, value: object) -> str:
        """Return the search term of a filter in a JSON string; see domain.labels.metadata_term."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str:
        """Return the search term of a filter ``key:value``; see domain.labels.metadata_term."""
        key, colon, value = text.partition(":")
        if not colon or not _KEY.fullmatch(key) or not value:
            raise FieldRefusedError("must be a key, a colon and a value", NOT_ALLOWED)
        return metadata_term(key, _VALUE.from_text(value))

    def schema(self) -> Schema:
        most = MAX_METADATA_KEY_CHARS + 1 + MAX_METADATA_VALUE_CHARS
        return {
            "type": "string",
            "maxLength": most,
            "pattern": rf"^{_KEY_PATTERN}:[^\u0000-\u001f\u007f-\u009f]{{1,{MAX_METADATA_VALUE_CHARS}}}$",
        }


@attrs.frozen(kw_only=True)
class LabelFields:
    """Declare the request fields for the labels of a new video."""

    external_id: str | None = optional(
        "externalID",
        EXTERNAL_ID,
        None,
        about="What you call the video; no other one of the environment may have it.",
    )
    metadata: Mapping[str, str | None] = optional(
        "metadata",
        Metadata(),
        {},
        about="Keys and texts that are kept with the video; at most 4 KB.",
    )
    tags: tuple[str, ...] = optional(
        "tags", Tags(), (), about="Words by which lists are filtered."
    )

    def labels(self) -> Labels:
        return Labels(
            external_id=self.external_id,
            metadata=tuple((key, text or "") for key, text in self.metadata.items()),
            tags=self.tags,
        )


@attrs.frozen(kw_only=True)
class LabelChangeFields:
    """Declare the request fields that change the labels of a video."""

    external_id: str | Null | None = clearable(
        "externalID", EXTERNAL_ID, about="null removes it."
    )
    metadata: Mapping[str, str | None] | Null | None = clearable(
        "metadata",
        Metadata(removes=True),
        about="Keys that are not named stay; null removes a key, or all of them.",
    )
    tags: tuple[str, ...] | Null | None = clearable(
        "tags", Tags(), about="In place of all tags; null removes them."
    )

    def changes(self) -> LabelChanges | None:
        """Return the changes of labels that the request asks for; None if none."""
        if (self.external_id, self.metadata, self.tags) == (None, None, None):
            return None
        return LabelChanges(
            external_id=self.external_id if isinstance(self.external_id, str) else None,
            clears_external_id=self.external_id is Null.NULL,
            metadata=None if self.metadata is Null.NULL else self.metadata,
            clears_metadata=self.metadata is Null.NULL,
            tags=() if self.tags is Null.NULL else self.tags,
        )


def shown_labels(labels: Labels) -> dict[str, object]:
    """Return the JSON members for the labels of a video; a label that the video lacks has no member."""
    found: dict[str, object] = {}
    if labels.external_id is not None:
        found["externalID"] = labels.external_id
    if labels.metadata:
        found["metadata"] = dict(labels.metadata)
    if labels.tags:
        found["tags"] = list(labels.tags)
    return found


def _key(key: object) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise FieldRefusedError(_KEY_RULE, NOT_ALLOWED)
    return key
