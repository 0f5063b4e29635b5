"""
Transcribe sounds in a child process: a fork with bounded memory that can be ended at any moment.

A speech model takes its memory for good, hears nobody while it works, and may crash. The
child ends with its window, and takes all of that along.
"""

import errno
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import attrs

from hvcore.domain.processing.speech import (
    SoundFile,
    SpokenCue,
    SpokenLanguage,
    SpokenWord,
    TranscriberCapabilities,
    TranscriptionError,
    TranscriptionOrder,
    UnusableSoundError,
)
from hvcore.errors import UnavailableError
from hvcore.ports.transcriber import Transcriber
from hvcore.processes import child_launcher
from hvcore.services.captions.window_sounds import NICENESS
from hvcore.wire.stored import from_stored, to_stored

MOST_MEMORY_BYTES: Final = 4 * 1024**3
"""Of data: a small model takes 0.3 GB, the largest in eight bits 3 GB."""
MOST_S: Final = 30 * 60.0
"""Then the child is ended. A window of five minutes takes 75 s of a core with a small model."""
MOST_ANSWER_BYTES: Final = 16 * 1024**2
"""The words of five minutes are 100 KB."""
LOOKS_EVERY_S: Final = 0.2
"""The pause between two checks of whether the task is still wanted; a deletion promises to end it in 2 s."""
_FAILED: Final = "What is said could not be written down."
_PIECE_BYTES: Final = 64 * 1024
_LENGTH_BYTES: Final = 8


@attrs.frozen(kw_only=True)
class HeardSound:
    """
    Hold the language and the cues that a transcriber heard in a sound.

    Attributes:
        cues: The cues in the order of their times, within the sound; none overlaps another.
    """

    language: SpokenLanguage
    cues: tuple[SpokenCue, ...]


@attrs.frozen(kw_only=True)
class Transcriptions:
    """
    Transcribe sounds in child processes; called from the main thread of a worker.

    Attributes:
        most_s: The seconds after which a child is ended.
    """

    transcriber: Transcriber
    most_s: float = MOST_S

    def reserve(
        self, sound: SoundFile, language: str | None, org_id: str
    ) -> TranscriptionOrder:
        """
        Reserve the cost of a transcription, and return its order.

        Args:
            sound: The sound as it is planned, which may be made later; see ``fit``.
            language: The language that is spoken; None if the transcriber shall tell it.
            org_id: The organization that pays for it.

        Raises:
            UnusableSoundError: The sound alone costs more than may ever be spent.
            UnavailableError: The spending limit is used up.
        """
        # Here, since a child must not use the connections of its parent.
        order = TranscriptionOrder(sound=sound, language=language, org_id=org_id)
        self.transcriber.reserve(order)
        return order

    def fit(self, order: TranscriptionOrder, sound: SoundFile) -> TranscriptionOrder:
        """
        Return an order for the sound as it was made; what it is shorter than planned costs nothing.

        Args:
            order: What ``reserve`` returned. After an error nothing is reserved for it,
                unless ``release`` itself has failed.

        Raises:
            UnavailableError: The spending limit was used up meanwhile.
        """
        fitting = attrs.evolve(order, sound=sound)
        if sound.duration_ms < order.sound.duration_ms:
            self.transcriber.release(order)
            self.transcriber.reserve(fitting)
        return fitting

    def hear(self, order: TranscriptionOrder, check: Callable[[], None]) -> HeardSound:
        """
        Transcribe a sound, and return its language and its cues.

        Args:
            order: What ``fit`` returned; of one whose sound no server has taken,
                the cost is given back.
            check: Raises if the work is not wanted any more; the child is ended then.

        Raises:
            UnusableSoundError: No attempt will succeed.
            TranscriptionError: This attempt failed.
            UnavailableError: The transcriber is not available; the call is repeated later.
        """
        try:
            able = self.transcriber.capabilities()
            child, reading = _forked(self.transcriber, order)
        except (OSError, UnavailableError):
            self.transcriber.release(order)
            raise
        try:
            answer = _answer(child, reading, check, time.monotonic() + self.most_s)
        finally:
            os.close(reading)
            _end(child)
        try:
            return _heard(answer, order, able)
        except UnavailableError:
            self.transcriber.release(order)
            raise


def _forked(transcriber: Transcriber, order: TranscriptionOrder) -> tuple[int, int]:
    """Return the id of a child that transcribes, and the end of the pipe with its answer."""
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Newer Pythons warn of threads, whose locks a child would find held. This one
            # takes none of theirs: it transcribes, writes into a pipe, and ends.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            os.close(reading)
            _transcribe_and_end(transcriber, order, writing, parent)
    except OSError as exc:
        # There is no child: no memory, or too many processes.
        os.close(reading)
        if exc.errno == errno.EAGAIN:
            # Which files and sockets raise for other reasons.
            raise OSError(errno.ENOMEM, "no process can be forked") from exc
        raise
    finally:
        os.close(writing)
    return child, reading


