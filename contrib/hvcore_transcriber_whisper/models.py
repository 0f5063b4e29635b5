"""Find an installed Whisper model, and read its languages without loading it."""

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import UnavailableError

MODEL_FILE: Final = "model.bin"
_NEEDED: Final = (MODEL_FILE, "config.json", "tokenizer.json")
"""Without ``tokenizer.json``, faster-whisper would fetch one."""
_VOCABULARIES: Final = ("vocabulary.json", "vocabulary.txt")
_LANGUAGE: Final = re.compile(r"<\|([a-z]{2,3})\|>")
_LEAST_TOKENS_OF_MANY: Final = 51_865
"""A model of English alone has one token less, and the tokens of all languages all the same."""
_ENGLISH: Final = "en"
_TAGS: Final = {"jw": "jv"}
"""Whisper's own names of languages, and their subtags in BCP 47."""
_PACKAGE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@attrs.frozen(kw_only=True)
class WhisperModel:
    """
    Describe an installed model.

    Attributes:
        name: The model's name in the settings, without the folders above it.
        languages: The languages that it knows, as BCP 47 names them.
    """

    name: str
    folder: Path
    languages: frozenset[str]

    @property
    def detects_languages(self) -> bool:
        """Return whether the model tells languages apart."""
        return self.languages != {_ENGLISH}


def find_model(named: str, *, models_dir: Path) -> WhisperModel:
    """
    Return the installed model that a setting names.

    Args:
        named: A folder, the name of a folder in ``models_dir``, or that of a package.

    Raises:
        UnavailableError: No such model is installed; the text says how to get one.
    """
    for folder in (Path(named), models_dir / named, *_folders_of_package(named)):
        if (folder / MODEL_FILE).is_file():
            return _read(folder, Path(named).name)
    raise UnavailableError(
        f"The Whisper model {Path(named).name!r} is not installed. {how_to_get(models_dir)}",
        retry_after_s=60,
    )


def how_to_get(models_dir: Path) -> str:
    """Return sentences on how an operator gets a model, once."""
    return (
        "Fetch one once, on a machine with a network: hf download "
        f"Systran/faster-whisper-base --local-dir {models_dir.parent.name}/"
        f"{models_dir.name}/base, in the data folder; then set "
        "HV_TRANSCRIBER__OPTIONS__MODEL=base."
    )


def whisper_code(language: str) -> str:
    """Return Whisper's own name of a language."""
    return next((own for own, tag in _TAGS.items() if tag == language), language)


def subtag(code: str) -> str:
    """Return the subtag of BCP 47 for a language that Whisper names."""
    return _TAGS.get(code, code)


def _folders_of_package(named: str) -> list[Path]:
    if _PACKAGE.fullmatch(named) is None:
        return []
    spec = find_spec(named)
    places = (spec.submodule_search_locations if spec else None) or ()
    return [
        found.parent
        for place in places
        for found in sorted(Path(place).glob(f"**/{MODEL_FILE}"))
    ]


def _read(folder: Path, name: str) -> WhisperModel:
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise UnavailableError(
            f"The Whisper model {folder.name!r} lacks {', '.join(missing)}: copy its "
            "whole folder.",
            retry_after_s=60,
        )
    tokens = _tokens(folder)
    languages = {
        subtag(found[1]) for token in tokens if (found := _LANGUAGE.fullmatch(token))
    }
    knows_many = len(tokens) >= _LEAST_TOKENS_OF_MANY
    return WhisperModel(
        name=name,
        folder=folder,
        languages=frozenset(languages if knows_many else {_ENGLISH}),
    )


def _tokens(folder: Path) -> list[str]:
    for path in (folder / name for name in _VOCABULARIES):
        if path.suffix == ".json" and path.is_file():
            listed: list[str] = json.loads(path.read_text("utf-8"))
            return listed
        if path.is_file():
            # Tokens may have other line breaks, such as U+2028.
            return path.read_text("utf-8").removesuffix("\n").split("\n")
    raise UnavailableError(
        f"The Whisper model {folder.name!r} lacks a vocabulary: copy its whole folder.",
        retry_after_s=60,
    )
