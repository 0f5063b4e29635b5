"""
Read a request's fields into attrs classes, and report all problems at once.

A request class lists its fields in the order of the interface document's table; the first
field with a problem decides status and code. Not done with cattrs, whose errors have
neither that order nor the offending values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

import attrs

from hvcore.errors import FieldError, HvError, InvalidParametersError
from hvcore.wire.kinds import (
    NOT_ALLOWED,
    NOT_READABLE,
    FieldKind,
    FieldRefusedError,
    Repeatable,
)

T = TypeVar("T")
D = TypeVar("D")

_SPEC: Final = "hvcore.wire"


@runtime_checkable
class SecretKind(Protocol):
    """Kind of field whose values may hold secrets, and are shortened in error messages."""

    def shown(self, value: object) -> object:
        """Return the part of a field's value that an error message may show."""
        ...


@attrs.frozen(kw_only=True)
class FieldSpec:
    """
    The declaration of a request's field: its name, kind, error and default.

    Attributes:
        error: The error if the field is the first with a problem.
        default: The value of a missing field, as it would have been read.
        about: A sentence for callers on the purpose of the field.
        is_cleared_by_null: Whether null is read as a value of its own: Null.NULL.
    """

    name: str
    kind: FieldKind[object]
    error: type[HvError]
    is_required: bool
    default: object = None
    about: str = ""
    is_cleared_by_null: bool = False


class Null(Enum):
    """The value of a field that was sent as null, where null clears the field; in other fields null means missing."""

    NULL = "null"


@attrs.frozen(kw_only=True)
class LateFieldError:
    """
    A problem of a request's field that shows only after all fields are read, such as a day before another.

    Attributes:
        name: The field's name, or another name that was sent.
        rule: The rule that the field breaks, to follow its name: ``must be …``.
    """

    name: str
    rule: str
    status: int = NOT_ALLOWED


Check: TypeAlias = Callable[[Mapping[str, object]], Iterable[LateFieldError]]
"""Gets the fields that were given and read well, by name; finds the rest."""


def required(
    name: str,
    kind: FieldKind[T],
    *,
    error: type[HvError] = InvalidParametersError,
    about: str = "",
) -> T:
    """
    Declare a request field that must be present.

    Args:
        name: The field's name in the interface document.
        kind: The kind of field, which reads the value.
        error: The error if this field is the first with a problem.
        about: A sentence for callers on the purpose of the field.
    """
    spec = FieldSpec(name=name, kind=kind, error=error, is_required=True, about=about)
    # What may hold secrets is in no traceback and no log.
    hides = isinstance(kind, SecretKind)
    return cast("T", attrs.field(repr=not hides, metadata={_SPEC: spec}))


def optional(
    name: str,
    kind: FieldKind[T],
    default: D,
    *,
    error: type[HvError] = InvalidParametersError,
    about: str = "",
) -> T | D:
    """Declare a request field that may be missing; see required for the arguments."""
    spec = FieldSpec(
        name=name,
        kind=kind,
        error=error,
        is_required=False,
        default=default,
        about=about,
    )
    return cast("T | D", attrs.field(default=default, metadata={_SPEC: spec}))


def clearable(name: str, kind: FieldKind[T], *, about: str = "") -> T | Null | None:
    """Declare a request field that null clears, and that stays unchanged when missing."""
    spec = FieldSpec(
        name=name,
        kind=kind,
        error=InvalidParametersError,
        is_required=False,
        about=about,
        is_cleared_by_null=True,
    )
    return cast("T | None", attrs.field(default=None, metadata={_SPEC: spec}))


def group(cls: type[T]) -> T:
    """Declare an attribute of a request class that holds another request class, whose fields are read from the same request."""
    return cast("T", attrs.field(metadata={_SPEC: cls}))


def fields_of(cls: type[object]) -> Iterator[FieldSpec]:
    """Yield the fields of a request class, including those of its groups."""
    for attribute in _attributes(cls):
        spec = attribute.metadata[_SPEC]
        if isinstance(spec, type):
            yield from fields_of(spec)
        else:
            yield spec


def read_document(cls: type[T], document: object, check: Check | None = None) -> T:
    """
    Return a request object made from a JSON document; unknown members are ignored.

    Args:
        check: Finds problems that show only after all fields are read.

    Raises:
        HvError: An error of the class that the first wrong field declares.
    """
    if not isinstance(document, dict):
        message = "The body must be a JSON object."
        raise InvalidParametersError(
            message,
            errors=[FieldError(message=message, location="body", value=document)],
            status=NOT_READABLE if document is not None else NOT_ALLOWED,
        )
    return _Reading("body", document, _from_json).finish(cls, check)


