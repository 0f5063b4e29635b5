"""What is said in a video: the text of its captions, and the places where words are said."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.spoken_words import SpokenQuery, folded
from hvcore.domain.videos.transcripts import plain_text

MAX_SPOKEN_CHARS: Final = 2_000_000
"""Of captions in one language that are searched: 36 hours of speech."""
MAX_HITS: Final = 3
"""Of one video in a list."""
MAX_COUNTED: Final = 1_000
"""Of found videos that are counted; further ones are there, and not counted."""
MAX_SNIPPET_CHARS: Final = 200
_SHORT_CHARS: Final = 80
"""A shorter snippet is lengthened by the cue that follows."""
_MOST_SEEN: Final = 20_000
"""Words that are looked at in one text."""
_TOGETHER_MS: Final = 15_000
"""Words that are said within this time are said together."""
_APART_MS: Final = 10_000
"""Between two hits for one word."""


@attrs.frozen(kw_only=True)
class SpokenText:
    """
    What is said in a video by its captions in one language.

    Attributes:
        starts_ms: The start of each cue in the video.
        text: A line for each cue.
    """

    starts_ms: Sequence[int]
    text: str


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
    """Return what the cues of captions say, up to MAX_SPOKEN_CHARS."""
    starts_ms: list[int] = []
    lines: list[str] = []
    chars = 0
    for cue in sorted(cues, key=lambda one: one.start_ms):
        # Also what Python takes for the end of a line and the database does not.
        line = " ".join(plain_text(cue).split())
        chars += len(line) + 1
        if chars > MAX_SPOKEN_CHARS:
            break
        if line:
            starts_ms.append(cue.start_ms)
            lines.append(line)
    return SpokenText(starts_ms=starts_ms, text="\n".join(lines))


def find_hits(
    said: SpokenText, query: SpokenQuery, *, video_id: VideoId, language: str
) -> list[SpokenHit]:
    """Return the first places where all words of a query are said together, else where each is said; MAX_HITS at most."""
    lines = said.text.split("\n")
    text = folded(said.text)
    # In scripts with and without spaces side by side, a word may touch others.
    for is_whole in (True, False):
        pattern = query.pattern(is_whole=is_whole)
        places = _places(said, query, _matches(text, pattern))
        if places:
            return [
                SpokenHit(
                    video_id=video_id,
                    language=language,
                    start_ms=said.starts_ms[first],
                    snippet=_parts(_excerpt(lines, first, last, pattern), pattern),
                )
                for first, last in places
            ]
    return []


def _matches(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yield each word that a pattern finds in a folded text, with the number of its line."""
    at = line = 0
    for match in islice(pattern.finditer(text), _MOST_SEEN):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield match[0], line


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


def _excerpt(
    lines: Sequence[str], first: int, last: int, pattern: re.Pattern[str]
) -> str:
    text = " ".join(lines[first : last + 1])
    if len(text) < _SHORT_CHARS and last + 1 < len(lines):
        text = f"{text} {lines[last + 1]}"
    if len(text) <= MAX_SNIPPET_CHARS:
        return text
    found = pattern.search(folded(text))
    # About there: a text may have other lengths than its folded one.
    start = max(0, found.start() - MAX_SNIPPET_CHARS // 4) if found else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    cut = text[start : start + MAX_SNIPPET_CHARS]
    return f"{'… ' if start else ''}{cut}{' …' if start + len(cut) < len(text) else ''}"


def _parts(text: str, pattern: re.Pattern[str]) -> list[SnippetPart]:
    """Return a text in parts, with what a pattern finds in its folded form as parts of their own."""
    shown: list[str] = []
    owners: list[int] = []
    for number, char in enumerate(text):
        piece = folded(char)
        shown.append(piece)
        owners += [number] * len(piece)
    found: list[SnippetPart] = []
    done = 0
    for match in pattern.finditer("".join(shown)):
        start, end = owners[match.start()], owners[match.end() - 1] + 1
        # Accents that stand behind their letter.
        while end < len(text) and not shown[end]:
            end += 1
        if start > done:
            found.append(SnippetPart(text=text[done:start], is_match=False))
        if end > max(start, done):
            found.append(SnippetPart(text=text[max(start, done) : end], is_match=True))
            done = end
    if done < len(text):
        found.append(SnippetPart(text=text[done:], is_match=False))
    return found
