"""
What ``hv doctor`` says of sign-in.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from joserfc.jwk import Key

from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore_checks.sign_in_check import sign_in
from tests.plugins.sign_in_oidc.provider import new_key, running
from tests.support.fakes import SettableClock


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


ROLES = "HV_SIGN_IN__OIDC__ROLES"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({ROLES: "HV Ops=operator,HV Ops=acme:admin"}, ["'HV Ops' is there twice"]),
        ({ROLES: "HV Ops=operator,HV Ops=operator"}, []),
        ({ROLES: "HV Ops=operator,hv ops=admin"}, ["'HV Ops' and 'hv ops' differ"]),
        ({ROLES: "HV Ops=operator,HV\u00a0Ops=admin"}, ["differ in nothing but case"]),
        ({ROLES: "Ops=operator,\uff2fps=admin"}, ["differ in nothing but case"]),
        (
            {ROLES: "/a/Ops=operator,a/Ops=admin", "HV_SIGN_IN__OIDC__SEPARATOR": "/"},
            ["'/a/Ops' and 'a/Ops' name the same group"],
        ),
        (
            {
                ROLES: "/a/Ops/=operator,/a/Ops=admin",
                "HV_SIGN_IN__OIDC__SEPARATOR": "/",
            },
            ["'/a/Ops/' and '/a/Ops' differ"],
        ),
        (
            {ROLES: "Ops=operator,/a/Ops=a:admin", "HV_SIGN_IN__OIDC__SEPARATOR": "/"},
            ["leaves the paths of groups out sends 'Ops' for '/a/Ops', too"],
        ),
        (
            {ROLES: "Ops=operator", "HV_SIGN_IN__OIDC__SEPARATOR": "/"},
            ["'Ops' matches no group that is sent as a path"],
        ),
        (
            {"HV_SIGN_IN__OIDC__ORGANIZATIONS": "Acme=a,acme=b,T1=acme,T2=acme"},
            ["organizations: 'Acme' and 'acme' differ"],
        ),
        ({ROLES: "HV Admins=acme:admin,HV Ops=operator,a:x=editor"}, []),
    ],
)
def test_rules_that_one_group_could_match_twice_are_told(
    tmp_path: Path,
    clock: SettableClock,
    key: Key,
    changed: dict[str, str],
    told: list[str],
) -> None:
    with running(clock, key) as provider:
        found, _register, *doubts = findings(tmp_path, **at(provider.issuer), **changed)

    assert found.state == "ok"
    assert [one.state for one in doubts] == ["warning"] * len(told)
    assert all(text in one.found for text, one in zip(told, doubts, strict=True))
    assert all("Correct" in one.fix for one in doubts)
