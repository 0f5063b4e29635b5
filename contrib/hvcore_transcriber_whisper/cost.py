"""Measure the processor time that a Whisper model takes for a minute of speech."""

import time
from typing import TYPE_CHECKING, Any, Final

from hvcore.plugin_api import SOUND_RATE_HZ

if TYPE_CHECKING:
    import faster_whisper

_WINDOW_S: Final = 30
"""Whisper hears so much at a time."""
_STEP_S: Final = 20
"""It goes on behind the last whole sentence, about so much later."""
_FRAMES_OF_A_WINDOW: Final = 3_000
_TOKENS_OF_A_WINDOW: Final = 100
"""Speech of 150 words a minute has about so many in 30 s."""
_BEAMS: Final = 5


def processor_s_of_a_minute(model: "faster_whisper.WhisperModel") -> float:
    """
    Return the seconds of processor time that a minute of speech costs here.

    No speech is at hand: the voice filter and the model hear silence, and the model
    writes as many tokens as speech has and finds the times of their words, as it does
    for speech. Noise and unknown words cost more, since the model then tries again.
    """
    import numpy as np  # noqa: PLC0415 - it comes with the extra
    from faster_whisper.vad import get_speech_timestamps  # noqa: PLC0415 - see above

    began_s = time.process_time()
    samples: Any = np.zeros(_WINDOW_S * SOUND_RATE_HZ, np.float32)
    get_speech_timestamps(samples)
    features = model.feature_extractor(samples)[..., :_FRAMES_OF_A_WINDOW]
    heard = model.encode(np.ascontiguousarray(features))
    prompt = [model.hf_tokenizer.token_to_id("<|startoftranscript|>")]
    written = model.model.generate(
        heard,
        [prompt],
        beam_size=_BEAMS,
        max_length=_TOKENS_OF_A_WINDOW,
        # So that it does not end before.
        suppress_tokens=[model.hf_tokenizer.token_to_id("<|endoftext|>")],
    )
    tokens = written[0].sequences_ids[0]
    model.model.align(heard, prompt, [tokens], _FRAMES_OF_A_WINDOW)
    return (time.process_time() - began_s) * 60 / _STEP_S
