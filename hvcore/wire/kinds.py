"""
The kinds of fields that requests have: each reads one value or refuses it.

A kind reads a JSON value (``from_json``) and the text of a query parameter
(``from_text``) alike. Wrong type or unreadable: 422; well-formed but not
allowed: 400 (the interface document, "Errors", status codes).
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Generic, Protocol, TypeVar

import attrs

from hvcore.domain.processing.encoding import AUTO
from hvcore.wire.schema import BOOLEAN, INTEGER, Schema, array, named, one_of

T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)
EnumT = TypeVar("EnumT", bound=Enum)

NOT_ALLOWED: Final = 400
NOT_READABLE: Final = 422

# ASCII digits only: int() reads " 20", "2_0" and "٣", too.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_INT64_DIGITS = 19


class FieldRefusedError(Exception):
    """
    The value of a request's field cannot be used.

    Args:
        rule: The rule that the value breaks, to follow the field's name: ``must be …``.
        status: The HTTP status: NOT_ALLOWED or NOT_READABLE.
    """

    def __init__(self, rule: str, status: int) -> None:
        super().__init__(rule)
        self.rule = rule
        self.status = status


class FieldKind(Protocol[T_co]):
    """Read the value of one kind of request field, or refuse it."""

    def from_json(self, value: object) -> T_co:
        """
        Return the domain value of a JSON value that is not null.

        Raises:
            FieldRefusedError: The value cannot be used.
        """
        ...

    def from_text(self, text: str) -> T_co:
        """
        Return the domain value of a query parameter's text.

        Raises:
            FieldRefusedError: The text cannot be used.
        """
        ...

    def schema(self) -> Schema:
        """Return the JSON Schema of the accepted values."""
        ...


@attrs.frozen(kw_only=True)
class Text:
    """Kind of field that is a string with a length in a range, without NUL and lone surrogates."""

    max_chars: int
    min_chars: int = 1

    def from_json(self, value: object) -> str:
        """Return the text of a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str:
        """Return a query parameter's text, if its length and characters are allowed."""
        if len(text) < self.min_chars:
            raise FieldRefusedError("must not be empty", NOT_ALLOWED)
        if len(text) > self.max_chars:
            rule = f"must have at most {self.max_chars} characters"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        if _UNSTORABLE.search(text):
            rule = "must not contain NUL characters or lone surrogates"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return text

    def schema(self) -> Schema:
        """Return the JSON Schema of a string with the allowed lengths."""
        return {
            "type": "string",
            "minLength": self.min_chars,
            "maxLength": self.max_chars,
            "pattern": r"^[^\u0000]*$",
        }


@attrs.frozen(kw_only=True)
class Integer:
    """Kind of field that is an integer in a range within 64 bits."""

    minimum: int
    maximum: int

    def from_json(self, value: object) -> int:
        """Return the integer of a JSON number without fraction and exponent."""
        number = _integer(value)
        if not self.minimum <= number <= self.maximum:
            rule = f"must be from {self.minimum} to {self.maximum}"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return number

    def from_text(self, text: str) -> int:
        """Return the integer of decimal digits."""
        return self.from_json(_digits(text))

    def schema(self) -> Schema:
        """Return the JSON Schema of the integers in the allowed range."""
        return {**INTEGER, "minimum": self.minimum, "maximum": self.maximum}


@attrs.frozen(kw_only=True)
class Cap:
    """
    Kind of field that is an upper limit: an integer of a set, or -1 (automatic), which becomes None.

    Attributes:
        name: The name of the set of numbers in the API's description; see
            wire.schema.named.
        allowed: The allowed integers.
        described: The allowed integers in words, to follow "must be -1 (auto) or".
    """

    name: str
    allowed: Sequence[int]
    described: str

    def from_json(self, value: object) -> int | None:
        """Return the limit of a JSON number without fraction and exponent; None for -1."""
        number = _integer(value)
        if number == AUTO:
            return None
        if number not in self.allowed:
            rule = f"must be {AUTO} (auto) or {self.described}"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return number

    def from_text(self, text: str) -> int | None:
        """Return the limit in decimal digits; None for -1."""
        return self.from_json(_digits(text))

    def schema(self) -> Schema:
        """Return the JSON Schema of the allowed integers and -1: a named set, or a range by its ends."""
        if isinstance(self.allowed, range):
            first = self.allowed[0]
            return {
                "type": "integer",
                "minimum": AUTO,
                "maximum": self.allowed[-1],
                "not": {
                    "type": "integer",
                    "exclusiveMinimum": AUTO,
                    "exclusiveMaximum": first,
                },
            }
        return named(self.name, {"type": "integer", "enum": [AUTO, *self.allowed]})


