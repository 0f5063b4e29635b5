"""
Refuse misspelt parameters of lists and deletions, and name the parameter that was meant.

Other unknown parameters are ignored. If a filter were ignored, the list would show all
objects as if they matched; if ``keepHours`` were, a video would be deleted for good.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

from hvcore.wire.converter import Check, LateFieldError, fields_of, read_query

T = TypeVar("T")

_BY_OTHER_NAMES: Final[Mapping[str, str]] = {
    "tags": "tag",
    "meta": "metadata",
    "public": "allowpublicaccess",
    "ispublic": "allowpublicaccess",
    "visibility": "allowpublicaccess",
}
_EXAMPLES: Final[Mapping[str, str]] = {
    "metadata": ", such as metadata=order:4711",
    "allowPublicAccess": ", such as allowPublicAccess=true",
}
_SEPARATORS: Final = str.maketrans("", "", "_-")


def read_list_query(
    cls: type[T], parameters: Mapping[str, str | list[str]], check: Check | None = None
) -> T:
    """
    Return a request object made from the query of a list or a deletion; see read_query.

    Raises:
        HvError: An error of the class that the first wrong field declares. Wrong is also a
            misspelt parameter: one that differs from a known one by case, ``_`` or ``-`` only, or
            is another name of a known filter.
    """

    def checked(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        if check is not None:
            yield from check(given)
        yield from _misnamed(parameters, [spec.name for spec in fields_of(cls)])

    return read_query(cls, parameters, checked)


def _misnamed(sent: Iterable[str], known: Iterable[str]) -> Iterator[LateFieldError]:
    by_lower = {name.lower(): name for name in known}
    # One of each: metadata[…] may be any number.
    told: set[str] = set()
    for name in sent:
        meant = _meant(name, by_lower)
        if meant is not None and meant != name and meant not in told:
            told.add(meant)
            example = _EXAMPLES.get(meant, "")
            yield LateFieldError(
                name=name,
                rule=f"is no parameter of this request: send {meant}{example}",
            )


def _meant(name: str, by_lower: Mapping[str, str]) -> str | None:
    """Return the parameter that a name stands for; None if it stands for none."""
    written, bracket, _ = name.lower().partition("[")
    # Programs write external_id where the interface has externalID.
    base = written.translate(_SEPARATORS)
    found = _BY_OTHER_NAMES.get(base, base)
    # Of what is written with brackets, only what is a filter.
    if bracket and found not in _BY_OTHER_NAMES.values():
        return None
    return by_lower.get(found)
