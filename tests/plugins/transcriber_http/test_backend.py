"""A server's faults are told apart: what is tried again, what waits, and what never succeeds."""

import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.plugin_api import (
    SoundFile,
    SpokenCue,
    TranscriptionError,
    TranscriptionOrder,
    UnavailableError,
    UnusableSoundError,
)
from hvcore.services.captions.transcriptions import Transcriptions
from hvcore.testing.fakes import SettableClock
from hvcore.testing.transcriber import tones, write_sound
from hvcore_transcriber_http.backend import HttpTranscriber, make_transcriber
from hvcore_transcriber_http.exchange import Request, exchange
from hvcore_transcriber_http.options import HttpTranscriberOptions
from tests.plugins.transcriber_http.imitated_server import (
    KEY,
    Handler,
    ImitatedServer,
    break_off,
    busy,
    drip,
    go_silent,
)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def transcriber(server: ImitatedServer, waits: list[float]) -> HttpTranscriber:
    return asking(server.url, waits)


def asking(url: str, waits: list[float], **options: float) -> HttpTranscriber:
    given: dict[str, Any] = {"url": url, "key": KEY, "timeout_s": 10.0, **options}
    return HttpTranscriber(
        options=HttpTranscriberOptions(**given),
        clock=SettableClock(),
        sleep=waits.append,
    )


def heard(
    transcriber: HttpTranscriber, sound: SoundFile, language: str | None = None
) -> list[SpokenCue]:
    order = TranscriptionOrder(sound=sound, language=language)
    transcriber.reserve(order)
    return list(transcriber.transcribe(order).cues)


