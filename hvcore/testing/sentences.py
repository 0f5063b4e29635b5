"""Check sentences that plugins write for operators, in tests of plugins."""

from collections.abc import Sequence


def assert_sentences(told: Sequence[str]) -> None:
    """Assert that a value is a sequence of texts, and not one text."""
    assert not isinstance(told, str | bytes), "one text is no sequence of sentences"
    assert all(one.strip() for one in told), "an empty sentence"
