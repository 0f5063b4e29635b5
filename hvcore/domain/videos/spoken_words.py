"""
Take the words out of a text as the search in what is said compares them.

Words are compared without case, accents, and signs that few people write: the points of
Hebrew and Arabic. Scripts that write no spaces between words are cut into single characters
and pairs of them, so that every part of a text is found.
"""

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

MAX_SPOKEN_QUERY_CHARS: Final = 200
"""Of the words that are looked for."""
MAX_SPOKEN_QUERY_WORDS: Final = 64
"""That are looked for; further ones are passed over. Without an index each is looked for in each text."""
MAX_WORD_CHARS: Final = 64
"""A longer word is found by its first characters."""
MAX_INDEX_WORDS: Final = 30_000
MAX_INDEX_BYTES: Final = 400_000
"""Of different words in one language: PostgreSQL takes no more than 1 MB. A long novel has 20,000."""

FOLDING: Final = 2
"""The number of the way in which texts become words; another number has all captions read anew."""

# Accents; points of Hebrew; points and lengthening of Arabic, but no hamza, which makes a
# letter; and the soft hyphen.
_UNREAD: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06ed\u00ad]+"
)
# Thai to Lao, Burmese, Khmer, kana, Chinese; and Korean, whose particles stick to words.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and points belong to words, but Python counts them as none of a word.
_IN_WORDS: Final = rf"\w\u0653-\u065f\u0900-\u0963\u0966-\u0dff{_UNSPACED}"
_WORD: Final = re.compile(f"[{_IN_WORDS}]+")
_RUN: Final = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")


def folded(text: str) -> str:
    """Return a text without case, accents and points; it has the same lines."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _UNREAD.sub("", parts))


def runs_of(text: str) -> Iterable[str]:
    """Yield the words of a folded text in order; what is written without spaces stays whole."""
    words = _WORD.findall(text)
    if text.isascii():
        yield from words
        return
    for word in words:
        yield from _RUN.findall(word)


def index_words(text: str) -> str:
    """Return the different words of a folded text in order, with spaces between them, as far as the index takes them."""
    found: set[str] = set()
    size_bytes = 0
    for run in runs_of(text):
        for word in _indexed(run):
            if word in found:
                continue
            size_bytes += len(word.encode()) + 1
            if len(found) >= MAX_INDEX_WORDS or size_bytes > MAX_INDEX_BYTES:
                return " ".join(sorted(found))
            found.add(word)
    return " ".join(sorted(found))


@attrs.define(kw_only=True)
class SearchEffort:
    """
    Hold the numbers of characters and places that a search in spoken texts may still look at.

    Attributes:
        chars: The characters of texts.
        places: The places of words in the texts, also of those that are parts of other words.
    """

    chars: int
    places: int


@attrs.frozen(kw_only=True)
class SpokenQuery:
    """
    The words that are looked for in what is said.

    Attributes:
        runs: The words as they stand in a folded text, each once.
        words: The words as they stand in the index, each once.
    """

    runs: Sequence[str]
    words: Sequence[str]

    @classmethod
    def of(cls, text: str) -> "SpokenQuery":
        """Return the query of a text that somebody typed, up to MAX_SPOKEN_QUERY_CHARS and MAX_SPOKEN_QUERY_WORDS; it has no words if there are none in it."""
        runs: dict[str, None] = {}
        words: dict[str, None] = {}
        for whole in runs_of(folded(text[:MAX_SPOKEN_QUERY_CHARS])):
            run = whole[:MAX_WORD_CHARS]
            is_pairs = len(run) > 1 and _IS_UNSPACED.match(run)
            further = dict.fromkeys(
                word for word in _indexed(run) if not is_pairs or len(word) > 1
            )
            if len(words | further) > MAX_SPOKEN_QUERY_WORDS:
                break
            runs[run] = None
            words |= further
        return cls(runs=list(runs), words=list(words))

    def matches(
        self, text: str, effort: SearchEffort, *, are_whole: bool
    ) -> Iterator[tuple[int, str]]:
        """
        Yield the words of the query in a folded text in order, each with its place.

        Args:
            effort: What may still be looked at; nothing more is yielded when it is used up.
            are_whole: Whether a word must not be a part of another one.
        """
        # Not one pattern for all: Python finds a single text ten times faster.
        found = [_places(text, run, effort, is_whole=are_whole) for run in self.runs]
        return found[0] if len(found) == 1 else heapq.merge(*found)


def _is_of_word(char: str) -> bool:
    """Return whether a character, or none, is a part of a word."""
    if char.isascii():
        return char.isalnum() or char == "_"
    return _WORD.match(char) is not None


def _places(
    text: str, run: str, effort: SearchEffort, *, is_whole: bool
) -> Iterator[tuple[int, str]]:
    is_whole = is_whole and not _IS_UNSPACED.match(run)
    at = text.find(run)
    while at >= 0 and effort.places > 0:
        effort.places -= 1
        end = at + len(run)
        is_part = is_whole and (
            _is_of_word(text[at - 1 : at])
            or (len(run) < MAX_WORD_CHARS and _is_of_word(text[end : end + 1]))
        )
        if not is_part:
            yield at, run
        at = text.find(run, end)


def _indexed(run: str) -> Iterable[str]:
    if not _IS_UNSPACED.match(run):
        return (run[:MAX_WORD_CHARS],)
    return (*run, *(run[at : at + 2] for at in range(len(run) - 1)))
