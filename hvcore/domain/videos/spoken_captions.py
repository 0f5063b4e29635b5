"""
Turn the spoken cues of a transcriber into cues of captions that people can read.

Source: usual guidelines for subtitles: at most two lines of 42 characters, for at most
7 seconds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_text import readable_text
from hvcore.domain.videos.captions import Cue

MAX_LINE_CHARS: Final = 42
MAX_SHOWN_MS: Final = 7_000
_SENTENCE_ENDS: Final = ".?!\u3002\uff1f\uff01"


def caption_cues(cues: Iterable[SpokenCue]) -> list[Cue]:
    """Return the cues of captions for spoken cues, long ones cut between words."""
    found = []
    for cue in cues:
        for start_ms, end_ms, text in _pieces(cue):
            written = readable_text(_plain(_in_lines(text)))
            if written and end_ms > start_ms:
                found.append(Cue(start_ms=start_ms, end_ms=end_ms, text=written))
    return found


def _plain(text: str) -> str:
    # What is heard is no markup, whatever it looks like.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("{", "&#123;")


def _pieces(cue: SpokenCue) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and text of each piece of a cue that is short enough to be read."""
    texts = _texts_of(cue)
    is_short = _fits(cue.text) and cue.end_ms - cue.start_ms <= MAX_SHOWN_MS
    if is_short or len(texts) < len(cue.words):
        yield cue.start_ms, cue.end_ms, cue.text.strip()
        return
    words: list[SpokenWord] = []
    text = ""
    for word, said in zip(cue.words, texts, strict=True):
        is_full = bool(words) and (
            not _fits(text + said)
            or word.end_ms - words[0].start_ms > MAX_SHOWN_MS
            or _ends_sentence(text)
        )
        if is_full:
            yield words[0].start_ms, words[-1].end_ms, text.strip()
            words, text = [], ""
        words.append(word)
        text += said
    yield words[0].start_ms, words[-1].end_ms, text.strip()


def _fits(text: str) -> bool:
    """Return whether a text is at most two lines."""
    return all(
        len(line) <= MAX_LINE_CHARS for line in _in_lines(text.strip()).split("\n")
    )


def _ends_sentence(text: str) -> bool:
    """Return whether a text that is worth a cue of its own ends with a sentence."""
    return len(text) > MAX_LINE_CHARS and text.rstrip()[-1:] in _SENTENCE_ENDS


def _texts_of(cue: SpokenCue) -> Sequence[str]:
    """Return the part of a cue's text for each word; fewer if words are not in the text."""
    starts = []
    at = 0
    for word in cue.words:
        at = cue.text.find(word.text, at)
        if at < 0:
            return []
        starts.append(at)
        at += len(word.text)
    # What stands before the first word belongs to it, and spaces to the word before.
    ends = [*starts[1:], len(cue.text)]
    starts[:1] = [0]
    return [cue.text[start:end] for start, end in zip(starts, ends, strict=True)]


def _in_lines(text: str) -> str:
    """Return a text in two lines of about the same length if it is too long for one."""
    if len(text) <= MAX_LINE_CHARS:
        return text
    spaces = [at for at, char in enumerate(text) if char == " "]
    if not spaces:
        return text
    middle = min(spaces, key=lambda at: abs(2 * at - len(text)))
    return f"{text[:middle]}\n{text[middle + 1 :]}"
