"""
Compare texts regardless of case and of the composition of letters.

macOS and some keyboards write ``é`` as two characters, others as one.

Source: Unicode Standard Annex 15; Unicode Standard, section 3.13, definition 145.
"""

import unicodedata


def composed(text: str) -> str:
    """Return a text with composed letters (NFC), so that equal texts compare as equal."""
    return unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text without case and with composed letters, for comparing names."""
    if text.isascii():
        return text.lower()
    # Decomposed before: folding changes the order of a Greek letter's marks.
    return composed(unicodedata.normalize("NFD", text).casefold())