def read_query(
    cls: type[T],
    parameters: Mapping[str, str | list[str]],
    check: Check | None = None,
) -> T:
    """
    Return a request object made from a URL's query; unknown parameters are ignored.

    A parameter that is given twice is refused, unless all of its values count: a proxy in front
    may have checked the value that would be ignored here.

    Raises:
        HvError: An error of the class that the first wrong field declares.
    """
    return _Reading("query", parameters, _from_text).finish(cls, check)


def _from_json(kind: FieldKind[object], value: object) -> object:
    return kind.from_json(value)


def _from_text(kind: FieldKind[object], value: object) -> object:
    if isinstance(value, str):
        return kind.from_text(value)
    if isinstance(kind, Repeatable) and isinstance(value, list):
        return kind.from_texts(value)
    raise FieldRefusedError("must be given once only", NOT_ALLOWED)


class _Reading:
    """One pass over the values of a request."""

    def __init__(
        self,
        place: str,
        values: Mapping[str, object],
        read: Callable[[FieldKind[object], object], object],
    ) -> None:
        self._place = place
        self._values = values
        self._read = read
        self._specs: dict[str, FieldSpec] = {}
        self._given: dict[str, object] = {}
        self._refusals: list[LateFieldError] = []

    def finish(self, cls: type[T], check: Check | None) -> T:
        arguments = self._arguments(cls)
        if check is not None:
            self._refusals.extend(check(self._given))
        if self._refusals:
            raise self._error()
        return self._build(cls, arguments)

    def _arguments(self, cls: type[object]) -> dict[str, object]:
        arguments: dict[str, object] = {}
        for attribute in _attributes(cls):
            spec = attribute.metadata[_SPEC]
            if isinstance(spec, type):
                arguments[attribute.name] = self._arguments(spec)
                continue
            self._specs[spec.name] = spec
            value = self._values.get(spec.name)
            if value is not None:
                self._take(spec, value)
            elif spec.is_cleared_by_null and spec.name in self._values:
                self._given[spec.name] = Null.NULL
            elif spec.is_required:
                self._refusals.append(
                    LateFieldError(name=spec.name, rule=self._required(spec.name))
                )
            if spec.name in self._given:
                arguments[attribute.name] = self._given[spec.name]
        return arguments

    def _required(self, name: str) -> str:
        # The families spell some names differently: filename, fileName.
        like = next((n for n in self._values if n.lower() == name.lower()), None)
        if like is None:
            return "is required"
        return f"is required: it is spelled {name} here, and {like} was sent"

    def _take(self, spec: FieldSpec, value: object) -> None:
        try:
            self._given[spec.name] = self._read(spec.kind, value)
        except FieldRefusedError as exc:
            self._refusals.append(
                LateFieldError(name=spec.name, rule=exc.rule, status=exc.status)
            )

    def _build(self, cls: type[T], arguments: dict[str, object]) -> T:
        for attribute in _attributes(cls):
            spec = attribute.metadata[_SPEC]
            if isinstance(spec, type):
                members = cast("dict[str, object]", arguments[attribute.name])
                arguments[attribute.name] = self._build(spec, members)
        return cls(**arguments)

    def _error(self) -> HvError:
        order = [*self._specs, *self._values]
        refusals = sorted(self._refusals, key=lambda item: order.index(item.name))
        first = refusals[0]
        spec = self._specs.get(first.name)
        error = InvalidParametersError if spec is None else spec.error
        return error(
            f"{first.name} {first.rule}.",
            errors=[
                FieldError(
                    message=f"{item.name} {item.rule}.",
                    location=f"{self._place}.{item.name}",
                    value=self._shown(item.name),
                )
                for item in refusals
            ],
            status=first.status,
        )

    def _shown(self, name: str) -> object:
        value, spec = self._values.get(name), self._specs.get(name)
        if spec is not None and isinstance(spec.kind, SecretKind):
            return spec.kind.shown(value)
        return value


def _attributes(cls: type[object]) -> "Iterable[attrs.Attribute[Any]]":
    found: Iterable[attrs.Attribute[Any]] = attrs.fields(
        cast("type[attrs.AttrsInstance]", cls)
    )
    return found
