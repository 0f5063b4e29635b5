"""Import faster-whisper so that none of its libraries ever uses a network."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hvcore.plugin_api import UnavailableError, missing_module
from hvcore_transcriber_whisper.features import PiecewiseFeatures

if TYPE_CHECKING:
    import faster_whisper

_QUIET: Final = {
    # Since 1.29 onnxruntime reports its use to its maker, and keeps a device id in the
    # home folder. It reads the variable once, when it is imported.
    "ORT_DISABLE_TELEMETRY": "1",
    # A model that lacks a file fails, and none is fetched.
    "HF_HUB_OFFLINE": "1",
}


def load_model(folder: str, cpu_threads: int) -> "faster_whisper.WhisperModel":
    """
    Load a model from its folder.

    Raises:
        UnavailableError: The libraries are missing.
        RuntimeError: The files of the model are damaged.
    """
    try:
        with _quiet():
            # Half a second, and not for the API. The first brings no types.
            import faster_whisper  # noqa: PLC0415
            import onnxruntime  # noqa: PLC0415
    except ImportError as exc:
        raise UnavailableError(missing_module(exc.name, "whisper")) from exc
    # Another library may have imported it before, without the variable.
    onnxruntime.disable_telemetry_events()
    model = faster_whisper.WhisperModel(
        # A folder: a name would be looked for in the network.
        folder,
        device="cpu",
        # A quarter of the memory, and the same words.
        compute_type="int8",
        cpu_threads=cpu_threads,
        local_files_only=True,
    )
    model.feature_extractor = PiecewiseFeatures(model.feature_extractor)
    return model


def draw_the_same_lots() -> None:
    """Have models draw the same lots for each sound, where they are unsure of a word."""
    import ctranslate2  # noqa: PLC0415 - it comes with the extra

    ctranslate2.set_random_seed(1)


@contextmanager
def _quiet() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(_QUIET)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
