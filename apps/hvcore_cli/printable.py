"""
Make text safe to print on a terminal.

Names, reasons and logs hold text that other people have sent. Some characters move the
cursor, change what a terminal does, or show a text in another order than it has.
"""

import unicodedata
from typing import Final

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"
"""The invisible characters that are printed: they stand in letters of some scripts and in
emoji, and do no harm."""
_LAST_OF_TWO_BYTES: Final = 0xFFFF


def printable(text: str, *, keeps: str = "") -> str:
    """
    Return a text with control characters written as escapes.

    Args:
        keeps: The characters that stay as they are, such as line ends in a text of ``hv`` itself.
    """
    if text.isprintable():
        return text
    return "".join(
        char
        if not _is_unseen(char) or char in keeps
        else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def printable_json(document: str) -> str:
    """Return a JSON document with control characters as escapes; its strings mean the same."""
    return "".join(
        char if char == "\n" or not _is_unseen(char) else _json_escape(char)
        for char in document
    )


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN and char not in _JOINERS


def _json_escape(char: str) -> str:
    if ord(char) <= _LAST_OF_TWO_BYTES:
        return f"\\u{ord(char):04x}"
    high, low = divmod(ord(char) - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
