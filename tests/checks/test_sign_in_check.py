"""
What ``hv doctor`` says of sign-in.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from joserfc.jwk import Key

from hv_checks.sign_in_check import sign_in
from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from tests.fakes import SettableClock
from tests.plugins.sign_in_oidc.provider import new_key, running


@pytest.fixture(scope="module")
def key() -> Key:
    return new_key("first")


def findings(folder: Path, **environ: str) -> Sequence[HealthFinding]:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        return sign_in(services)


def at(issuer: str) -> dict[str, str]:
    return {
        "HV_SIGN_IN__BACKEND": "oidc",
        "HV_SIGN_IN__OIDC__ISSUER": issuer,
        "HV_SIGN_IN__OIDC__CLIENT_ID": "hv",
        "HV_PUBLIC__API_URL": "https://videos.example.com",
    }


def test_without_a_provider_there_are_links(tmp_path: Path) -> None:
    (found,) = findings(tmp_path)

    assert (found.state, found.check) == ("ok", "sign-in")
    assert "hv dashboard link" in found.found


def test_without_a_dashboard_nobody_signs_in(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, HV_DASHBOARD__ENABLED="false")

    assert found.state == "ok"


def test_a_provider_that_answers_is_fine(
    tmp_path: Path, clock: SettableClock, key: Key
) -> None:
    with running(clock, key) as provider:
        found, register = findings(tmp_path, **at(provider.issuer))

    assert (found.state, register.state) == ("ok", "ok")
    root = "https://videos.example.com/dashboard"
    assert f"{root}/sign-in/callback" in register.found
    assert f"{root}/sign-in " in register.found


def test_a_host_that_is_not_named_is_told(
    tmp_path: Path, clock: SettableClock, key: Key
) -> None:
    with running(clock, key) as provider:
        provider.changed_metadata = {"jwks_uri": "https://keys.example.com/keys"}
        found, _register = findings(tmp_path, **at(provider.issuer))

    assert found.state == "broken"
    assert "keys.example.com" in found.found
    assert "further_hosts" in found.found


def test_a_provider_that_does_not_answer_is_told_with_what_to_register(
    tmp_path: Path,
) -> None:
    found, register = findings(tmp_path, **at("http://127.0.0.1:1"))

    assert found.state == "broken"
    assert "does not answer" in found.found
    assert register.state == "ok"


def test_options_that_are_wrong_are_told(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, HV_SIGN_IN__BACKEND="oidc")

    assert found.state == "broken"
    assert "HV_SIGN_IN__OIDC__ISSUER" in found.found
