"""
The settings of the dashboard and of sign-in.
"""

from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.settings import Settings, load


def read(folder: Path, **environ: str) -> Settings:
    names = {f"HV_{name}": value for name, value in environ.items()}
    return load(config_path=None, environ=names, data_dir=folder).settings


def test_what_is_not_set(tmp_path: Path) -> None:
    settings = read(tmp_path)

    assert settings.dashboard.enabled
    assert settings.dashboard.operators == ()
    assert settings.dashboard.session_idle_s == 12 * 3600
    assert settings.dashboard.session_total_s == 7 * 24 * 3600
    assert settings.sign_in.backend == "link"
    assert settings.sign_in.asked_every_s == 300
    at = settings.public.dashboard_address
    assert at == "http://127.0.0.1:8080/dashboard"


def test_the_dashboard_may_have_an_address_of_its_own(tmp_path: Path) -> None:
    own = read(tmp_path, PUBLIC__DASHBOARD_URL="https://studio.example.com/")
    api = read(tmp_path, PUBLIC__API_URL="https://api.example.com")

    assert own.public.dashboard_address == "https://studio.example.com/dashboard"
    assert api.public.dashboard_address == "https://api.example.com/dashboard"
    with pytest.raises(ConfigError, match=r"studio\.example\.com. @ public"):
        read(tmp_path, PUBLIC__DASHBOARD_URL="studio.example.com")


def test_each_backend_has_options_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    sign_in = read(
        tmp_path / "data",
        SIGN_IN__BACKEND="oidc",
        SIGN_IN__OIDC__ISSUER="https://id.example.com",
        SIGN_IN__OIDC__CLIENT_SECRET_FILE=str(secret),
        SIGN_IN__OPTIONS__SAML__METADATA="x",
    ).sign_in

    assert sign_in.options_of("oidc") == {
        "issuer": "https://id.example.com",
        "client_secret": "s3cret",
    }
    assert sign_in.options_of("saml") == {"metadata": "x"}
    assert sign_in.options_of("link") == {}
    assert "s3cret" not in repr(sign_in)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DASHBOARD__SESSION_IDLE_S", "0"),
        ("DASHBOARD__SESSION_TOTAL_S", "99999999"),
        ("SIGN_IN__ASKED_EVERY_S", "301"),
        ("SIGN_IN__ASKED_EVERY_S", "0"),
        ("SIGN_IN__ATTEMPTS_PER_MINUTE", "0"),
        ("SIGN_IN__SECRET", "short-one"),
    ],
)
def test_values_that_would_not_be_safe_are_refused(
    tmp_path: Path, name: str, value: str
) -> None:
    said = f"{name.partition('__')[2].lower()} must"
    with pytest.raises(ConfigError, match=said) as raised:
        read(tmp_path, **{name: value})

    assert "short-one" not in str(raised.value)
