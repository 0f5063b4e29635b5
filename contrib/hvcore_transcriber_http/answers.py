"""
Read a server's answer, and refuse one that is not whole.

Source: OpenAI API reference, "Create transcription", the verbose JSON object; servers of
    others put the words into the segments, and add their probabilities.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from hvcore.plugin_api import SpokenCue, SpokenLanguage, SpokenWord
from hvcore_transcriber_http.languages import subtag_of

_DURATION_SLACK_S: Final = 2.0
"""The most by which a server's rounded duration of a sound may differ from the true one."""
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,20})?")
_NO_SPEECH: Final = 0.6
_UNLIKELY: Final = -1.0
"""A segment that is probably none and is made of unlikely words was invented in silence, by Whisper's own rule."""


class UnusableAnswerError(Exception):
    """Say to operators why an answer is refused."""


@attrs.frozen(kw_only=True)
class ReadAnswer:
    """The language and the cues of an answer."""

    language: SpokenLanguage
    cues: Sequence[SpokenCue]


def read_answer(
    body: bytes, *, wished: str | None, known: frozenset[str], duration_ms: int
) -> ReadAnswer:
    """
    Return the language and the cues of an answer.

    Args:
        wished: The language that was asked for; None if the server told it.
        known: The languages that a server may tell.

    Raises:
        UnusableAnswerError: The answer is not JSON, not whole, or has no times of words.
    """
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise UnusableAnswerError("it is not JSON") from exc
    if not isinstance(told, dict):
        raise UnusableAnswerError("it is no object")
    _check_duration(told.get("duration"), duration_ms)
    segments = _objects(told, "segments")
    return ReadAnswer(
        language=_language(told, wished, known),
        cues=tuple(_cues(segments, _words_of_segments(told, segments), duration_ms)),
    )


def _check_duration(duration: object, duration_ms: int) -> None:
    if duration is None:
        return
    # Some servers tell it as a text.
    heard_s = _number(
        float(duration)
        if isinstance(duration, str) and _NUMBER.fullmatch(duration)
        else duration,
        "duration",
    )
    if abs(heard_s - duration_ms / 1000) > _DURATION_SLACK_S:
        raise UnusableAnswerError(
            f"it is about {heard_s:.1f} s of sound, and {duration_ms / 1000:.1f} s were sent"
        )


def _language(
    told: Mapping[str, Any], wished: str | None, known: frozenset[str]
) -> SpokenLanguage:
    if wished is not None:
        return SpokenLanguage(code=wished)
    name = told.get("language")
    if not isinstance(name, str) or subtag_of(name) not in known:
        # Bounded, since a server may put all that is said there.
        told_name = repr(name[:20] if isinstance(name, str) else type(name).__name__)
        raise UnusableAnswerError(f"its language {told_name} is none of the known ones")
    sure = told.get("language_probability")
    probability = None if sure is None else _number(sure, "language_probability")
    return SpokenLanguage(code=subtag_of(name), probability=probability)


def _words_of_segments(
    told: Mapping[str, Any], segments: Sequence[Mapping[str, Any]]
) -> list[list[Mapping[str, Any]]]:
    """Return the words of each segment, which are in it or beside all of them."""
    if any(segment.get("words") for segment in segments):
        return [
            _objects(segment, "words") if segment.get("words") else []
            for segment in segments
        ]
    words = _objects(told, "words") if told.get("words") else []
    ends_s = [_number(segment.get("end"), "end") for segment in segments]
    found: list[list[Mapping[str, Any]]] = [[] for _ in segments]
    at = 0
    for word in words if found else ():
        # Each once and in the order of the answer, also where times run back.
        middle_s = _middle_s(word)
        while at < len(segments) - 1 and middle_s >= ends_s[at]:
            at += 1
        found[at].append(word)
    return found


def _cues(
    segments: Sequence[Mapping[str, Any]],
    words: Sequence[Sequence[Mapping[str, Any]]],
    duration_ms: int,
) -> Iterator[SpokenCue]:
    has_times = any(_text(word.get("word")) for own in words for word in own)
    at_ms = 0
    for segment, own in zip(segments, words, strict=True):
        text = _text(segment.get("text"))
        if not text or _is_invented(segment):
            continue
        timed = [word for word in own if _text(word.get("word"))]
        if not timed and not any(char.isalnum() for char in text):
            # Notes stand for music, in which nothing is said.
            continue
        if not has_times:
            raise UnusableAnswerError(
                "it has no times of words: the server must know "
                "timestamp_granularities[]=word"
            )
        made: list[SpokenWord] = []
        for word in timed or _spread_words(segment, text):
            # Servers round: no time may run back, and none lies outside the sound.
            start_ms = min(max(_ms(word, "start"), at_ms), duration_ms)
            at_ms = min(max(_ms(word, "end"), start_ms), duration_ms)
            made.append(
                SpokenWord(
                    text=_text(word.get("word")),
                    start_ms=start_ms,
                    end_ms=at_ms,
                    confidence=_confidence(word, segment),
                )
            )
        yield SpokenCue(
            start_ms=made[0].start_ms,
            end_ms=made[-1].end_ms,
            text=text,
            words=tuple(made),
        )


def _spread_words(segment: Mapping[str, Any], text: str) -> list[Mapping[str, Any]]:
    """
    Return the words of a segment's text, spread evenly over its time.

    OpenAI's servers find the times of words and those of segments in different ways: a word
    may lie beside its segment, which then has none.
    """
    start_s, end_s = (_number(segment.get(name), name) for name in ("start", "end"))
    texts = text.split()
    word_s = (end_s - start_s) / len(texts)
    return [
        {
            "word": one,
            "start": start_s + at * word_s,
            "end": start_s + (at + 1) * word_s,
        }
        for at, one in enumerate(texts)
    ]


def _is_invented(segment: Mapping[str, Any]) -> bool:
    silent = _number(segment.get("no_speech_prob", 0), "no_speech_prob")
    likely = _number(segment.get("avg_logprob", 0), "avg_logprob")
    return silent > _NO_SPEECH and likely < _UNLIKELY


def _confidence(word: Mapping[str, Any], segment: Mapping[str, Any]) -> float:
    """Return the word's own, or that of its segment; 1 if the server tells none."""
    if "probability" in word:
        given = _number(word["probability"], "probability")
    else:
        given = math.exp(
            min(0.0, _number(segment.get("avg_logprob", 0), "avg_logprob"))
        )
    return min(1.0, max(0.0, given))


def _middle_s(word: Mapping[str, Any]) -> float:
    return (_number(word.get("start"), "start") + _number(word.get("end"), "end")) / 2


def _ms(word: Mapping[str, Any], name: str) -> int:
    return round(_number(word.get(name), name) * 1000)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise UnusableAnswerError("a text is missing")
    return value.strip()


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnusableAnswerError(f"{name} is no number")
    # Not a number is in no range, and a whole number of 400 digits is in none, either.
    if not -1e9 < value < 1e9:  # noqa: PLR2004 - nobody speaks so long
        raise UnusableAnswerError(f"{name} is no usable number")
    return float(value)


def _objects(told: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    listed = told.get(name)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise UnusableAnswerError(f"{name} is missing")
    return listed
