"""The findings of ``hv doctor`` about the transcriber."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore.testing.fake_transcoder import FakeTranscoder
from hvcore_checks.transcriber_check import transcriber
from tests.plugins.transcriber_http.imitated_server import (
    KEY,
    busy,
    imitated_server,
)
from tests.plugins.transcriber_whisper.models import TINY_EN


def findings(folder: Path, **options: str) -> Sequence[HealthFinding]:
    environ = {f"HV_TRANSCRIBER__{name}": value for name, value in options.items()}
    environ["HV_EXTRA_PLUGINS"] = "hvcore.testing.memory_transcriber"
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        return transcriber(services)


def test_without_a_transcriber_nothing_is_wrong(tmp_path: Path) -> None:
    (found,) = findings(tmp_path)

    assert (found.state, found.check) == ("ok", "transcriber")
    assert "HV_TRANSCRIBER__BACKEND" in found.found


def test_a_transcriber_that_tells_languages_apart_is_described(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, BACKEND="memory")

    assert (found.state, found.found) == ("ok", "memory: de, en, es, told apart")


@pytest.mark.parametrize(
    ("backend", "generate", "told"),
    [
        ("memory", "en,xx", "(auto, de, en, es), and not xx"),
        ("", "auto", "no transcriber is set up"),
    ],
)
def test_captions_of_new_videos_that_cannot_be_made_are_told(
    backend: str, generate: str, told: str, tmp_path: Path
) -> None:
    (found,) = findings(tmp_path, BACKEND=backend, GENERATE=generate)

    assert found.state == "broken"
    assert f"HV_TRANSCRIBER__GENERATE={generate}: " in found.found
    assert told in found.found


@pytest.mark.parametrize(
    ("backend", "generate", "state", "told"),
    [
        ("memory", "", "ok", "and not pl"),
        ("memory", "xx", "broken", "and not pl"),
        ("", "", "ok", "no transcriber is set up"),
        ("", "en", "broken", "no transcriber is set up"),
    ],
)
def test_environments_whose_languages_can_no_longer_be_heard_are_told(
    backend: str, generate: str, state: str, told: str, tmp_path: Path
) -> None:
    environ = {
        "HV_TRANSCRIBER__BACKEND": backend,
        "HV_TRANSCRIBER__GENERATE": generate,
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
    }
    wanted = {"a": ["de", "pl"], "b": ["de", "pl"], "c": ["en"], "d": [], "e": None}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    with build(settings, rings=False) as services:
        services.migrate()
        services.tenants.create_organization("org_a")
        for name, languages in wanted.items():
            env = services.tenants.create_environment(
                "org_a", name, EnvironmentKind.PRODUCTION
            )
            with services.uow.write() as work:
                work.tenants.set_caption_languages(env, languages)
                work.commit()
        able, lost, *_ = transcriber(services)

    assert able.state == state
    assert lost.state == "warning"
    assert lost.found.startswith("captions of new videos of org_a/a and 1 more: ")
    assert lost.found.endswith(told)


def test_a_database_that_does_not_answer_is_no_fault_of_the_transcriber(
    tmp_path: Path,
) -> None:
    environ = {
        "HV_DATABASE__URL": "postgresql+psycopg://nobody@127.0.0.1:1/none",
        "HV_TRANSCRIBER__BACKEND": "memory",
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
    }
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    with build(settings, rings=False) as services:
        (found,) = transcriber(services)

    assert (found.state, found.found) == ("ok", "memory: de, en, es, told apart")


def test_a_transcoder_that_takes_no_sound_is_told(tmp_path: Path) -> None:
    environ = {
        "HV_TRANSCRIBER__BACKEND": "memory",
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
    }
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    silent = {"transcoder": FakeTranscoder()}
    with build(settings, overrides=silent, rings=False) as services:
        (found,) = transcriber(services)

    assert found.state == "broken"
    assert "takes no sound out of videos" in found.found


def test_a_model_has_languages_and_a_cost(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, BACKEND="whisper", OPTIONS__MODEL=TINY_EN)

    assert found.state == "ok"
    assert f"whisper {TINY_EN}: en; en is assumed where none is asked" in found.found
    assert "s of processor time on this machine" in found.found


def test_a_missing_model_is_told_with_the_way_to_get_one(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, BACKEND="whisper", OPTIONS__MODEL="base")

    assert found.state == "broken"
    assert "hf download Systran/faster-whisper-base" in found.found


def test_a_damaged_model_is_told_with_what_its_library_says(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "whisper" / "base"
    folder.mkdir(parents=True)
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    (folder / "vocabulary.json").write_text("[]")
    (found,) = findings(tmp_path, BACKEND="whisper", OPTIONS__MODEL="base")

    assert found.state == "broken"
    assert (
        "cannot be loaded: copy its whole folder again; if memory is short"
        in found.found
    )


@pytest.mark.parametrize(("status", "state"), [(403, "broken"), (200, "ok")])
def test_a_server_is_asked(status: int, state: str, tmp_path: Path) -> None:
    with imitated_server() as server:
        server.faults += [busy(status)]
        options = {"OPTIONS__URL": server.url, "OPTIONS__KEY": KEY}
        (found,) = findings(tmp_path, BACKEND="http", **options)

    assert found.state == state
    assert KEY not in found.found
