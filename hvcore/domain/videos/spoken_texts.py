"""Spoken texts: the text of a video's captions, and the places where searched words are in it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.spoken_words import SearchEffort, SpokenQuery, folded
from hvcore.domain.videos.transcripts import plain_text

MAX_SPOKEN_CHARS: Final = 500_000
"""Of captions in one language that are searched: nine hours of speech."""
MAX_VIDEO_SPOKEN_CHARS: Final = 5_000_000
"""Of the captions of one video that are searched: ten languages of the most, or 50 of a film's 60,000."""
MAX_HITS: Final = 3
"""Of one video in a list."""
MAX_COUNTED: Final = 1_000
"""Of found videos that are counted; further ones are there, and not counted."""
MAX_SNIPPET_CHARS: Final = 200
_SHORT_CHARS: Final = 80
"""A shorter snippet is lengthened by the cue that follows."""
_MOST_SEEN: Final = 20_000
"""Words that are looked at in one text."""
_CHARS_OF_PAGE: Final = 4_000_000
"""Characters of texts in which places are looked for, for one page: 70 hours of speech, 0.5 s if they have accents."""
_PLACES_OF_PAGE: Final = 100_000
"""Places that are looked at for one page: 0.1 s."""
_SNIPPET_LINES: Final = 10
"""From which a snippet is cut: of a hundred thousand cues at one moment the first are enough."""
_TOGETHER_MS: Final = 15_000
"""Words that are said within this time are said together."""
_APART_MS: Final = 10_000
"""Between two hits for one word."""


@attrs.frozen(kw_only=True)
class SpokenText:
    """
    The spoken text of a video: the text of its captions in one language.

    Attributes:
        starts_ms: The start of each cue in the video.
        text: A line for each cue.
        is_whole: Whether no cue is left out for its length.
    """

    starts_ms: Sequence[int]
    text: str
    is_whole: bool = True


@attrs.frozen(kw_only=True)
class SnippetPart:
    """A part of a snippet: words that were looked for, or the text between them."""

    text: str
    is_match: bool


@attrs.frozen(kw_only=True)
class SpokenHit:
    """
    A place in a video where words are said.

    Attributes:
        language: The language of the captions.
        start_ms: The start of the cue in the video.
        snippet: The text there, in parts; it is plain text and no markup.
    """

    video_id: VideoId
    language: str
    start_ms: int
    snippet: Sequence[SnippetPart]


def spoken_text(cues: Iterable[Cue]) -> SpokenText:
    """Return the spoken text of the cues of captions, up to MAX_SPOKEN_CHARS in its folded form, too."""
    starts_ms: list[int] = []
    lines: list[str] = []
    chars = 0
    is_whole = True
    for cue in sorted(cues, key=lambda one: one.start_ms):
        # Also what Python takes for the end of a line and the database does not.
        line = " ".join(plain_text(cue).split())
        # One sign may stand for eighteen letters.
        chars += max(len(line), len(folded(line))) + 1
        if chars > MAX_SPOKEN_CHARS:
            is_whole = False
            break
        if line:
            starts_ms.append(cue.start_ms)
            lines.append(line)
    return SpokenText(starts_ms=starts_ms, text="\n".join(lines), is_whole=is_whole)


def page_effort() -> SearchEffort:
    """Return the effort that the texts of one page of a list are worth to the search for places."""
    return SearchEffort(chars=_CHARS_OF_PAGE, places=_PLACES_OF_PAGE)


def find_hits(
    said: SpokenText,
    query: SpokenQuery,
    effort: SearchEffort,
    *,
    video_id: VideoId,
    language: str,
) -> list[SpokenHit]:
    """
    Return the first places where all words of a query are said together, else where each is said; MAX_HITS at most.

    Args:
        effort: What may still be looked at; there are no further places when it is used up.
    """
    effort.chars -= len(said.text)
    if effort.chars < 0:
        return []
    lines = said.text.split("\n")
    text = folded(said.text)
    # In scripts with and without spaces side by side, a word may touch others.
    for are_whole in (True, False):
        matches = query.matches(text, effort, are_whole=are_whole)
        places = _places(said, query, _lines_of(text, matches))
        if places:
            return [
                SpokenHit(
                    video_id=video_id,
                    language=language,
                    start_ms=said.starts_ms[first],
                    snippet=_snippet(lines, first, last, query, are_whole=are_whole),
                )
                for first, last in places
            ]
    return []


