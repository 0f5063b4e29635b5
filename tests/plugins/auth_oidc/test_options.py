"""
What the settings of the authentication ``oidc`` may be.
"""

from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.errors import ConfigError
from hvcore.settings import load
from hvcore_auth_oidc.backend import AccessTokenProvider

PREFIX = "HV_AUTH__OPTIONS__OIDC__"
OPTIONS = {
    "ISSUER": "https://id.example.com/realms/staff",
    "AUDIENCE": "https://videos.example.com",
    "ORGANIZATION_CLAIM": "org",
    "ENVIRONMENT_CLAIM": "env",
}


def provider_of(data: Path, **changed: str | None) -> AccessTokenProvider:
    options = {**OPTIONS, **changed}
    environ = {
        "HV_PLUGINS": "hvcore_auth_apikey.plugin,hvcore_auth_oidc.plugin",
        "HV_AUTH__PROVIDERS": "api-key,oidc",
        **{f"{PREFIX}{name}": text for name, text in options.items() if text},
    }
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        made = services.access.providers[1]
    assert isinstance(made, AccessTokenProvider)
    return made


def test_it_is_chosen_by_its_name_and_asks_nobody(tmp_path: Path) -> None:
    made = provider_of(
        tmp_path,
        ORGANIZATIONS="org_1=acme, org_2=globex",
        PERMISSIONS="hv.read=videos:read, hv.read=analytics:read",
        TOKEN_TYPES="at+jwt, JWT",
        REQUIRED_CLAIMS="azp",
        MAX_LIFETIME_S="600",
    )

    options = made._tokens.options
    assert options.organizations == ("org_1=acme", "org_2=globex")
    assert options.permissions == ("hv.read=videos:read", "hv.read=analytics:read")
    assert options.max_lifetime_s == 600
    assert made.scheme is not None
    assert made.scheme.header == "Authorization"


@pytest.mark.parametrize(
    ("named", "changed"),
    [
        ("issuer", {"ISSUER": "http://id.example.com"}),
        ("issuer", {"ISSUER": "https://id.example.com?x=1"}),
        ("issuer", {"ISSUER": None}),
        ("audience", {"AUDIENCE": None}),
        ("further_hosts", {"FURTHER_HOSTS": "https://keys.example.com"}),
        ("organization", {"ORGANIZATION": "a b", "ORGANIZATION_CLAIM": None}),
        ("organization_claim", {"ORGANIZATION_CLAIM": None}),
        ("organization_claim", {"ORGANIZATION": "acme"}),
        ("organizations", {"ORGANIZATIONS": "org_1"}),
        ("organizations", {"ORGANIZATIONS": "org_1=a b"}),
        (
            "organization_claim",
            {"ORGANIZATION": "a", "ORGANIZATION_CLAIM": None, "ORGANIZATIONS": "b=c"},
        ),
        ("environment_claim", {"ENVIRONMENT_CLAIM": None}),
        ("environment_claim", {"ENVIRONMENT": "*"}),
        ("environment", {"ENVIRONMENT": "**", "ENVIRONMENT_CLAIM": None}),
        ("environments", {"ENVIRONMENTS": "prod=*"}),
        ("permissions", {"PERMISSIONS": "hv.read"}),
        ("permissions", {"PERMISSIONS": "hv.read=videos"}),
        ("max_lifetime_s", {"MAX_LIFETIME_S": "0"}),
        ("max_lifetime_s", {"MAX_LIFETIME_S": "31536000"}),
        ("isssuer", {"ISSSUER": "https://id.example.com"}),
    ],
)
def test_a_wrong_option_is_named(
    tmp_path: Path, named: str, changed: dict[str, str | None]
) -> None:
    with pytest.raises(ConfigError, match=rf"{named}\b"):
        provider_of(tmp_path, **changed)