@attrs.frozen(kw_only=True)
class Flag:
    """Kind of field that is a boolean."""

    def from_json(self, value: object) -> bool:
        """Return the boolean of JSON ``true`` or ``false``; refuse everything else."""
        if not isinstance(value, bool):
            raise FieldRefusedError("must be true or false", NOT_READABLE)
        return value

    def from_text(self, text: str) -> bool:
        """Return the boolean of the word ``true`` or ``false``."""
        if text not in {"true", "false"}:
            raise FieldRefusedError("must be true or false", NOT_READABLE)
        return text == "true"

    def schema(self) -> Schema:
        """Return the JSON Schema of true and false."""
        return BOOLEAN


@attrs.frozen
class OneOf(Generic[T]):
    """
    Kind of field that is one of several words, each of which stands for a value.

    Attributes:
        name: The name of the set of words in the API's description; see
            wire.schema.named.
    """

    name: str
    choices: Mapping[str, T]

    def from_json(self, value: object) -> T:
        """Return the value of the word in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> T:
        """Return the value of a word, which must match exactly."""
        if text not in self.choices:
            rule = f"must be one of {', '.join(self.choices)}"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return self.choices[text]

    def schema(self) -> Schema:
        """Return the JSON Schema of the allowed words."""
        return one_of(self.name, *self.choices)


@attrs.frozen(kw_only=True)
class Repeatable(Generic[T]):
    """
    Kind of field that may be given several times in a query; in JSON it is one value or a list.

    Attributes:
        one: The kind of each value.
        max_values: The most values that a request may give.
    """

    one: FieldKind[T]
    max_values: int

    def from_json(self, value: object) -> tuple[T, ...]:
        """Read each value of a JSON array, or one JSON value."""
        values = value if isinstance(value, list | tuple) else [value]
        return tuple(map(self.one.from_json, self._bounded(values)))

    def from_text(self, text: str) -> tuple[T, ...]:
        """Return the value of a query parameter that was given once, as a tuple of one."""
        return (self.one.from_text(text),)

    def from_texts(self, texts: Sequence[str]) -> tuple[T, ...]:
        """Return the values of a query parameter that was given several times, in their order."""
        return tuple(map(self.one.from_text, self._bounded(texts)))

    def schema(self) -> Schema:
        """Return the JSON Schema of a list of values; in a query each value is a parameter of its own."""
        return {**array(self.one.schema()), "maxItems": self.max_values}

    def _bounded(self, values: Sequence[U]) -> Sequence[U]:
        if len(values) > self.max_values:
            rule = f"must be given at most {self.max_values} times"
            raise FieldRefusedError(rule, NOT_ALLOWED)
        return values


def member_of(enum: type[EnumT]) -> OneOf[EnumT]:
    """Return the kind of field that is one of an Enum's values, read as the Enum's member."""
    return OneOf(enum.__name__, {str(member.value): member for member in enum})


def string(value: object) -> str:
    """
    Return a JSON value if it is a string; refuse other types.

    Raises:
        FieldRefusedError: The value is of another type.
    """
    if not isinstance(value, str):
        raise FieldRefusedError("must be a string", NOT_READABLE)
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldRefusedError("must be an integer", NOT_READABLE)
    return value


def _digits(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise FieldRefusedError("must be an integer", NOT_READABLE)
    # A longer one is out of every range, and costly to convert.
    return int(text[: _INT64_DIGITS + 2])
