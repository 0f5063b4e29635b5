"""
The API follows the authentication that was chosen: what it describes, what pages of other
origins may send, and which names of environments count.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from falcon.testing import Result, TestClient

from hvcore.assembly import Services, build
from hvcore.plugin_api import (
    AuthProvider,
    BearerScheme,
    Credentials,
    CredentialScheme,
    EnvId,
    HeaderScheme,
    KeyId,
    KeyType,
    OrgId,
    Permission,
    Principal,
)
from hvcore_api.app import make_api
from hvcore_api.docs_page.families import operations_of
from hvcore_auth_apikey.backend import SCHEME as API_KEY
from tests.support.http.world import ORG, ORIGIN, World, problem_of

ASKED = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}
STAFF = HeaderScheme(
    name="Staff", header="X-Staff", about="The name of an environment."
)
TOKEN = BearerScheme(name="Token", bearer_format="JWT")
Open = Callable[..., TestClient]


class Staff(AuthProvider):
    """
    Takes the environment that stands in its header.
    """

    def __init__(self, scheme: CredentialScheme | None = STAFF) -> None:
        self.scheme = scheme

    def authenticate(self, credentials: Credentials) -> Principal | None:
        named = credentials.headers.get("x-staff")
        if named is None:
            return None
        return Principal(
            key_id=KeyId("staff"),
            type=KeyType.ENVIRONMENT,
            org_id=OrgId(ORG),
            env_id=EnvId(named),
            permissions=frozenset({Permission.VIDEOS_READ}),
        )


@pytest.fixture
def opened(api: World) -> Iterator[Open]:
    made: list[Services] = []

    def one(*providers: AuthProvider) -> TestClient:
        overrides: dict[str, object] = {
            "clock": api.clock,
            "storage": api.storage,
            "queue": api.queue,
            "transcoder": api.transcoder,
        }
        if providers:
            overrides["auth_providers"] = providers
        made.append(build(api.services.settings, overrides=overrides))
        return TestClient(make_api(made[-1]))

    yield one
    for services in made:
        services.close()


def allowed(client: TestClient) -> set[str]:
    result = client.simulate_options("/v1/videos", headers=ASKED)
    return set(result.headers["Access-Control-Allow-Headers"].split(", "))


def described(client: TestClient) -> dict[str, Any]:
    document: dict[str, Any] = client.simulate_get("/v1/openapi.json").json
    return document


def test_without_other_providers_nothing_but_api_keys_is_described(api: World) -> None:
    document = described(api.client)

    assert document["components"]["securitySchemes"] == {
        "ApiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}
    }
    assert document["paths"]["/v1/whoami"]["get"]["security"] == [{"ApiKey": []}]
    assert "X-Api-Key" in allowed(api.client)
    assert "Authorization" not in allowed(api.client)


def test_every_scheme_is_described_and_may_be_sent(opened: Open) -> None:
    client = opened(Staff(), Staff(TOKEN), Staff(None))

    document = described(client)
    assert document["components"]["securitySchemes"] == {
        "Staff": {
            "type": "apiKey",
            "in": "header",
            "name": "X-Staff",
            "description": "The name of an environment.",
        },
        "Token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    }
    whoami = document["paths"]["/v1/whoami"]["get"]
    assert whoami["security"] == [{"Staff": []}, {"Token": []}]
    assert document["paths"]["/health"]["get"]["security"] == []
    assert {"X-Staff", "Authorization"} <= allowed(client)
    assert "X-Api-Key" not in allowed(client)


def test_schemes_of_one_name_are_told_apart_and_equal_ones_are_one(
    opened: Open,
) -> None:
    other = HeaderScheme(name="Staff", header="X-Other")
    found = described(opened(Staff(), Staff(), Staff(other)))

    schemes: Mapping[str, Any] = found["components"]["securitySchemes"]
    assert {name: one["name"] for name, one in schemes.items()} == {
        "Staff": "X-Staff",
        "Staff-2": "X-Other",
    }


@pytest.mark.parametrize(
    ("scheme", "header"),
    [
        (API_KEY, "X-Api-Key: $KEY"),
        (STAFF, "X-Staff: $KEY"),
        (TOKEN, "Authorization: Bearer $KEY"),
    ],
)
def test_examples_send_what_is_looked_for_first(
    opened: Open, scheme: CredentialScheme, header: str
) -> None:
    client = opened(Staff(scheme), Staff(TOKEN))

    operations = {one.path: one for one in operations_of(described(client))}
    assert operations["/v1/whoami"].credential == header
    assert operations["/health"].credential == ""
    page = client.simulate_get("/docs/api/").text
    # The key is an element of its own, in whose place a reader's key is shown.
    assert header in html.unescape(re.sub("<[^>]+>", "", page))


@pytest.mark.parametrize(
    ("providers", "detail", "challenge"),
    [
        ([], "Send a valid API key in the header X-Api-Key.", None),
        ([Staff()], "Send valid credentials in the header X-Staff.", None),
        (
            [Staff(), Staff(TOKEN)],
            "Send valid credentials in the header X-Staff or as Authorization: Bearer.",
            "Bearer",
        ),
    ],
)
def test_a_caller_without_valid_credentials_is_told_what_to_send(
    opened: Open, providers: list[AuthProvider], detail: str, challenge: str | None
) -> None:
    answer = opened(*providers).simulate_get("/v1/whoami")

    assert answer.status_code == 401
    assert answer.json["detail"] == detail
    assert answer.headers.get("WWW-Authenticate") == challenge


def asked(client: TestClient, path: str, env: str) -> Result:
    return client.simulate_get(path, headers={"X-Staff": env})


def test_a_provider_names_an_environment_by_its_id_or_its_name(
    api: World, opened: Open
) -> None:
    """
    Everywhere: in whoami, in lists, by the environment's own address and by a video's.
    """
    client = opened(Staff())
    video = api.public_id(api.ready(name="mine"))
    own = f"/v1/api/{ORG}/environments/live"

    for env in (api.env.id, "live"):
        assert asked(client, "/v1/whoami", env).json["body"]["envID"] == "live"
        for path in ("/v1/videos", f"{own}/videos", f"/v1/videos/{video}"):
            assert asked(client, path, env).status_code == 200, path
        named = asked(client, f"/v1/api/{ORG}/environments", env).json["body"]
        assert "live" in str(named)
        assert "dev" not in str(named)
        other = asked(client, f"/v1/api/{ORG}/environments/dev/videos", env)
        assert other.status_code == 403


def test_an_environment_that_is_not_there_is_refused_and_the_log_says_so(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    """
    With 403 wherever it goes: the credentials are good, and for no place.
    """
    client = opened(Staff())
    own = f"/v1/api/{ORG}/environments"
    paths = [own, f"{own}/live/videos", f"{own}/lvie/videos"]

    for path in ("/v1/videos", "/v1/whoami", *paths):
        problem_of(asked(client, path, "lvie"), 403, "forbidden")
    assert "hv envs list" in caplog.text
    assert {one.__dict__.get("hv_environment") for one in caplog.records} >= {"lvie"}
