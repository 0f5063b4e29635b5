"""Count the words that a transcriber heard wrongly."""

import re
from typing import Final

_NUMBERS: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
_WORD: Final = re.compile(r"[a-z']+|\d+")


def words_of(text: str) -> list[str]:
    """Return the words of a text without case and punctuation, and small numbers as words."""
    return [
        _NUMBERS[int(word)] if word.isdigit() and int(word) <= 10 else word
        for word in _WORD.findall(text.lower().replace("\u2019", "'"))
    ]


def word_errors(said: list[str], heard: list[str]) -> int:
    """Return the least number of words to replace, leave out or add that makes one list the other."""
    before = list(range(len(heard) + 1))
    for count, word in enumerate(said, 1):
        now = [count]
        for at, other in enumerate(heard):
            now.append(
                min(before[at] + (word != other), before[at + 1] + 1, now[at] + 1)
            )
        before = now
    return before[-1]
