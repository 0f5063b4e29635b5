"""
Convert JSON to models, and models to JSON.

A model is an attrs class with keyword arguments. Each attribute is the member of the
same name, or of the name in its metadata (``member``). Members that a model does not
know are kept in ``further_members`` and written again.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import urlsplit

import attrs

T = TypeVar("T")
Decoder = Callable[[Any], Any]

FURTHER: Final = "further_members"
_NAME: Final = "hv_name"
_OF_ANSWER: Final = "hv_of_answer"
_HIDDEN: Final = "'…'"


class NotDecodableError(ValueError):
    """A JSON value does not fit its model."""


def member(name: str, *, is_required: bool = True, shows: bool = True) -> Any:  # noqa: ANN401 - as attrs.field
    """
    Describe a model's attribute whose JSON member has another name.

    Args:
        name: The name of the JSON member.
        is_required: Whether answers always have the member; otherwise the attribute may
            be None.
        shows: Whether the value stands in the model's ``repr``; if not, only the scheme
            and host of an address do.
    """
    metadata = {_NAME: name}
    display: Any = True if shows else shown
    if is_required:
        return attrs.field(metadata=metadata, repr=display)
    return attrs.field(default=None, metadata=metadata, repr=display)


def further() -> Any:  # noqa: ANN401 - as attrs.field
    """Return the attrs field of a model class that keeps JSON members which the model does not know."""
    return attrs.field(factory=dict, repr=False)


def entity_tag() -> Any:  # noqa: ANN401 - as attrs.field
    """Return the attrs field of a model class that keeps the answer's ``ETag``, which is not in its JSON."""
    return attrs.field(default=None, metadata={_OF_ANSWER: True}, repr=False)


def with_entity_tag(value: T, etag: str | None) -> T:
    """Return a copy of a model with the answer's ``ETag``; other values are returned unchanged."""
    if not attrs.has(type(value)):
        return value
    model = cast("Any", value)
    names = [a.name for a in attrs.fields(type(model)) if _OF_ANSWER in a.metadata]
    return cast("T", attrs.evolve(model, **dict.fromkeys(names, etag)))


def shown(value: object) -> str:
    """Return the ``repr`` of a value without secrets: of an address its host, of other texts nothing."""
    if not isinstance(value, str):
        return repr(value)
    parts = urlsplit(value)
    return f"'{parts.scheme}://{parts.netloc}/…'" if parts.netloc else _HIDDEN


def decode(wanted: type[T], value: object) -> T:
    """
    Return a model, or a list or map of models, made from parsed JSON.

    Raises:
        NotDecodableError: A member is missing, or is not an object or list where it has
            to be one. The types of plain values are not checked.
    """
    decoder: Decoder | None = _decoder(cast("Any", wanted))
    made: T = value if decoder is None else decoder(value)  # type: ignore[assignment]  # of a type that only exists while this runs
    return made


def encode(value: object) -> object:
    """
    Return models, moments and days as JSON values; optional members that are None are left out.

    Raises:
        ValueError: A datetime has no time zone.
    """
    if attrs.has(type(value)):
        return _encoded_model(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): encode(inner) for name, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [encode(inner) for inner in value]
    return value


def _encoded_model(value: Any) -> dict[str, object]:  # noqa: ANN401 - any model
    written: dict[str, object] = {}
    for attribute in attrs.fields(type(value)):
        inner = getattr(value, attribute.name)
        if not _is_member(attribute):
            continue
        if inner is None and attribute.default is None:
            continue
        written[_sent_name(attribute)] = encode(inner)
    return {**getattr(value, FURTHER, {}), **written}


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError("A moment needs a time zone, such as datetime.now(UTC).")
    in_utc = value.astimezone(UTC).replace(tzinfo=None)
    return f"{in_utc.isoformat(timespec='milliseconds')}Z"


@cache
def _decoder(wanted: Any) -> Decoder | None:  # noqa: ANN401 - any annotation
    """Return the function that decodes values of a type; None if they need no decoding."""
    if isinstance(wanted, type) and attrs.has(wanted):
        # Made when it is needed, for a model that contains itself.
        return lambda value: _model_decoder(wanted)(value)  # noqa: PLW0108 - see above
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in {Union, UnionType}:
        (inner,) = (kind for kind in arguments if kind is not NoneType)
        return _or_none(_decoder(inner))
    if origin is Sequence:
        return _list_decoder(_decoder(arguments[0]))
    if origin is Mapping:
        return _map_decoder(_decoder(arguments[1]))
    return {datetime: _read_moment, date: _read_day}.get(wanted)


@cache
def _model_decoder(model: type) -> Decoder:
    hints = get_type_hints(model)
    decoders = {
        _sent_name(attribute): (attribute, _decoder(hints[attribute.name]))
        for attribute in attrs.fields(model)
        if _is_member(attribute)
    }

    def read(value: Any) -> Any:  # noqa: ANN401 - parsed JSON
        if not isinstance(value, Mapping):
            raise NotDecodableError(f"{model.__name__} is no object.")
        found: dict[str, Any] = {}
        for name, (attribute, decoder) in decoders.items():
            if name in value:
                inner = value[name]
                found[attribute.name] = inner if decoder is None else decoder(inner)
            elif attribute.default is attrs.NOTHING:
                raise NotDecodableError(f"{model.__name__} has no {name}.")
        others = {name: value[name] for name in value.keys() - decoders.keys()}
        return model(**found, **{FURTHER: others})

    return read


def _or_none(decoder: Decoder | None) -> Decoder | None:
    if decoder is None:
        return None
    return lambda value: None if value is None else decoder(value)


def _list_decoder(decoder: Decoder | None) -> Decoder:
    def read(value: Any) -> Any:  # noqa: ANN401 - parsed JSON
        if not isinstance(value, list):
            raise NotDecodableError("A list is no list.")
        return value if decoder is None else [decoder(inner) for inner in value]

    return read


def _map_decoder(decoder: Decoder | None) -> Decoder:
    def read(value: Any) -> Any:  # noqa: ANN401 - parsed JSON
        if not isinstance(value, Mapping):
            raise NotDecodableError("An object is no object.")
        if decoder is None:
            return value
        return {name: decoder(inner) for name, inner in value.items()}

    return read


def _read_moment(value: Any) -> Any:  # noqa: ANN401 - parsed JSON
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value


def _read_day(value: Any) -> Any:  # noqa: ANN401 - parsed JSON
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return value


def _is_member(attribute: "attrs.Attribute[Any]") -> bool:
    return attribute.name != FURTHER and _OF_ANSWER not in attribute.metadata


def _sent_name(attribute: "attrs.Attribute[Any]") -> str:
    return str(attribute.metadata.get(_NAME, attribute.name))
