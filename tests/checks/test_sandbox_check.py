"""
What ``hv doctor`` says of how programs are confined.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.health_findings import OK, WARNING, HealthFinding
from hvcore.settings import load
from hvcore_checks.sandbox_check import sandbox
from tests.services.processing.remote_world import PLUGINS

PLUGIN = """
import attrs
from hvcore.plugin_api import TranscoderBackend, hookimpl
from tests.support.fakes import TextTranscoder

class Confined(TextTranscoder):
    def capabilities(self):
        return attrs.evolve(super().capabilities(), sandbox="jail")

@hookimpl
def hvcore_transcoders():
    yield TranscoderBackend(name="bare", factory=lambda *_: TextTranscoder())
    yield TranscoderBackend(name="confined", factory=lambda *_: Confined())
"""
FAR = {"HV_TRANSCODER__BACKEND": "far", "HV_TRANSCODER__OPTIONS__URL": "http://[::1]"}


@pytest.fixture(autouse=True)
def _plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_confined.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))


def findings(folder: Path, **environ: str) -> Sequence[HealthFinding]:
    plugins = f"{PLUGINS},acme_confined"
    settings = load(
        config_path=None, environ={"HV_PLUGINS": plugins, **environ}, data_dir=folder
    ).settings
    with build(settings, rings=False) as services:
        return sandbox(services)


def test_a_transcoder_that_confines_nothing_is_not_called_confined(
    tmp_path: Path,
) -> None:
    (found,) = findings(tmp_path, HV_TRANSCODER__BACKEND="bare")

    assert found.state == WARNING
    assert found.found == "text does not say that its programs are confined"


def test_another_sandbox_is_named(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, HV_TRANSCODER__BACKEND="confined")

    assert (found.state, found.found) == (OK, "text: jail")


def test_bubblewrap_is_tried_for_ffmpeg_only(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, HV_TRANSCODER__BACKEND="ffmpeg")

    assert "bwrap" in found.found


def test_each_that_a_rule_names_is_told_of(tmp_path: Path) -> None:
    routes = "bare if duration > 1 h"

    found = findings(tmp_path, **FAR, HV_TRANSCODER__ROUTES=routes)

    assert [one.state for one in found] == [WARNING]


def test_where_no_video_is_made_nothing_is_confined(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, **FAR)

    assert (found.state, found.found) == (OK, "no video is made here")
