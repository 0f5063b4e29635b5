"""Transcribe with Whisper models on this machine, by faster-whisper."""

from collections.abc import Callable, Generator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hvcore.plugin_api import (
    SpokenCue,
    SpokenLanguage,
    Transcriber,
    TranscriberCapabilities,
    Transcription,
    TranscriptionError,
    TranscriptionOrder,
    UnavailableError,
    require_known_language,
)
from hvcore_transcriber_whisper.cost import processor_s_of_a_minute
from hvcore_transcriber_whisper.cues import CueMaker
from hvcore_transcriber_whisper.libraries import draw_the_same_lots, load_model
from hvcore_transcriber_whisper.models import (
    WhisperModel,
    find_model,
    subtag,
    whisper_code,
)
from hvcore_transcriber_whisper.options import WhisperOptions
from hvcore_transcriber_whisper.sound import read_samples

if TYPE_CHECKING:
    import faster_whisper


class WhisperTranscriber(Transcriber):
    """
    A transcriber with a Whisper model, which it loads when it is first asked to transcribe.

    Args:
        models_dir: The folder in which models have names.
        load: Loads a model from its folder, with a number of threads.
    """

    def __init__(
        self,
        options: WhisperOptions,
        *,
        models_dir: Path,
        load: Callable[[str, int], "faster_whisper.WhisperModel"] = load_model,
    ) -> None:
        self._options = options
        self._models_dir = models_dir
        self._load = load

    def capabilities(self) -> TranscriberCapabilities:
        model = self._model
        return TranscriberCapabilities(
            name=f"whisper {model.name}",
            languages=model.languages,
            assumed_language=None if model.detects_languages else "en",
        )

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        require_known_language(order.language, self.capabilities())
        order.check()
        samples = read_samples(order.sound)
        loaded = self._loaded
        draw_the_same_lots()
        try:
            segments, info = loaded.transcribe(
                samples,
                language=order.language and whisper_code(order.language),
                # Without it, models write thanks into silence and music.
                vad_filter=True,
                # With it, a model that has begun to repeat itself goes on to.
                condition_on_previous_text=False,
                word_timestamps=True,
            )
        except (RuntimeError, ValueError) as exc:
            raise _failed(exc) from exc
        order.check()
        return Transcription(
            language=self._language(order.language, info),
            cues=_cues(iter(segments), order),
        )

    def processor_s_per_minute(self) -> float:
        return processor_s_of_a_minute(self._loaded)

    def ping(self) -> None:
        _ = self._loaded

    def close(self) -> None:
        # The model's memory and threads go with it.
        vars(self).pop("_loaded", None)

    def _language(self, wished: str | None, info: Any) -> SpokenLanguage:  # noqa: ANN401 - it has no types
        if wished is not None:
            return SpokenLanguage(code=wished)
        if not self._model.detects_languages:
            return SpokenLanguage(code="en")
        # In silence nothing was told.
        probability = info.language_probability if info.duration_after_vad else 0.0
        return SpokenLanguage(
            code=subtag(info.language), probability=float(probability)
        )

    @cached_property
    def _model(self) -> WhisperModel:
        return find_model(self._options.model, models_dir=self._models_dir)

    @cached_property
    def _loaded(self) -> "faster_whisper.WhisperModel":
        model = self._model
        try:
            return self._load(str(model.folder), self._options.cpu_threads)
        except (RuntimeError, ValueError, OSError) as exc:
            raise UnavailableError(
                f"The Whisper model {model.name!r} cannot be loaded: copy its whole "
                "folder again; if memory is short (it may take 4 GiB), choose a smaller "
                "model.",
                retry_after_s=60,
                said=str(exc),
            ) from exc


def _cues(segments: Any, order: TranscriptionOrder) -> Generator[SpokenCue, None, None]:  # noqa: ANN401 - it has no types
    maker = CueMaker(order.sound.duration_ms)
    while True:
        order.check()
        try:
            segment = next(segments, None)
        except (RuntimeError, ValueError) as exc:
            raise _failed(exc) from exc
        if segment is None:
            return
        for cue in maker.cues_of(segment.words or ()):
            order.check()
            yield cue


def _failed(exc: Exception) -> TranscriptionError:
    return TranscriptionError("The speech model failed.", log=str(exc))
