"""
Stored values: convert domain objects to the JSON that the database keeps, and back.

Fractions are kept as ``"30000/1001"``, enums by their value, moments as ISO 8601
has them. A field that is added later needs a default, so that older rows still load.
"""

from datetime import datetime
from fractions import Fraction
from typing import Any, Final, TypeVar

from cattrs import Converter

T = TypeVar("T")


def to_stored(value: object) -> Any:  # noqa: ANN401 - JSON data
    """Return an attrs object as plain JSON data."""
    return _CONVERTER.unstructure(value)


def from_stored(data: Any, into: type[T]) -> T:  # noqa: ANN401 - JSON data
    """Return an object of an attrs class, made from plain JSON data."""
    return _CONVERTER.structure(data, into)


def _converter() -> Converter:
    # detailed_validation costs a third more and serves human input only.
    converter = Converter(detailed_validation=False)
    converter.register_unstructure_hook(Fraction, str)
    converter.register_structure_hook(Fraction, lambda text, _: Fraction(text))
    converter.register_unstructure_hook(datetime, datetime.isoformat)
    converter.register_structure_hook(
        datetime, lambda text, _: datetime.fromisoformat(text)
    )
    return converter


_CONVERTER: Final = _converter()
