"""
Texts of strangers change nothing around them.
"""

import pytest

from hvcore.domain.shown_text import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A walk", "A walk"),
        ("  a \t b\r\nc\u2028d\0e ", "a b c d e"),
        ("\u202egpj.exe", "gpj.exe"),
        ("a\u2066b\u2069\u202a\u202cc", "abc"),
        ("\ud800x", "x"),
        # Of Hebrew, Persian, and a family of emoji.
        ("שלום\u200f!", "שלום\u200f!"),
        ("نمی\u200cشود", "نمی\u200cشود"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("", ""),
    ],
)
def test_a_text_is_one_line_in_its_own_direction(text: str, shown: str) -> None:
    assert one_line(text) == shown