def _end(child: int) -> None:
    with suppress(ProcessLookupError):
        # Also the programs that it started: its session has its id.
        os.killpg(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        # It may have no session of its own yet.
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _answer(
    child: int, reading: int, check: Callable[[], None], ends_at_s: float
) -> bytes:
    pipe = select.poll()
    pipe.register(reading, select.POLLIN | select.POLLHUP)
    answer = bytearray()
    while True:
        is_told = bool(pipe.poll(LOOKS_EVERY_S * 1000))
        check()
        if time.monotonic() > ends_at_s:
            raise TranscriptionError(_FAILED, log="the transcriber takes too long")
        if not is_told and not _has_ended(child):
            continue
        # What it has written last is still in the pipe. A process that it has forked keeps
        # the pipe open after its end, and there is no more to come.
        has_more = is_told or bool(pipe.poll(0))
        piece = os.read(reading, _PIECE_BYTES) if has_more else b""
        answer += piece
        ends = _LENGTH_BYTES + int.from_bytes(answer[:_LENGTH_BYTES], "big")
        if len(answer) >= _LENGTH_BYTES and ends > _LENGTH_BYTES + MOST_ANSWER_BYTES:
            raise TranscriptionError(_FAILED, log="the transcriber hears too much")
        if not piece or len(answer) >= max(_LENGTH_BYTES, ends):
            return bytes(answer[_LENGTH_BYTES:ends])


def _has_ended(child: int) -> bool:
    """Return whether a child has ended, as far as that is known; its id stays taken."""
    if not hasattr(os, "waitid"):
        # macOS has none: there a child that was killed may be waited for longer.
        return False
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child, flags) is not None


def _heard(
    answer: bytes, order: TranscriptionOrder, able: TranscriberCapabilities
) -> HeardSound:
    try:
        told: Mapping[str, Any] = json.loads(answer)
    except ValueError as exc:
        # Killed, such as by the kernel for its memory.
        raise TranscriptionError(_FAILED, log="the child process ended early") from exc
    error, text = told.get("error"), told.get("text", "")
    if error == "unusable":
        raise UnusableSoundError(text)
    if error == "unavailable":
        after_s, said = told["retry_after_s"], told["said"]
        raise UnavailableError(text, retry_after_s=after_s, said=said)
    if error is not None:
        raise TranscriptionError(text, log=told["log"])
    try:
        language = from_stored(told["language"], SpokenLanguage)
        told_cues = from_stored(told["cues"], tuple[SpokenCue, ...])
        cues = tuple(_in_order(told_cues, order.sound.duration_ms))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # Without the error: it may quote what is said.
        raise TranscriptionError(_FAILED, log="the cues are malformed") from None
    if language.code not in able.languages or order.language not in {
        None,
        language.code,
    }:
        log = f"the language {language.code[:20]!r} was not asked for, or is unknown"
        raise TranscriptionError(_FAILED, log=log)
    return HeardSound(language=language, cues=cues)


def _in_order(cues: Iterable[SpokenCue], duration_ms: int) -> Iterable[SpokenCue]:
    """Yield cues within the sound, each after the one before; a faulty one is cut or left out."""
    last_ms = 0
    for cue in cues:
        start_ms, end_ms = max(cue.start_ms, last_ms), min(cue.end_ms, duration_ms)
        if start_ms >= end_ms or not cue.words:
            continue
        words = tuple(_words_in_order(cue.words, start_ms, end_ms))
        yield attrs.evolve(cue, start_ms=start_ms, end_ms=end_ms, words=words)
        last_ms = end_ms


def _words_in_order(
    words: Iterable[SpokenWord], start_ms: int, end_ms: int
) -> Iterable[SpokenWord]:
    """Yield words within their cue, none before the end of the one before."""
    at_ms = start_ms
    for word in words:
        begins_ms = min(max(word.start_ms, at_ms), end_ms)
        at_ms = min(max(word.end_ms, begins_ms), end_ms)
        # Not a number is no probability, either.
        is_known = 0.0 <= word.confidence <= 1.0
        yield attrs.evolve(
            word,
            start_ms=begins_ms,
            end_ms=at_ms,
            confidence=word.confidence if is_known else float(word.confidence > 1.0),
        )


def _transcribe_and_end(
    transcriber: Transcriber, order: TranscriptionOrder, writing: int, parent: int
) -> NoReturn:
    """Transcribe in the child, write the answer into the pipe, and end without a trace."""
    # Nothing of the parent may run here: no exit handler, no finally of its callers.
    status = 1
    try:
        _become_a_child(parent)
        told = _told(transcriber, order)
        with open(writing, "wb") as pipe:
            # Its length first: a process that the transcriber has forked keeps the pipe
            # open, so that the answer would never end.
            pipe.write(len(told).to_bytes(_LENGTH_BYTES, "big") + told)
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _become_a_child(parent: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Ctrl-C is for the worker, which ends this child; and a session is nice as a whole.
    os.setsid()
    child_launcher.die_with_parent(parent)
    os.nice(NICENESS)
    child_launcher.share_processors_as_nice()
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))


def _told(transcriber: Transcriber, order: TranscriptionOrder) -> bytes:
    try:
        transcription = transcriber.transcribe(order)
        cues = tuple(transcription.cues)
        heard = {"language": transcription.language, "cues": cues}
        # Here: a plugin's values may be of types that JSON does not know.
        # Half a pair of UTF-16 is no text that a database or a file takes.
        told = json.dumps(to_stored(heard), ensure_ascii=False)
        return told.encode("utf-8", "replace")
    except UnusableSoundError as exc:
        failure = _failure("unusable", f"{exc}")
    except UnavailableError as exc:
        after_s, said = exc.retry_after_s, exc.said
        failure = _failure("unavailable", exc.detail, retry_after_s=after_s, said=said)
    except TranscriptionError as exc:
        failure = _failure("failed", exc.reason, log=exc.log)
    # A plugin's own errors, and memory that it has not got.
    except Exception as exc:  # noqa: BLE001 - the parent raises what is told here
        failure = _failure("failed", _FAILED, log=_place_of(exc))
    return json.dumps(failure).encode()


def _failure(kind: str, text: str, **more: object) -> Mapping[str, object]:
    return {"error": kind, "text": text, **more}


def _place_of(error: Exception) -> str:
    """Return type and place of an error, without its text: that may quote what is said."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = f" in {Path(frame.f_code.co_filename).name}, line {line}"
    return f"{type(error).__name__}{place}"
