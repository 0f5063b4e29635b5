"""
Texts that people take for the same.
"""

import unicodedata

import pytest

from hvcore.domain.folded_texts import composed, folded

EQUAL = {
    "plain": ("Summer", "SUMMER"),
    "macOS": ("Café", "Cafe\u0301"),
    "partly composed": ("Vi\u1ec7t", "Vi\u00ea\u0323t"),
    "several marks": ("q\u0307\u0323", "Q\u0323\u0307"),
    "sharp s": ("Straße", "STRASSE"),
    "iota below": ("\u1f80", "\u03b1\u0345\u0313"),
    "hangul": ("\ud55c", "\u1112\u1161\u11ab"),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal_names_have_one_folded_name(case: str) -> None:
    one, other = EQUAL[case]

    assert folded(one) == folded(other)
    assert unicodedata.is_normalized("NFC", folded(one))
    assert folded(folded(one)) == folded(one)


def test_letters_with_and_without_marks_differ() -> None:
    assert folded("Café") != folded("Cafe")


def test_composed_texts_keep_their_case() -> None:
    assert composed("E\u0301") == "\u00c9" != composed("e\u0301")
