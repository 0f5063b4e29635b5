"""
Shown texts: make strangers' texts, such as a video's name, safe to show to people.

Control characters can end a line of a mail's head, and marks of writing direction
show a text in another order than it has: ``gpj.exe`` as ``exe.jpg``.

Source: Unicode Standard Annex 9, section 2 (explicit directional formatting).
"""

import unicodedata
from typing import Final

_TURNS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They change the direction of what follows, beyond the text itself."""
_LEFT_OUT: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, halves of characters, ends of lines and paragraphs."""


def one_line(text: str) -> str:
    """
    Return a text on one line, without control characters and direction marks.

    Invisible marks that letters of some scripts and emoji need stay.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    spaced = (" " if unicodedata.category(c) in _LEFT_OUT else c for c in text)
    return " ".join("".join(c for c in spaced if c not in _TURNS).split())
