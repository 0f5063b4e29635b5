"""
Spoken texts: hits of searched words, and their snippets.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.ids import VideoId
from hvcore.domain.videos import spoken_texts, spoken_words
from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.spoken_texts import (
    MAX_HITS,
    MAX_SNIPPET_CHARS,
    SpokenHit,
    find_hits,
    page_effort,
    spoken_text,
)
from hvcore.domain.videos.spoken_words import (
    SearchEffort,
    SpokenQuery,
    folded,
    index_words,
)

VIDEO = VideoId("vid_1")


def hits(spoken: str, *lines: str, every_ms: int = 4_000) -> list[SpokenHit]:
    cues = [
        Cue(start_ms=at * every_ms, end_ms=at * every_ms + 1, text=line)
        for at, line in enumerate(lines)
    ]
    query = SpokenQuery.of(spoken)
    said = spoken_text(cues)
    return find_hits(said, query, page_effort(), video_id=VIDEO, language="en")


def shown(hit: SpokenHit) -> str:
    return "".join(f"[{p.text}]" if p.is_match else p.text for p in hit.snippet)


def test_hits_of_all_words_together_come_first() -> None:
    gap = ["x"] * 5

    found = hits("red car", "red", *gap, "car", *gap, "red car")

    assert [hit.start_ms for hit in found] == [48_000]
    assert [hit.start_ms for hit in hits("red car", "a red", "old car")] == [0]


def test_words_that_are_never_said_together_are_shown_each() -> None:
    found = hits("red car", "red one", *["x"] * 9, "car one")

    assert [(hit.start_ms, shown(hit)) for hit in found] == [
        (0, "[red] one x"),
        (40_000, "[car] one"),
    ]


def test_hits_of_one_word_lie_apart_and_are_few() -> None:
    found = hits("yes", *["yes yes"] * 100)

    assert [hit.start_ms for hit in found] == [0, 12_000, 24_000]
    assert len(found) == MAX_HITS


def test_a_long_line_is_cut_around_the_word() -> None:
    (found,) = hits("needle", "hay " * 500 + "Needle " + "hay " * 500)

    text = shown(found)
    assert "[Needle]" in text
    assert text.startswith("… hay")
    assert text.endswith("…")
    assert len(text) < MAX_SNIPPET_CHARS + 10


@pytest.mark.parametrize(
    ("spoken", "line", "expected"),
    [
        ("strasse", "Die Straße", "Die [Straße]"),
        ("cafe", "un cafe\u0301!", "un [cafe\u0301]!"),
        ("東京都", "私は東京都に行く", "私は[東京都]に行く"),
        ("서울", "서울에서 왔어요", "[서울]에서 왔어요"),
        ("हिन्दी", "मैं हिन्दी बोलता", "मैं [हिन्दी] बोलता"),
        ("sql", "SQL言語 sqlite", "[SQL]言語 [sql]ite"),
        ("istanbul", "İstanbul", "[İstanbul]"),
        # With points, which people leave out when they search.
        ("שלום", "אמר שָׁלוֹם.", "אמר [שָׁלוֹם]."),
        ("كتاب", "هذا كِتَـابٌ", "هذا [كِتَـابٌ]"),
        ("أب", "قال أبٌ لي", "قال [أبٌ] لي"),
        # Narrow kana and parts of syllables, which together are one letter.
        ("テレビ", "ﾃﾚﾋﾞを見る", "[ﾃﾚﾋﾞ]を見る"),
        ("각", "\u1100\u1161\u11a8 소리", "[\u1100\u1161\u11a8] 소리"),
        ("budget", "the bud\u00adget", "the [bud\u00adget]"),
    ],
)
def test_words_of_all_scripts_are_marked(spoken: str, line: str, expected: str) -> None:
    assert shown(hits(spoken, line)[0]) == expected


def test_markup_of_captions_is_not_said() -> None:
    said = spoken_text([Cue(start_ms=5, end_ms=6, text="<v Ann>Hi &amp;\n <b>you</b>")])

    assert (said.starts_ms, said.text) == ([5], "Hi & you")


def test_very_long_captions_are_searched_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spoken_texts, "MAX_SPOKEN_CHARS", 10)
    monkeypatch.setattr(spoken_words, "MAX_INDEX_WORDS", 2)

    said = spoken_text(Cue(start_ms=n, end_ms=n + 1, text="abcd") for n in range(5))

    assert (said.text, said.is_whole) == ("abcd\nabcd", False)
    assert index_words("d c b a") == "c d"
    monkeypatch.setattr(spoken_words, "MAX_INDEX_BYTES", 1)
    assert index_words("d c") == ""


def test_a_very_long_word_is_found_by_its_beginning() -> None:
    word = "a" * 100

    assert SpokenQuery.of(word).words == ["a" * 64]
    assert index_words(f"x {word}") == f"{'a' * 64} x"
    assert hits(word, f"x {word} y")


@given(st.text(max_size=60), st.text(max_size=20))
def test_the_parts_of_a_snippet_are_its_text(line: str, spoken: str) -> None:
    said = spoken_text([Cue(start_ms=0, end_ms=1, text=line)])

    found = find_hits(
        said, SpokenQuery.of(spoken), page_effort(), video_id=VIDEO, language="en"
    )

    for hit in found:
        assert "".join(part.text for part in hit.snippet) == said.text
        assert any(part.is_match for part in hit.snippet)
    words = set(index_words(folded(said.text)).split(" "))
    if spoken.strip() and set(SpokenQuery.of(spoken).words) <= words - {""}:
        assert not SpokenQuery.of(spoken).words or found or len(words) == 1


@pytest.mark.parametrize(
    ("effort", "count"),
    [
        (SearchEffort(chars=1_000, places=100), 1),
        (SearchEffort(chars=1_000, places=20), 0),
        (SearchEffort(chars=50, places=100), 0),
    ],
)
def test_a_search_for_places_ends_with_its_effort(
    effort: SearchEffort, count: int
) -> None:
    said = spoken_text([Cue(start_ms=0, end_ms=1, text="ee " * 20 + "e")])

    found = find_hits(said, SpokenQuery.of("e"), effort, video_id=VIDEO, language="en")

    assert len(found) == count


def test_a_spoken_text_is_not_longer_when_it_is_folded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spoken_texts, "MAX_SPOKEN_CHARS", 1_000)
    # Each of these signs stands for four words.
    cues = [Cue(start_ms=at, end_ms=at + 1, text="\ufdfa" * 10) for at in range(100)]

    said = spoken_text(cues)

    assert said.starts_ms
    assert len(folded(said.text)) <= 1_000


def test_of_many_cues_at_one_moment_the_first_are_shown() -> None:
    found = hits("red car", "red", *["x" * 100] * 5_000, "car", every_ms=1)

    assert len(shown(found[0])) <= MAX_SNIPPET_CHARS + 10
    assert shown(found[0]).startswith("[red] x")


@pytest.mark.parametrize(
    "text",
    [
        " ".join(map(chr, range(0x61, 0x400))),
        "".join(map(chr, range(0x4E00, 0x6000))),
    ],
    ids=["words", "without spaces"],
)
def test_only_so_many_words_are_looked_for(text: str) -> None:
    query = SpokenQuery.of(text)

    assert 0 < len(query.words) <= spoken_words.MAX_SPOKEN_QUERY_WORDS
    assert 0 < len(query.runs) <= len(query.words)


def test_the_snippet_of_a_long_text_without_spaces_has_the_words() -> None:
    (hit,) = hits("東京", "本" * 1_000 + "東京" + "本" * 1_000)

    assert "[東京]" in shown(hit)
    assert len(shown(hit)) <= MAX_SNIPPET_CHARS + 10
