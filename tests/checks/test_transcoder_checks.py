"""
What ``hv doctor`` says of the transcoders.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hv_checks.transcoder_checks import transcoder
from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from tests.services.processing.remote_world import PLUGINS

FAR = {"HV_PLUGINS": PLUGINS, "HV_TRANSCODER__ROUTES": "far if duration > 1 h"}
URL = {"HV_TRANSCODER__FURTHER__FAR__URL": "http://127.0.0.1:1"}
STORE = {
    "HV_STORAGE__OPTIONS__URL": "s3://bucket/videos",
    "HV_STORAGE__OPTIONS__KEY": "k",
    "HV_STORAGE__OPTIONS__SECRET": "s",
}


def findings(folder: Path, environ: dict[str, str]) -> Sequence[HealthFinding]:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        return transcoder(services)


def test_one_that_a_rule_names_is_checked_too(tmp_path: Path) -> None:
    found = findings(tmp_path, {**FAR, **URL, **STORE})

    assert any(one.found.startswith("far 1") for one in found)
    assert any(one.found.startswith("ffmpeg") for one in found)
    assert not [one for one in found if one.state == "broken"]


def test_one_that_lacks_an_option_is_broken_and_named(tmp_path: Path) -> None:
    broken = [one for one in findings(tmp_path, {**FAR, **STORE}) if one.mend]

    (found,) = [one for one in broken if "far" in one.found]
    assert found.state == "broken"
    assert "HV_TRANSCODER__FURTHER__FAR__URL" in found.mend


@pytest.mark.parametrize(
    "chosen",
    [
        {**FAR, **URL},
        {
            "HV_PLUGINS": PLUGINS,
            "HV_TRANSCODER__BACKEND": "far",
            "HV_TRANSCODER__OPTIONS__URL": "http://127.0.0.1:1",
        },
    ],
)
def test_a_storage_that_nobody_else_reaches_is_told(
    tmp_path: Path, chosen: dict[str, str]
) -> None:
    found = findings(tmp_path, chosen)

    assert any("storage.options.url" in one.mend for one in found)
