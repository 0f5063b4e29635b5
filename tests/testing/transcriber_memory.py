"""Transcribers without a model that are wrong in one way each."""

import logging
import os
import time
from collections.abc import Callable, Generator, Sequence

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import (
    SpokenCue,
    SpokenLanguage,
    TranscriberCapabilities,
    Transcription,
    TranscriptionError,
    TranscriptionOrder,
    UnusableSoundError,
)
from hvcore.testing.memory_transcriber import MemoryTranscriber

TOKEN = "token-of-the-server"
_log = logging.getLogger(__name__)
Cues = Generator[SpokenCue, None, None]


class _Changed(MemoryTranscriber):
    """Changes the cues of a right transcriber."""

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)
        return attrs.evolve(made, cues=self.changed(made.cues, order))

    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        for cue in cues:
            yield self.change(cue, order)

    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return cue


class HearsNobody(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        yield from ()


class HasNoWords(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, words=())


class KeepsSpaces(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, text=f" {cue.text}")


class ToldInPercent(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        words = (attrs.evolve(word, confidence=90) for word in cue.words)
        return attrs.evolve(cue, words=tuple(words))


class CountsSeconds(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, start_ms=float(cue.start_ms))  # type: ignore[arg-type]  # wrong on purpose


class RunsBack(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, start_ms=0)


class EndsBeforeItStarts(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, end_ms=cue.start_ms - 1)


class TurnsWordsAround(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, words=cue.words[::-1])


class PadsTheSound(_Changed):
    def change(self, cue: SpokenCue, order: TranscriptionOrder) -> SpokenCue:
        return attrs.evolve(cue, end_ms=cue.end_ms + 400)


class LeavesPausesOut(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        taken_ms: int | None = None
        for cue in cues:
            taken_ms = cue.start_ms if taken_ms is None else taken_ms
            words = (
                attrs.evolve(
                    word,
                    start_ms=word.start_ms - taken_ms,
                    end_ms=word.end_ms - taken_ms,
                )
                for word in cue.words
            )
            yield attrs.evolve(
                cue,
                start_ms=cue.start_ms - taken_ms,
                end_ms=cue.end_ms - taken_ms,
                words=tuple(words),
            )


class StopsAtPauses(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        last_ms = None
        for cue in cues:
            if last_ms not in {None, cue.start_ms}:
                return
            last_ms = cue.end_ms
            yield cue


class InventsWords(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        found = list(cues)
        yield from found
        if not found:
            yield SpokenCue(start_ms=0, end_ms=0, text="Thank you.", words=())


class WritesBesideTheSound(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        order.sound.path.with_suffix(".json").write_text("{}")
        return super().transcribe(order)


class DeclaresNothing(MemoryTranscriber):
    def capabilities(self) -> TranscriberCapabilities:
        return attrs.evolve(super().capabilities(), languages=frozenset())


class DeclaresRegions(MemoryTranscriber):
    def capabilities(self) -> TranscriberCapabilities:
        return attrs.evolve(super().capabilities(), languages=frozenset({"en-US"}))


class ForgetsTheLanguage(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)
        return attrs.evolve(made, language=SpokenLanguage(code=""))


class IsAlwaysSure(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)
        sure = attrs.evolve(made.language, probability=1.0)
        return attrs.evolve(made, language=sure)


class IsNeverSure(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)
        unsure = attrs.evolve(made.language, probability=None)
        return attrs.evolve(made, language=unsure)


class TakesEveryLanguage(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        is_known = order.language in self.languages
        return super().transcribe(
            attrs.evolve(order, language=order.language if is_known else None)
        )


class RefusesLate(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        def late() -> Cues:
            yield from MemoryTranscriber.transcribe(self, order).cues

        return Transcription(language=SpokenLanguage(code="en"), cues=late())


class StaysRefusing(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        if any(one.language == "zxx" for one in self.orders):
            raise TranscriptionError("The language is not known.")
        return super().transcribe(order)


class NeverEnds(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        for cue in cues:
            while True:
                yield cue


class IsUsedOnce(MemoryTranscriber):
    kept: Cues | None = None

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)
        self.kept = self.kept or made.cues
        return attrs.evolve(made, cues=self.kept)


class GoesOnWithTheLastSound(_Changed):
    last: Sequence[SpokenCue] = ()

    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        self.last = list(cues) or self.last
        yield from self.last


class EndsTheWorkLate(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        try:
            yield from cues
        finally:
            time.sleep(1)


class NeverChecks(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        return super().transcribe(attrs.evolve(order, check=lambda: None))


class SwallowsChecks(_Changed):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        return super().transcribe(attrs.evolve(order, check=_swallowed(order.check)))


class ChangesErrorsOfChecks(_Changed):
    def changed(self, cues: Cues, order: TranscriptionOrder) -> Cues:
        try:
            yield from cues
        except BaseException as exc:
            if not isinstance(exc, GeneratorExit):
                raise TranscriptionError("The work was stopped.") from exc
            raise


class KnowsItsProcess(MemoryTranscriber):
    def __init__(self) -> None:
        super().__init__()
        self.made_in = os.getpid()

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        if os.getpid() != self.made_in:
            raise TranscriptionError("Another process has the model.")
        return super().transcribe(order)


class CannotBeClosed(MemoryTranscriber):
    def close(self) -> None:
        raise ValueError("it was closed already")


class TakesEverySound(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)

        def cues() -> Cues:
            try:
                yield from made.cues
            except UnusableSoundError:
                return

        return attrs.evolve(made, cues=cues())


class TriesBadSoundsAgain(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)

        def cues() -> Cues:
            try:
                yield from made.cues
            except UnusableSoundError as exc:
                raise TranscriptionError("It failed.") from exc

        return attrs.evolve(made, cues=cues())


class StaysBroken(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        made = super().transcribe(order)

        def cues() -> Cues:
            try:
                yield from made.cues
            except UnusableSoundError:
                self.is_down = True
                raise

        return attrs.evolve(made, cues=cues())


class HangsIfDown(MemoryTranscriber):
    def ping(self) -> None:
        if self.is_down:
            time.sleep(1)


class FailsIfDown(MemoryTranscriber):
    def ping(self) -> None:
        if self.is_down:
            raise TranscriptionError("The server does not answer.")


class FindsFaultsEverywhere(MemoryTranscriber):
    def ping(self) -> None:
        if self.orders:
            raise UnavailableError("The model is in use.")


class ShowsTheToken(MemoryTranscriber):
    def __repr__(self) -> str:
        return f"ShowsTheToken({TOKEN})"


class LogsTheToken(MemoryTranscriber):
    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        _log.warning("asked with %s", TOKEN)
        return super().transcribe(order)


class CausesTellTheToken(MemoryTranscriber):
    def ping(self) -> None:
        try:
            super().ping()
        except UnavailableError as exc:
            raise UnavailableError("It does not answer.") from OSError(TOKEN, exc)


def _swallowed(check: Callable[[], None]) -> Callable[[], None]:
    def quiet() -> None:
        try:
            check()
        except BaseException:  # noqa: BLE001 - wrong on purpose
            return

    return quiet
