"""Spell the names in the API's document as a client spells them."""

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLURAL_OF_CAPITALS: Final = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")


def words_of(name: str) -> Sequence[str]:
    """
    Return the words of a name, in lower case.

    The name may be written like ``createUploadUrl``, ``twoPassVBREncoding`` or
    ``Upload-Length``. ``videoID`` has the words ``video`` and ``id``; the last word of
    ``playbackURLs`` is ``urls``. A number belongs to the word before it.
    """
    words: list[str] = []
    for word in _WORD.findall(_PLURAL_OF_CAPITALS.sub("S", name)):
        if word.isdigit() and words:
            words[-1] += word
        else:
            words.append(word.lower())
    return words


def snake(name: str) -> str:
    """Return a name in snake case: ``videoID`` becomes ``video_id``."""
    return "_".join(words_of(name))


def camel(name: str) -> str:
    """Return a name in camel case: ``Upload-Length`` becomes ``uploadLength``."""
    first, *others = words_of(name)
    return first + "".join(word.capitalize() for word in others)