def test_a_request_has_openais_form(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    heard(transcriber, sound, "jv")

    assert server.fields == [
        {
            "model": ["whisper-1"],
            "response_format": ["verbose_json"],
            "timestamp_granularities[]": ["word", "segment"],
            "temperature": ["0"],
            "language": ["jw"],
        }
    ]


@pytest.mark.parametrize("fault", [busy(429), busy(503), busy(502)])
def test_a_busy_server_is_asked_again(
    fault: Callable[[Handler], None],
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
    waits: list[float],
) -> None:
    server.faults += [fault, fault]

    assert [cue.text for cue in heard(transcriber, sound)] == ["one two three"]
    assert sum(waits) == 1 + 2


def test_the_pause_is_that_of_the_server(
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
    waits: list[float],
) -> None:
    server.faults += [busy(429, Retry_After="7")]
    heard(transcriber, sound)

    assert sum(waits) == 7


def test_a_long_pause_is_left_to_the_job(
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
    waits: list[float],
) -> None:
    server.faults += [busy(429, Retry_After="900")]

    with pytest.raises(UnavailableError, match="is busy") as raised:
        heard(transcriber, sound)
    assert (raised.value.retry_after_s, waits) == (900, [])


def test_a_server_that_stays_busy_is_unavailable(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.faults += [busy(503)] * 3

    with pytest.raises(UnavailableError, match="answers 503"):
        heard(transcriber, sound)
    assert len(server.fields) == 3


def test_a_pause_ends_when_nobody_wants_the_words(
    server: ImitatedServer, sound: SoundFile
) -> None:
    server.faults += [busy(503)]
    checks: list[None] = []

    def check() -> None:
        checks.append(None)
        if server.fields:
            raise TimeoutError("nobody wants it")

    made = asking(server.url, [])
    with pytest.raises(TimeoutError, match="nobody wants it"):
        made.transcribe(TranscriptionOrder(sound=sound, check=check))
    assert len(server.fields) == 1


def test_an_answer_that_has_begun_is_left_when_nobody_wants_the_words(
    server: ImitatedServer,
) -> None:
    """
    The connection is readable at once, as TLS connections are by the server's tickets.
    """
    has_begun = threading.Event()

    def begin(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 ")
        has_begun.set()
        go_silent(handler)

    def check() -> None:
        if has_begun.is_set():
            raise RuntimeError("nobody wants it")

    server.faults += [begin]
    asked = Request(method="GET", path="/v1/models")
    with pytest.raises(RuntimeError, match="nobody wants it"):
        exchange(server.url, asked, within_s=5, most_bytes=100, check=check)


@pytest.mark.parametrize("status", [400, 413, 415, 422])
def test_a_refused_sound_waits_for_the_operator(
    status: int,
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
) -> None:
    told = {"error": {"message": f"no verbose_json for {KEY} " + "x" * 1_000}}
    server.faults += [lambda handler: handler.answer(status, told)]

    with pytest.raises(UnavailableError, match="refuses a sound") as raised:
        heard(transcriber, sound)

    host = server.url.removeprefix("http://")
    assert f"{host} refuses a sound of up to 12 MB with {status}" in raised.value.detail
    assert "model in transcriber.options" in raised.value.detail
    assert str(raised.value.said).startswith("no verbose_json for … x")
    assert len(str(raised.value.said)) == 300
    assert len(server.fields) == 1


@pytest.mark.parametrize("wished", [None, "de"])
def test_a_sound_too_short_for_a_word_is_not_sent(
    wished: str | None,
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    tmp_path: Path,
) -> None:
    short = write_sound(tmp_path / "short.wav", tones(90))

    made = transcriber.transcribe(TranscriptionOrder(sound=short, language=wished))

    assert list(made.cues) == []
    assert made.language.code == (wished or min(transcriber.options.known_languages))
    assert server.fields == []


def test_a_request_that_breaks_off_costs_an_attempt_and_is_not_repeated(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.faults += [break_off]

    with pytest.raises(TranscriptionError) as raised:
        heard(transcriber, sound)

    assert "gave no answer: IncompleteRead" in raised.value.log
    assert len(server.fields) == 1


def test_a_server_that_is_not_there_costs_no_attempt(sound: SoundFile) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        made = asking(f"http://127.0.0.1:{closed.getsockname()[1]}", [])

        with pytest.raises(UnavailableError, match="does not answer"):
            heard(made, sound)


@pytest.mark.parametrize("status", [401, 403, 404, 301])
def test_a_wrong_setting_waits_for_the_operator(
    status: int,
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
) -> None:
    server.faults += [busy(status, Location="/elsewhere")]

    with pytest.raises(UnavailableError, match="correct url, model or key"):
        heard(transcriber, sound)
    assert len(server.fields) == 1


def test_a_server_that_fails_costs_an_attempt(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.faults += [busy(500)]

    with pytest.raises(TranscriptionError, match="server failed"):
        heard(transcriber, sound)


@pytest.mark.parametrize("fault", [go_silent, drip])
def test_an_answer_has_a_deadline(
    fault: Callable[[Handler], None], server: ImitatedServer, sound: SoundFile
) -> None:
    server.faults += [fault]
    made = asking(server.url, [], timeout_s=0.4)

    with pytest.raises(TranscriptionError) as raised:
        heard(made, sound)
    assert "see timeout_s" in raised.value.log
    assert len(server.fields) == 1


def test_an_answer_has_a_bounded_size(server: ImitatedServer, sound: SoundFile) -> None:
    server.faults += [lambda handler: handler.answer(200, "x" * 2_000_000)]
    made = asking(server.url, [], max_answer_mb=1)

    with pytest.raises(TranscriptionError) as raised:
        heard(made, sound)
    assert "too large" in raised.value.log


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda told: {key: value for key, value in told.items() if key != name}


def with_word(**changed: object) -> Callable[[dict[str, Any]], object]:
    return lambda told: {**told, "words": [{**told["words"][0], **changed}]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: "text", "no object"),
        (without("segments"), "segments is missing"),
        (without("words"), "no times of words"),
        (without("language"), "language 'NoneType' is none of the known"),
        (
            lambda told: {**told, "language": "said " * 99},
            "'said said said said ' is none",
        ),
        (lambda told: {**told, "duration": "²"}, "duration is no number"),
        (with_word(end=10**400), "end is no usable number"),
        (lambda told: {**told, "language": "klingon"}, "'klingon'"),
        (lambda told: {**told, "duration": 31.0}, "31.0 s of sound"),
        (lambda told: {**told, "duration": "31.0"}, "31.0 s of sound"),
        (lambda told: {**told, "duration": []}, "duration is no number"),
        (lambda told: {**told, "segments": [7]}, "segments is missing"),
        (lambda told: {**told, "segments": [{"end": 1}]}, "a text is missing"),
        (with_word(start="0"), "start is no number"),
        (with_word(start=True), "start is no number"),
        (with_word(end=float("nan")), "end is no usable number"),
        (with_word(end=1e300), "end is no usable number"),
        (with_word(word=None), "a text is missing"),
        (with_word(word=" "), "no times of words"),
        (with_word(probability="much"), "probability is no number"),
    ],
)
def test_half_answers_are_refused(
    change: Callable[[dict[str, Any]], object],
    says: str,
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
) -> None:
    server.change = change

    with pytest.raises(TranscriptionError) as raised:
        heard(transcriber, sound)
    assert says in raised.value.log


def answered(
    segments: list[tuple[float, float, str]], words: list[tuple[float, float, str]]
) -> dict[str, Any]:
    """Return an answer in OpenAI's form, with the words beside the segments."""
    return {
        "language": "english",
        "segments": [
            {"start": start, "end": end, "text": text, "avg_logprob": -0.2}
            for start, end, text in segments
        ],
        "words": [
            {"start": start, "end": end, "word": word} for start, end, word in words
        ],
    }


def test_a_segment_whose_words_lie_beside_it_has_its_own_times(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    segments = [(0.0, 0.5, " Are you there?"), (0.5, 0.7, " Oh, yes."), (0.7, 1, " Go")]
    words = [(0.0, 0.2, "Are"), (0.2, 0.3, "you"), (0.3, 0.38, "there")]
    words += [(0.4, 0.44, "Oh"), (0.44, 0.48, "yes"), (0.7, 0.8, "Go")]
    server.change = lambda _: answered(segments, words)

    cues = heard(transcriber, sound)

    assert [cue.text for cue in cues] == ["Are you there?", "Oh, yes.", "Go"]
    assert [(word.text, word.start_ms, word.end_ms) for word in cues[1].words] == [
        ("Oh,", 500, 600),
        ("yes.", 600, 700),
    ]
    assert round(cues[1].words[0].confidence, 2) == 0.82


def test_each_word_is_kept_once_though_times_run_back(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    segments = [(0.0, 0.5, " Are you"), (0.5, 1, " there now?")]
    words = [(0.0, 0.2, "Are"), (0.6, 0.7, "there"), (0.3, 0.4, "now")]
    server.change = lambda _: answered(segments, words)

    cues = heard(transcriber, sound)

    said = [[word.text for word in cue.words] for cue in cues]
    assert said == [["Are"], ["there", "now"]]


@pytest.mark.parametrize("text", ["♪♪", "..."])
def test_a_segment_of_signs_without_words_is_left_out(
    text: str, server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.change = lambda _: answered([(0.0, 1.0, text)], [])

    assert heard(transcriber, sound) == []


@pytest.mark.parametrize("missing", [None, []])
def test_a_segment_may_have_no_words_where_others_have_some(
    missing: object,
    server: ImitatedServer,
    transcriber: HttpTranscriber,
    sound: SoundFile,
) -> None:
    def add(told: dict[str, Any]) -> object:
        told["segments"] += [
            {"start": 0.9, "end": 1.0, "text": "Bye", "words": missing}
        ]
        return told

    server.has_inner_words = True
    server.change = add

    assert [cue.text for cue in heard(transcriber, sound)] == ["one two three", "Bye"]


def test_an_answer_that_is_no_json_is_refused(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    def write(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{")
        handler.close_connection = True

    server.faults += [write]

    with pytest.raises(TranscriptionError) as raised:
        heard(transcriber, sound)
    assert raised.value.log == "it is not JSON"


def test_segments_that_were_invented_are_left_out(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    def invent(told: dict[str, Any]) -> object:
        told["segments"][0] |= {"no_speech_prob": 0.9, "avg_logprob": -1.5}
        return told

    server.change = invent

    assert heard(transcriber, sound) == []


def test_times_outside_the_sound_are_moved_into_it(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.change = with_word(start=-1.0, end=30.0)
    (cue,) = heard(transcriber, sound)

    assert (cue.start_ms, cue.end_ms) == (0, 1_000)


def test_words_have_the_confidence_of_their_segment(
    transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    (cue,) = heard(transcriber, sound)

    assert {round(word.confidence, 2) for word in cue.words} == {0.82}


def test_words_may_have_a_confidence_of_their_own(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.has_inner_words = True
    (cue,) = heard(transcriber, sound)

    assert {word.confidence for word in cue.words} == {0.9}


def test_a_server_may_say_how_sure_it_is_of_a_language(
    server: ImitatedServer, transcriber: HttpTranscriber, sound: SoundFile
) -> None:
    server.change = lambda told: {**told, "language_probability": 0.7}

    made = transcriber.transcribe(TranscriptionOrder(sound=sound))

    assert (made.language.code, made.language.probability) == ("en", 0.7)


def test_a_daily_limit_of_sound_is_kept(
    server: ImitatedServer, sound: SoundFile, sqlite: Engine
) -> None:
    clock = SettableClock(datetime(2026, 1, 2, 23, 0, tzinfo=UTC))
    options = HttpTranscriberOptions(url=server.url, key=KEY, daily_limit_s=2)
    made = make_transcriber(options, clock=clock, database=PluginDatabase(sqlite))
    for _ in range(2):
        heard(made, sound)

    with pytest.raises(UnavailableError, match="daily limit") as raised:
        heard(made, sound)
    assert raised.value.retry_after_s == 3_601
    assert len(server.fields) == 2

    clock.move(timedelta(hours=2))
    heard(made, sound)
    assert len(server.fields) == 3


def test_a_daily_limit_is_kept_by_workers_whose_children_transcribe(
    server: ImitatedServer, sound: SoundFile, sqlite: Engine
) -> None:
    options = HttpTranscriberOptions(url=server.url, key=KEY, daily_limit_s=1)
    database = PluginDatabase(sqlite)
    made = make_transcriber(options, clock=SettableClock(), database=database)
    worker = Transcriptions(transcriber=made)

    told = worker.hear(worker.reserve(sound, "en", "org_a"), lambda: None)

    assert [cue.text for cue in told.cues] == ["one two three"]
    with pytest.raises(UnavailableError, match="daily limit"):
        worker.reserve(sound, "en", "org_a")
    assert len(server.fields) == 1


@pytest.mark.parametrize(
    ("fault", "costs"),
    [(busy(429), False), (busy(503), False), (busy(413), False), (busy(500), True)],
)
def test_a_sound_that_the_server_did_not_take_costs_nothing_of_the_daily_limit(
    fault: Callable[[Handler], None],
    costs: bool,  # noqa: FBT001 - a case
    server: ImitatedServer,
    sound: SoundFile,
    sqlite: Engine,
) -> None:
    limits = {"daily_limit_s": 2, "organization_daily_limit_s": 2}
    options = HttpTranscriberOptions(url=server.url, key=KEY, attempts=1, **limits)
    made = make_transcriber(
        options, clock=SettableClock(), database=PluginDatabase(sqlite)
    )
    worker = Transcriptions(transcriber=made)
    server.faults += [fault]
    with pytest.raises((UnavailableError, TranscriptionError)):
        worker.hear(worker.reserve(sound, "en", "org_a"), lambda: None)

    for _ in range(1 if costs else 2):
        worker.reserve(sound, "en", "org_a")

    with pytest.raises(UnavailableError, match="daily limit"):
        worker.reserve(sound, "en", "org_a")


def test_a_sound_above_the_daily_limit_is_never_sent(
    server: ImitatedServer, tmp_path: Path, sqlite: Engine
) -> None:
    options = HttpTranscriberOptions(url=server.url, key=KEY, daily_limit_s=2)
    database = PluginDatabase(sqlite)
    made = make_transcriber(options, clock=SettableClock(), database=database)

    with pytest.raises(UnusableSoundError, match="longer than"):
        heard(made, write_sound(tmp_path / "b.wav", tones(3_000)))
    assert server.fields == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (busy(500), "server failed"),
        (busy(403), "answers 403"),
        (go_silent, "does not answer"),
    ],
)
def test_a_fault_of_the_server_is_told_to_operators(
    fault: Callable[[Handler], None], words: str, server: ImitatedServer
) -> None:
    server.faults += [fault]

    with pytest.raises((UnavailableError, TranscriptionError), match=words):
        asking(server.url, [], timeout_s=0.4).ping()


def test_a_server_that_lists_no_models_is_there(server: ImitatedServer) -> None:
    server.faults += [busy(404)]

    asking(server.url, []).ping()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"url": "ftp://a"}, "url must be http"),
        ({"url": "https://a:b@c"}, "without user and password"),
        ({"key": "a\n"}, "printable ASCII"),
        ({"model": "a b"}, "model must be a name"),
        ({"languages": "en,en-US"}, "not 'en-US'"),
        ({"timeout_s": 0}, "timeout_s must be more than 0"),
        ({"attempts": 0}, "attempts must be from 1"),
        ({"daily_limit_s": -1}, "daily_limit_s must be 0 or more"),
        ({"max_answer_mb": 0}, "max_answer_mb must be from 1"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        HttpTranscriberOptions(**{"url": "https://speech.example.com", **wrong})


def test_languages_may_be_fewer(transcriber: HttpTranscriber) -> None:
    few = HttpTranscriberOptions(url="http://a", languages="de, en")

    assert few.known_languages == {"de", "en"}
    assert len(transcriber.capabilities().languages) == 100
