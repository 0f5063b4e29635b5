"""Compute the features of a long sound piece by piece, in a fifth of the memory."""

from typing import Any, Final

_FRAMES_OF_A_PIECE: Final = 3_000
"""Half a minute: Whisper hears so much at a time."""
_LEAST_POWER: Final = 1e-10
_RANGE: Final = 8.0
"""Logarithms of power further below the loudest count as silence."""


class PiecewiseFeatures:
    """
    The feature extractor of a Whisper model, which transforms half a minute at a time.

    The library's own transforms a sound as a whole: 300 MB for five minutes. The features are
    the same. All else is asked of the library's.

    Args:
        whole: The extractor of the library, whose filters and transform are used.
    """

    def __init__(self, whole: Any) -> None:  # noqa: ANN401 - it has no types
        self._whole = whole

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - see above
        return getattr(self._whole, name)

    def __call__(
        self,
        waveform: Any,  # noqa: ANN401 - see above
        padding: int = 160,
        chunk_length: int | None = None,
    ) -> Any:  # noqa: ANN401 - see above
        """Return the features of a sound; the arguments are the library's."""
        import numpy as np  # noqa: PLC0415 - it comes with the extra

        whole = self._whole
        if chunk_length is not None:
            whole.n_samples = chunk_length * whole.sampling_rate
            whole.nb_max_frames = whole.n_samples // whole.hop_length
        size, hop = whole.n_fft, whole.hop_length
        window: Any = np.hanning(size + 1)[:-1].astype("float32")
        samples = np.pad(np.asarray(waveform, np.float32), (0, padding))
        samples = np.pad(samples, size // 2, mode="reflect")
        # Of the frames, the library leaves out the last.
        count = (len(samples) - size) // hop
        powers = []
        for first in range(0, count, _FRAMES_OF_A_PIECE):
            last = min(first + _FRAMES_OF_A_PIECE, count) - 1
            piece = samples[first * hop : last * hop + size]
            transformed = whole.stft(
                *(piece, size, hop), window=window, center=False, return_complex=True
            )
            magnitudes = np.abs(transformed.astype("complex64")) ** 2
            powers.append(whole.mel_filters @ magnitudes)
        logs = np.log10(np.maximum(np.concatenate(powers, axis=-1), _LEAST_POWER))
        logs = np.maximum(logs, logs.max() - _RANGE)
        return (logs + 4.0) / 4.0
