"""
Refuse requests for changes whose JSON members are all unknown, and name the members that were meant.

Elsewhere unknown members are ignored. But a request with only unknown members would be answered
as done although nothing was changed.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final, TypeVar

from hvcore.errors import FieldError, InvalidParametersError
from hvcore.wire.converter import fields_of, read_document

T = TypeVar("T")

_MAX_TOLD: Final = 8
_MAX_NAME_CHARS: Final = 64
"""Longer than any name of the interface; comparing longer ones takes time."""


def read_changes(cls: type[T], document: object) -> T:
    """
    Return a request object made from a JSON document of changes; see read_document.

    Raises:
        InvalidParametersError: The document has members, and all of them are unknown to the class.
        HvError: An error of the class that the first wrong field declares.
    """
    known = [spec.name for spec in fields_of(cls)]
    if isinstance(document, dict) and document and document.keys().isdisjoint(known):
        raise _refusal(list(document), known)
    return read_document(cls, document)


def _refusal(names: Sequence[str], known: Sequence[str]) -> InvalidParametersError:
    problems = [_problem(name[:_MAX_NAME_CHARS], known) for name in names[:_MAX_TOLD]]
    return InvalidParametersError(
        f"{problems[0].message} What can be changed is {', '.join(known)}.",
        errors=problems,
    )


def _problem(name: str, known: Sequence[str]) -> FieldError:
    meant = _meant(name, known)
    hint = f": did you mean {meant}?" if meant else "."
    return FieldError(
        message=f"{name} is not a member that can be changed{hint}",
        location=f"body.{name}",
    )


def _meant(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that another one is a spelling or a part of."""
    plain = {_plain(other): other for other in known}
    given = _plain(name)
    if not given:
        return None
    parts = [other for other in plain if given in other]
    found = parts or get_close_matches(given, plain, n=1)
    return plain[found[0]] if found else None


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())
