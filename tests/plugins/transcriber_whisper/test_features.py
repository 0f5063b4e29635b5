"""The features of a long sound are those of the library, and take little memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from hvcore_transcriber_whisper.features import PiecewiseFeatures
from hvcore_transcriber_whisper.libraries import load_model
from tests.plugins.transcriber_whisper.models import tiny_en

RATE_HZ = 16_000


def noise(duration_s: float) -> Any:  # noqa: ANN401 - an array
    drawn = np.random.default_rng(1)
    loudness = np.linspace(0, 0.5, round(duration_s * RATE_HZ))
    return (drawn.standard_normal(len(loudness)) * loudness).astype(np.float32)


@pytest.mark.parametrize("duration_s", [0.3, 29.99, 30, 30.01, 65.5])
def test_features_are_those_of_the_library(duration_s: float) -> None:
    sound = noise(duration_s)

    made = PiecewiseFeatures(FeatureExtractor())(sound, chunk_length=30)

    assert made.dtype == np.float32
    np.testing.assert_allclose(made, FeatureExtractor()(sound), atol=1e-4)


def test_features_of_five_minutes_take_little_memory() -> None:
    extractor = load_model(str(tiny_en()), 1).feature_extractor
    sound = noise(300)

    tracemalloc.start()
    features = extractor(sound)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert features.shape == (80, 30_000 + 1)
    assert peak_bytes < 80e6
