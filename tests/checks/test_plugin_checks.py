"""
What ``hv doctor`` says of the backends that recognise callers.
"""

from pathlib import Path

from hvcore.assembly import build
from hvcore.settings import load
from hvcore_checks.plugin_checks import auth

OPTION = "HV_AUTH__OPTIONS__OIDC__"


def test_names_that_one_claim_could_match_twice_are_told(tmp_path: Path) -> None:
    environ = {
        "HV_AUTH__PROVIDERS": "api-key,oidc",
        f"{OPTION}ISSUER": "https://id.example.com",
        f"{OPTION}AUDIENCE": "https://videos.example.com",
        f"{OPTION}ORGANIZATION": "acme",
        f"{OPTION}ENVIRONMENT_CLAIM": "hv_env",
        f"{OPTION}ENVIRONMENTS": "Prod=live,prod=dev",
    }
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings

    with build(settings, rings=False) as services:
        fine, doubt = auth(services)

    assert (fine.state, fine.found) == ("ok", "api-key, oidc")
    assert doubt.state == "warning"
    assert "environments: 'Prod' and 'prod' differ" in doubt.found
    assert "HV_AUTH__OPTIONS" in doubt.fix
