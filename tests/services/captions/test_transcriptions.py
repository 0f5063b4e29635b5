"""
Transcribers in a child process: what they tell, and how they fail.
"""

import errno
import math
import os
import signal
import subprocess
import time
import wave
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from hvcore.domain.processing.speech import (
    SOUND_RATE_HZ,
    SoundFile,
    SpokenCue,
    SpokenLanguage,
    SpokenWord,
    TranscriptionError,
    TranscriptionOrder,
    UnusableSoundError,
)
from hvcore.errors import UnavailableError
from hvcore.ports.transcriber import (
    Transcriber,
    TranscriberCapabilities,
    Transcription,
)
from hvcore.services.captions import transcriptions
from hvcore.services.captions.transcriptions import HeardSound, Transcriptions
from hvcore.services.tasks.leases import TaskStopped
from hvcore.services.tasks.outages import is_outage
from hvcore.testing.memory_transcriber import MemoryTranscriber


@attrs.frozen
class Told(Transcriber):
    """
    Tells the cues that a function returns, in the child.
    """

    tell: Callable[[], list[SpokenCue]]
    language: SpokenLanguage = SpokenLanguage(code="en")
    released: list[str] = attrs.field(factory=list)

    def capabilities(self) -> TranscriberCapabilities:
        return TranscriberCapabilities(name="told", languages=frozenset({"de", "en"}))

    def release(self, order: TranscriptionOrder) -> None:
        """
        Note the order.
        """
        self.released.append(order.id)

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        """
        Call the function when the first cue is asked for.
        """
        del order

        def cues() -> Generator[SpokenCue, None, None]:
            yield from self.tell()

        return Transcription(language=self.language, cues=cues())


def cue(start_ms: int, end_ms: int) -> SpokenCue:
    word = SpokenWord(text="x", start_ms=start_ms, end_ms=end_ms, confidence=1.0)
    return SpokenCue(start_ms=start_ms, end_ms=end_ms, text="x", words=(word,))


@pytest.fixture
def sound(tmp_path: Path) -> SoundFile:
    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, SOUND_RATE_HZ, 0, "NONE", ""))
        file.writeframes(b"\x40\x10" * SOUND_RATE_HZ)
    return SoundFile(path=path, duration_ms=1_000)


def hear(
    tell: Callable[[], list[SpokenCue]], sound: SoundFile, **limits: float
) -> HeardSound:
    made = Transcriptions(transcriber=Told(tell), **limits)
    return made.hear(made.reserve(sound, None, "org_a"), lambda: None)


def test_a_transcriber_works_in_a_process_of_its_own(sound: SoundFile) -> None:
    transcriber = MemoryTranscriber()

    order = TranscriptionOrder(sound=sound, language="de")
    heard = Transcriptions(transcriber=transcriber).hear(order, lambda: None)

    assert heard.language.code == "de"
    assert [one.text for one in heard.cues] == ["one two three"]
    assert transcriber.orders == []


def test_each_cue_is_within_the_sound_and_behind_the_one_before(
    sound: SoundFile,
) -> None:
    told = [cue(-50, 100), cue(80, 200), cue(150, 180), cue(900, 1_200), cue(1_300, 9)]

    heard = hear(lambda: told, sound)

    assert [(one.start_ms, one.end_ms) for one in heard.cues] == [
        (0, 100),
        (100, 200),
        (900, 1_000),
    ]


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (UnusableSoundError("It is odd."), UnusableSoundError, "It is odd."),
        (UnavailableError("Later."), UnavailableError, "Later."),
        (TranscriptionError("Lost.", log="x"), TranscriptionError, "Lost."),
        (MemoryError(), TranscriptionError, "could not be written down"),
    ],
)
def test_the_errors_of_a_transcriber_reach_the_task(
    error: Exception, kind: type[Exception], text: str, sound: SoundFile
) -> None:
    def tell() -> list[SpokenCue]:
        raise error

    with pytest.raises(kind, match=text):
        hear(tell, sound)


