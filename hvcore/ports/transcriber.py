"""The transcriber port: write down what is said in a sound."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Protocol, runtime_checkable

import attrs

from hvcore.domain.processing.speech import (
    SpokenCue,
    SpokenLanguage,
    TranscriberCapabilities,
    TranscriptionOrder,
)


@attrs.frozen(kw_only=True)
class Transcription:
    """
    Hold the language of a sound, and its cues as they become known.

    Attributes:
        language: The language of the cues; known before the first of them.
        cues: The cues in the order of their starts, none before the end of the one
            before it. Each is yielded as soon as it is known; none is yielded for
            silence, noise and music. Closing the generator cancels the rest of the work.
    """

    language: SpokenLanguage
    cues: Generator[SpokenCue, None, None]


class Transcriber(ABC):
    """
    Write down what is said in a sound, word by word.

    The factory is called in API processes, too, so it loads no model; ``transcribe``
    loads the model when it is first called. ``transcribe`` is called from the main
    thread of a worker's child process, one call at a time, and again after an earlier
    transcription was finished, closed or failed. ``capabilities`` is called from any
    thread of any process. A transcriber must also work in a process that was forked
    after the transcriber was made and before the first ``transcribe``. The service's
    database must not be used there: ``reserve`` and ``release`` are the places for that.

    No error, log line or repr contains a secret, such as a server's key.
    """

    @abstractmethod
    def capabilities(self) -> TranscriberCapabilities:
        """
        Return the languages and features of the transcriber.

        Called by API requests that name a language: after the first call the answer must
        come from memory. It is the same for all callers.

        Raises:
            UnavailableError: The model or the server is missing; the text says what to
                do.
        """

    def reserve(self, order: TranscriptionOrder) -> None:
        """
        Reserve the cost of a transcription, or refuse the transcription.

        Called in the worker's own process, before the child process is forked: only here
        and in ``release`` may a transcriber write into the service's database. The sound
        is not made yet, so that a limit that is used up costs little: its file is not
        there, and its length is the most that it may get. If it gets shorter, the order is
        released and reserved again with the length that it has. ``reserve`` sends
        nothing to a server, and returns within a second.

        Raises:
            UnusableSoundError: The sound alone costs more than may ever be spent.
            UnavailableError: The spending limit is used up; the call is repeated after
                ``retry_after_s``, which costs no attempt.
        """

    def release(self, order: TranscriptionOrder) -> None:
        """
        Give back what ``reserve`` reserved for an order that was not transcribed.

        Called in the worker's own process, after ``transcribe`` or its cues have raised
        UnavailableError for the same order, or its sound could not be made or is shorter
        than planned, or no child process could be forked. Not called after another error, or after a child process that was ended: the server
        may have transcribed the sound. It sends nothing to a server, and returns within
        a second.

        Raises:
            UnavailableError: The database does not answer; the cost stays reserved.
        """

    @abstractmethod
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        """
        Begin to transcribe a sound; return once its language is known.

        The call may take minutes, and so may each step to the next cue. Meanwhile the
        transcriber calls ``order.check`` at least every few seconds where it can, and
        always before it yields a cue. An error of ``order.check`` passes unchanged, after
        everything that the transcriber opened for the order was closed. The same is
        closed when the cues end or are closed. The language is the order's, if it names
        one. The cues' generator may raise the errors below, too.

        Returns:
            The language, and the cues, which lie within the sound.

        Raises:
            UnknownLanguageError: ``capabilities`` does not declare the order's language.
            UnusableSoundError: No attempt will ever succeed with this sound.
            TranscriptionError: This attempt failed.
            UnavailableError: The model or the server is missing or is busy, and has
                transcribed nothing; the call is repeated after ``retry_after_s``, which
                costs no attempt.
        """

    def ping(self) -> None:
        """
        Check that sounds can be transcribed; called only by an operator's check.

        Raises:
            UnavailableError: They cannot; the text says what to do.
        """

    def close(self) -> None:
        """Release the model and the connections of the transcriber; called once, at the end."""


@runtime_checkable
class SupportsCostMeasurement(Protocol):
    """Measure the processor time that a transcription costs on this machine."""

    def processor_s_per_minute(self) -> float:
        """
        Return the seconds of processor time that a minute of speech costs here.

        Asked by ``hv doctor``, from any thread; takes half a minute at most.

        Raises:
            UnavailableError: The model is missing; the text says what to do.
        """
        ...


__all__ = [
    "SpokenCue",
    "SpokenLanguage",
    "SupportsCostMeasurement",
    "Transcriber",
    "TranscriberCapabilities",
    "Transcription",
    "TranscriptionOrder",
]
