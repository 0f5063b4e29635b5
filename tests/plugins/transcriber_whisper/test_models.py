"""Models are found where they are installed, and never fetched."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hvcore.plugin_api import UnavailableError
from hvcore_transcriber_whisper.models import find_model, subtag, whisper_code
from hvcore_transcriber_whisper.options import WhisperOptions

MANY = 51_865


def install(
    folder: Path, languages: Sequence[str] = ("en", "de", "jw"), tokens: int = MANY
) -> Path:
    folder.mkdir(parents=True)
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    listed = [f"<|{one}|>" for one in languages]
    listed += [f"w{number}" for number in range(tokens - len(listed))]
    (folder / "vocabulary.json").write_text(json.dumps(listed))
    return folder


def test_a_model_is_found_by_its_folder(tmp_path: Path) -> None:
    folder = install(tmp_path / "mine")
    found = find_model(str(folder), models_dir=tmp_path / "gone")

    assert (found.name, found.folder) == ("mine", folder)


def test_a_model_is_found_by_its_name_in_the_data_folder(tmp_path: Path) -> None:
    folder = install(tmp_path / "base")

    assert find_model("base", models_dir=tmp_path).folder == folder


def test_a_model_is_found_in_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install(tmp_path / "acme_speech" / "model")
    (tmp_path / "acme_speech" / "__init__.py").write_text("raise SystemError")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = find_model("acme_speech", models_dir=tmp_path / "gone")

    assert (found.name, found.folder) == ("acme_speech", folder)


def test_a_model_of_many_languages_has_their_subtags(tmp_path: Path) -> None:
    found = find_model(str(install(tmp_path / "a")), models_dir=tmp_path)

    assert found.languages == {"en", "de", "jv"}
    assert found.detects_languages


def test_a_model_of_english_alone_has_no_other_language(tmp_path: Path) -> None:
    folder = install(tmp_path / "a", tokens=MANY - 1)
    found = find_model(str(folder), models_dir=tmp_path)

    assert found.languages == {"en"}
    assert not found.detects_languages


def test_a_vocabulary_may_be_a_text(tmp_path: Path) -> None:
    folder = install(tmp_path / "a")
    tokens = json.loads((folder / "vocabulary.json").read_text())
    (folder / "vocabulary.json").unlink()
    (folder / "vocabulary.txt").write_text("\n".join(["\u2028", *tokens[1:]]) + "\n")

    assert find_model(str(folder), models_dir=tmp_path).languages == {"de", "jv"}


@pytest.mark.parametrize("named", ["base", "json", "no-package", "/gone/base", "a.b"])
def test_a_missing_model_says_how_to_get_one(named: str, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="hf download Systran/faster-whisper"):
        find_model(named, models_dir=tmp_path / "state" / "whisper")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "vocabulary.json"])
def test_a_model_without_all_of_its_files_is_refused(name: str, tmp_path: Path) -> None:
    folder = install(tmp_path / "a")
    (folder / name).unlink()

    with pytest.raises(UnavailableError, match="copy its whole folder"):
        find_model(str(folder), models_dir=tmp_path)


def test_languages_have_the_names_of_the_model_and_of_bcp_47() -> None:
    assert (whisper_code("jv"), subtag("jw")) == ("jw", "jv")
    assert (whisper_code("de"), subtag("de")) == ("de", "de")


@pytest.mark.parametrize("threads", [0, 65])
def test_numbers_of_threads_are_limited(threads: int) -> None:
    with pytest.raises(ValueError, match="cpu_threads must be from 1 to 64"):
        WhisperOptions(model="base", cpu_threads=threads)