def test_what_an_unavailable_server_says_reaches_the_task(sound: SoundFile) -> None:
    def tell() -> list[SpokenCue]:
        raise UnavailableError("Later.", retry_after_s=900, said="Too large.")

    with pytest.raises(UnavailableError, match="Later") as raised:
        hear(tell, sound)

    assert (raised.value.retry_after_s, raised.value.said) == (900, "Too large.")


def test_an_unknown_error_is_logged_without_its_text(sound: SoundFile) -> None:
    def tell() -> list[SpokenCue]:
        raise KeyError("what was said")

    with pytest.raises(TranscriptionError) as raised:
        hear(tell, sound)

    assert raised.value.log.startswith("KeyError in test_transcriptions.py, line ")
    assert "said" not in raised.value.log


def test_malformed_cues_are_told_without_their_text(sound: SoundFile) -> None:
    odd = attrs.evolve(cue(0, 100), start_ms="what was said")  # type: ignore[arg-type]  # a plugin's fault

    with pytest.raises(TranscriptionError) as raised:
        hear(lambda: [odd], sound)

    assert raised.value.log == "the cues are malformed"
    assert raised.value.__suppress_context__


def test_half_a_character_of_a_transcriber_is_replaced(sound: SoundFile) -> None:
    word = SpokenWord(text="a\ud83d", start_ms=0, end_ms=9, confidence=1.0)
    told = SpokenCue(start_ms=0, end_ms=9, text="a\ud83d", words=(word,))

    (found,) = hear(lambda: [told], sound).cues

    assert (found.text, found.words[0].text) == ("a?", "a?")


def test_values_that_json_does_not_know_fail_with_a_reason(sound: SoundFile) -> None:
    odd = attrs.evolve(cue(0, 100), start_ms=object())  # type: ignore[arg-type]  # a plugin's fault

    with pytest.raises(TranscriptionError) as raised:
        hear(lambda: [odd], sound)

    assert raised.value.log.startswith("TypeError in ")


def test_each_word_is_within_its_cue_and_behind_the_one_before(
    sound: SoundFile,
) -> None:
    given = [(-50, 80, 0.5), (40, 20, math.nan), (100, 900, 7.0), (950, 1_300, -1.0)]
    words = tuple(
        SpokenWord(text="x", start_ms=start, end_ms=end, confidence=confidence)
        for start, end, confidence in given
    )
    told = attrs.evolve(cue(10, 700), text="x x x x", words=words)

    (found,) = hear(lambda: [told], sound).cues

    assert [(one.start_ms, one.end_ms, one.confidence) for one in found.words] == [
        (10, 80, 0.5),
        (80, 80, 0.0),
        (100, 700, 1.0),
        (700, 700, 0.0),
    ]


@pytest.mark.parametrize(("asked", "told"), [(None, "../x"), ("de", "en")])
def test_a_language_that_nobody_knows_or_asked_for_fails_the_attempt(
    asked: str | None, told: str, sound: SoundFile
) -> None:
    transcriber = Told(list, SpokenLanguage(code=told))
    order = TranscriptionOrder(sound=sound, language=asked)

    with pytest.raises(TranscriptionError) as raised:
        Transcriptions(transcriber=transcriber).hear(order, lambda: None)

    assert repr(told) in raised.value.log


def test_programs_that_a_transcriber_started_end_with_it(
    sound: SoundFile, tmp_path: Path
) -> None:
    started = tmp_path / "pid"

    def tell() -> list[SpokenCue]:
        program = subprocess.Popen(["sleep", "600"])
        started.write_text(f"{program.pid}")
        return [cue(0, 100)]

    hear(tell, sound)

    program = int(started.read_text())
    ends_at_s = time.monotonic() + 10
    try:
        while _runs(program):
            assert time.monotonic() < ends_at_s, "the program outlives its transcriber"
    finally:
        with suppress(ProcessLookupError):
            os.kill(program, signal.SIGKILL)


