"""
What the settings of the sign-in ``oidc`` may be.
"""

from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.errors import ConfigError
from hvcore.settings import load
from hvcore_sign_in_oidc.backend import OidcSignIn

BASE = {
    "HV_PLUGINS": "hvcore_sign_in_oidc.plugin",
    "HV_SIGN_IN__BACKEND": "oidc",
    "HV_SIGN_IN__OIDC__ISSUER": "https://id.example.com/realms/staff",
    "HV_SIGN_IN__OIDC__CLIENT_ID": "hv",
}


def provider_of(data: Path, **options: str) -> OidcSignIn:
    prefix = "HV_SIGN_IN__OIDC__"
    environ = {**BASE, **{f"{prefix}{name}": options[name] for name in options}}
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        made = services.sign_in_sessions.providers["oidc"]
    assert isinstance(made, OidcSignIn)
    return made


def test_it_is_chosen_by_its_name(tmp_path: Path) -> None:
    made = provider_of(
        tmp_path,
        ROLES="HV Admins=acme:admin, CN=ops=operator",
        ORGANIZATIONS="org_1=acme",
        PARAMETERS="access_type=offline, prompt=consent",
        FURTHER_HOSTS="oauth2.example.com, www.example.com:8443",
        USERINFO="false",
    )

    assert made._options.roles == ("HV Admins=acme:admin", "CN=ops=operator")
    assert not made._options.userinfo


def test_the_secret_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("s3cret\n")

    made = provider_of(tmp_path, CLIENT_SECRET_FILE=str(file))

    assert made._options.client_secret == "s3cret"
    assert "s3cret" not in repr(made._options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ISSUER", "http://id.example.com"),
        ("ISSUER", "id.example.com"),
        ("ISSUER", "https://user@id.example.com"),
        ("ISSUER", "https://id.example.com?x=1"),
        ("ISSUER", "https://id.example.com:0"),
        ("CLIENT_ID", ""),
        ("CLIENT_AUTHENTICATION", "private_key_jwt"),
        ("SCOPES", "profile email"),
        ("PARAMETERS", "state=fixed"),
        ("PARAMETERS", "redirect_uri=https://evil.example.com"),
        ("PARAMETERS", "access_type"),
        ("FURTHER_HOSTS", "https://id.example.com"),
        ("FURTHER_HOSTS", "id.example.com/path"),
        ("SEPARATOR", "::"),
        ("ORGANIZATIONS", "acme"),
        ("ORGANIZATIONS", "org_1=a b"),
        ("ROLES", "HV Admins"),
        ("ROLES", "HV Admins=boss"),
        ("ROLES", "HV Admins=a b:admin"),
        ("ROLES", "HV Admins=acme:operator"),
        ("DEFAULT_ROLE", "operator"),
        ("ISSSUER", "https://id.example.com"),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name.lower()}\b"):
        provider_of(tmp_path, **{name: value})


def test_a_secret_of_several_lines_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="client_secret") as refused:
        provider_of(tmp_path, CLIENT_SECRET="two\nlines")

    assert "two" not in str(refused.value)
