"""Write the cues of captions as SubRip, as plain text, and as a transcript."""

import re
from collections.abc import Iterable
from html import unescape

from hvcore.domain.processing.speech import SpokenCue
from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import Cue

_TAG = re.compile("<[^<>]*>")


def plain_text(cue: Cue) -> str:
    """Return the text of a cue as people read it, without WebVTT's tags and references."""
    return unescape(_TAG.sub("", cue.text))


def transcript_of(language: str, cues: Iterable[Cue]) -> Transcript:
    """Return the transcript of captions whose words have no times of their own."""
    return Transcript(language=language, cues=tuple(map(_spoken, cues)))


def write_text(cues: Iterable[Cue]) -> bytes:
    """Return the text of cues, a line for each."""
    lines = [" ".join(plain_text(cue).split()) + "\n" for cue in cues]
    return "".join(lines).encode()


def write_subrip(cues: Iterable[Cue]) -> bytes:
    """Return the bytes of a SubRip file with some cues."""
    blocks = [
        f"{number}\n{_time(cue.start_ms)} --> {_time(cue.end_ms)}\n{_lines(cue)}\n"
        for number, cue in enumerate(cues, start=1)
    ]
    return "\n".join(blocks).encode()


def _spoken(cue: Cue) -> SpokenCue:
    text = " ".join(plain_text(cue).split())
    return SpokenCue(start_ms=cue.start_ms, end_ms=cue.end_ms, text=text, words=())


def _lines(cue: Cue) -> str:
    # An empty line would end the cue, and an arrow begin another one.
    lines = [line for line in plain_text(cue).split("\n") if line.strip()]
    return "\n".join(lines).replace("-->", "->")


def _time(moment_ms: int) -> str:
    seconds, rest = divmod(moment_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02},{rest:03}"
