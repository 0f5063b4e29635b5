"""
Texts in memory.
"""

from hvcore.services.playback.text_cache import MAX_TEXT_BYTES, TextCache


def test_texts_that_were_not_asked_for_longest_make_room() -> None:
    cache = TextCache[str](max_bytes=10)
    cache.put("a", "12345")
    cache.put("b", "12345")
    cache.get("a")

    cache.put("c", "1")

    assert [cache.get(key) for key in "abc"] == ["12345", None, "1"]


def test_a_text_that_is_too_long_is_not_kept() -> None:
    cache = TextCache[str](max_bytes=10)

    cache.put("a", "x" * 11)

    assert cache.get("a") is None


def test_a_very_long_text_drops_no_others() -> None:
    cache = TextCache[str]()
    cache.put("a", "12345")

    cache.put("b", "x" * (MAX_TEXT_BYTES + 1))

    assert [cache.get(key) for key in "ab"] == ["12345", None]


def test_a_text_that_is_put_again_counts_once() -> None:
    cache = TextCache[str](max_bytes=10)

    for _ in range(5):
        cache.put("a", "12345")
    cache.put("b", "12345")

    assert cache.get("a") == cache.get("b")