def _lines_of(
    text: str, matches: Iterable[tuple[int, str]]
) -> Iterator[tuple[str, int]]:
    """Yield each word that was found in a text, with the number of its line."""
    done = line = 0
    for at, word in islice(matches, _MOST_SEEN):
        line += text.count("\n", done, at)
        done = at
        yield word, line


def _places(
    said: SpokenText, query: SpokenQuery, matches: Iterable[tuple[str, int]]
) -> list[tuple[int, int]]:
    """Return the first and the last line of each place."""
    together: list[tuple[int, int]] = []
    alone: dict[str, int] = {}
    latest: dict[str, int] = {}
    for word, line in matches:
        alone.setdefault(word, line)
        latest[word] = line
        if len(latest) < len(query.runs):
            continue
        first = min(latest.values())
        start_ms = said.starts_ms[first]
        if said.starts_ms[line] - start_ms > _TOGETHER_MS:
            continue
        if together and start_ms - said.starts_ms[together[-1][0]] < _APART_MS:
            continue
        together.append((first, line))
        latest = {}
        if len(together) == MAX_HITS:
            break
    each = sorted(set(alone.values()))[:MAX_HITS]
    return together or [(line, line) for line in each]


def _snippet(
    lines: Sequence[str],
    first: int,
    last: int,
    query: SpokenQuery,
    *,
    are_whole: bool,
) -> list[SnippetPart]:
    text = " ".join(lines[first : min(last + 1, first + _SNIPPET_LINES)])
    if len(text) < _SHORT_CHARS and last + 1 < len(lines):
        text = f"{text} {lines[last + 1]}"
    if len(text) > MAX_SNIPPET_CHARS:
        text = _cut(text, query, are_whole=are_whole)
    shown, owners = _folded_with_places(text)
    parts: list[SnippetPart] = []
    done = 0
    for at, word in query.matches(shown, page_effort(), are_whole=are_whole):
        last = at + len(word)
        # With accents that stand behind their letter, and with the whole of a sign that
        # stands for several letters.
        start, end = max(owners[at], done), max(owners[last], owners[last - 1] + 1)
        if start >= end:
            continue
        parts.append(SnippetPart(text=text[done:start], is_match=False))
        parts.append(SnippetPart(text=text[start:end], is_match=True))
        done = end
    parts.append(SnippetPart(text=text[done:], is_match=False))
    return [part for part in parts if part.text]


def _cut(text: str, query: SpokenQuery, *, are_whole: bool) -> str:
    """Return the part of a long text in which the first word of a query is."""
    matches = query.matches(folded(text), page_effort(), are_whole=are_whole)
    at, _ = next(matches, (0, ""))
    # About there: a text may have another length than its folded form.
    start = max(0, at - MAX_SNIPPET_CHARS // 4)
    if start:
        # Of a text without spaces, at this very place.
        space = text.rfind(" ", max(0, start - MAX_SNIPPET_CHARS // 4), start)
        start = space + 1 if space >= 0 else start
    cut = text[start : start + MAX_SNIPPET_CHARS]
    is_end = start + len(cut) >= len(text)
    return f"{'… ' if start else ''}{cut}{'' if is_end else ' …'}"


def _folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded form of a text, and for each of its characters and its end the place in the text."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    pieces: list[tuple[int, str]] = []
    for place, char in enumerate(text):
        piece = folded(char)
        if pieces:
            start, last = pieces[-1]
            # Such as half a letter of kana and the sign that voices it.
            joined = folded(text[start : place + 1])
            if joined != last + piece:
                pieces[-1] = (start, joined)
                continue
        pieces.append((place, piece))
    owners = [start for start, piece in pieces for _ in piece]
    return "".join(piece for _, piece in pieces), [*owners, len(text)]
