"""The sentences that operators are told, for kits."""

from collections.abc import Sequence


def assert_sentences(told: Sequence[str]) -> None:
    """Look whether something is a sequence of texts, and not one text."""
    assert not isinstance(told, str | bytes), "one text is no sequence of sentences"
    assert all(one.strip() for one in told), "an empty sentence"