def test_a_process_that_a_transcriber_forked_does_not_delay_its_answer(
    sound: SoundFile, tmp_path: Path
) -> None:
    forked = tmp_path / "pid"

    def tell() -> list[SpokenCue]:
        child = os.fork()
        if child == 0:
            # It has the pipe of the answer, too, and another session.
            os.setsid()
            signal.alarm(60)
            signal.pause()
        forked.write_text(f"{child}")
        return [cue(0, 100)]

    try:
        heard = hear(tell, sound, most_s=20)
    finally:
        os.kill(int(forked.read_text()), signal.SIGKILL)

    assert [one.end_ms for one in heard.cues] == [100]


def test_a_killed_transcriber_fails_at_once_though_a_process_that_it_forked_goes_on(
    sound: SoundFile, tmp_path: Path
) -> None:
    forked = tmp_path / "pid"

    def tell() -> list[SpokenCue]:
        child = os.fork()
        if child == 0:
            os.setsid()
            signal.alarm(60)
            signal.pause()
        forked.write_text(f"{child}")
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    try:
        with pytest.raises(TranscriptionError) as raised:
            hear(tell, sound, most_s=20)
    finally:
        os.kill(int(forked.read_text()), signal.SIGKILL)

    assert raised.value.log == "the child process ended early"


def test_bytes_behind_an_answer_are_no_part_of_it(
    sound: SoundFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = transcriptions._told

    class Longer(bytes):
        """
        Says that it is shorter than what is written.
        """

        def __len__(self) -> int:
            return super().__len__() - len("behind")

    monkeypatch.setattr(
        transcriptions, "_told", lambda *given: Longer(told(*given) + b"behind")
    )

    assert hear(list, sound).cues == ()


def _runs(process: int) -> bool:
    """
    Return whether a process works: one that has ended may wait for a parent that looks.
    """
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_worker_that_cannot_fork_leaves_no_pipe_open(
    sound: SoundFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(os, "fork", fail)
    before = sorted(Path("/proc/self/fd").iterdir())

    transcriber, order = Told(list), TranscriptionOrder(sound=sound)
    with pytest.raises(OSError, match="no process can be forked") as raised:
        Transcriptions(transcriber=transcriber).hear(order, lambda: None)

    assert is_outage(raised.value), "it costs an attempt"
    assert sorted(Path("/proc/self/fd").iterdir()) == before
    assert transcriber.released == [order.id]


def test_a_transcriber_that_crashes_fails_the_attempt_alone(sound: SoundFile) -> None:
    def tell() -> list[SpokenCue]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    with pytest.raises(TranscriptionError) as raised:
        hear(tell, sound)

    assert raised.value.log == "the child process ended early"


def test_a_transcriber_that_never_ends_is_ended(sound: SoundFile) -> None:
    def tell() -> list[SpokenCue]:
        signal.pause()
        return []

    with pytest.raises(TranscriptionError) as raised:
        hear(tell, sound, most_s=0.1)

    assert raised.value.log == "the transcriber takes too long"


def test_a_transcriber_that_tells_without_end_is_ended(
    sound: SoundFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcriptions, "MOST_ANSWER_BYTES", 10_000)

    with pytest.raises(TranscriptionError) as raised:
        hear(lambda: [cue(0, 1)] * 1_000, sound)

    assert raised.value.log == "the transcriber hears too much"


def test_a_transcriber_takes_no_more_memory_than_it_may(
    sound: SoundFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcriptions, "MOST_MEMORY_BYTES", 1024**3)

    with pytest.raises(TranscriptionError) as raised:
        hear(lambda: [cue(0, len(bytearray(2 * 1024**3)))], sound)

    assert raised.value.log.startswith("MemoryError in test_transcriptions.py")


def test_a_transcriber_is_ended_when_nobody_wants_its_words(
    sound: SoundFile, tmp_path: Path
) -> None:
    child = tmp_path / "pid"

    def tell() -> list[SpokenCue]:
        child.write_text(f"{os.getpid()}")
        signal.pause()
        return []

    def check() -> None:
        if child.exists():
            raise TaskStopped

    order = TranscriptionOrder(sound=sound)
    began_s = time.monotonic()
    with pytest.raises(TaskStopped):
        Transcriptions(transcriber=Told(tell)).hear(order, check)

    assert time.monotonic() - began_s < 2
    with pytest.raises(ProcessLookupError):
        os.kill(int(child.read_text()), 0)
