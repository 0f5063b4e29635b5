"""
What the claims of a token make a caller.
"""

import pytest

from hvcore.plugin_api import KeyType, Permission, UnauthorizedError
from tests.plugins.auth_oidc.conftest import Make

READ, WRITE = Permission.VIDEOS_READ, Permission.VIDEOS_WRITE


def test_scopes_called_as_permissions_permit_that_alone(make: Make) -> None:
    found = make().accepted(scope="openid videos:read VIDEOS:WRITE videos:* other")

    assert found.permissions == {READ}
    assert (found.org_id, found.env_id, found.type) == (
        *("acme", "live"),
        KeyType.ENVIRONMENT,
    )


@pytest.mark.parametrize(
    "scope", ["", None, 5, {"videos:read": True}, [["videos:read"]]]
)
def test_a_token_without_scopes_permits_nothing(make: Make, scope: object) -> None:
    assert make().accepted(scope=scope).permissions == frozenset()


@pytest.mark.parametrize(
    ("scope", "permissions"),
    [
        (["videos:read"], {READ}),
        (["no videos:write", "videos:read"], {READ}),
        (["VIDEOS:WRITE", "videos:write ", "/videos:write", 7, None], set()),
        ("no videos:write", {WRITE}),
        ("no\u00a0videos:write no\tvideos:write no\nvideos:write", set()),
        ("videos:write/ x/videos:write videos:writ\u0435 videos:wri", set()),
    ],
)
def test_a_scope_is_compared_whole(
    make: Make, scope: object, permissions: set[Permission]
) -> None:
    assert make().accepted(scope=scope).permissions == permissions


@pytest.mark.parametrize(
    "name", ["/acme", "acme/", "ACME", "x/acme", "acme ", "\u0430cme", 7, {"acme": 1}]
)
@pytest.mark.parametrize("claim", ["org", "env"])
def test_a_place_is_compared_whole(make: Make, claim: str, name: object) -> None:
    desk = make(organizations=("acme=acme",), environments=("acme=live",))

    assert desk.accepted(org="acme", env="acme")
    with pytest.raises(UnauthorizedError):
        desk.asked(desk.token(**{"org": "acme", "env": "acme", claim: name}))


def test_names_that_one_claim_could_match_twice_are_told(make: Make) -> None:
    backend = make(
        organizations=("Acme=acme", "acme=globex"),
        environments=("prod=live", "prod=dev"),
        permissions=("w=videos:read", "w=videos:write", "W=videos:read"),
    ).backend

    first, second, third = backend.ambiguous_settings()

    assert "organizations: 'Acme' and 'acme'" in first
    assert "environments: 'prod' is there twice" in second
    assert "permissions: 'w' and 'W'" in third
    assert make().backend.ambiguous_settings() == []


def test_the_settings_say_what_scopes_permit_and_no_other_counts(make: Make) -> None:
    desk = make(
        permissions=(
            "hv/write=videos:read",
            "hv/write=videos:write",
            "a=b=videos:read",
        ),
        scope_claim="resource_access.videos.roles",
    )

    def permitted(*roles: str) -> frozenset[Permission]:
        inside = {"videos": {"roles": list(roles)}}
        return desk.accepted(resource_access=inside).permissions

    assert permitted("hv/write") == {READ, WRITE}
    assert permitted("a=b") == {READ}
    assert permitted("videos:read") == frozenset()


def test_the_settings_translate_names_and_no_other_counts(make: Make) -> None:
    desk = make(
        organizations=("org_Xy 12=acme",),
        environments=("production=live", "prod=live"),
    )
    found = desk.accepted(org="org_Xy 12", env=["production", "prod"])

    assert (found.org_id, found.env_id) == ("acme", "live")
    for wrong in ({"org": "acme"}, {"env": "live"}):
        with pytest.raises(UnauthorizedError):
            desk.asked(desk.token(**{"org": "org_Xy 12", "env": "prod", **wrong}))


@pytest.mark.parametrize(
    ("environment", "env_id", "kind"),
    [("live", "live", KeyType.ENVIRONMENT), ("*", None, KeyType.FULL_ACCESS)],
)
def test_the_settings_may_name_one_place_for_all_tokens(
    make: Make, environment: str, env_id: str | None, kind: KeyType
) -> None:
    desk = make(
        organization="acme",
        organization_claim="",
        environment=environment,
        environment_claim="",
    )
    found = desk.accepted(org="globex", env="other")

    assert (found.org_id, found.env_id, found.type) == ("acme", env_id, kind)


def test_a_caller_is_the_same_in_each_of_its_tokens_and_nobody_elses(
    make: Make,
) -> None:
    desk, elsewhere = make(), make()

    def key_id(sub: str) -> str | None:
        return desk.accepted(sub=sub).key_id

    assert key_id("Zoë|7") == key_id("Zoë|7") == elsewhere.accepted(sub="Zoë|7").key_id
    assert key_id("Zoë|7") != key_id("Zoe|7")


def test_a_deployer_may_take_tokens_that_are_not_of_rfc_9068(make: Make) -> None:
    desk = make(token_types=("JWT",), required_claims=("azp",))
    good = desk.claims(azp="uploader")
    del good["client_id"], good["jti"]

    assert desk.asked(desk.signed(good, typ="JWT"))
    assert desk.asked(desk.signed(good, typ=None))
    assert desk.asked(desk.signed({**good, "jti": 7, "amr": "pwd"}, typ="JWT"))
    for wrong in (desk.claims(), {**good, "nonce": "of an ID token"}):
        with pytest.raises(UnauthorizedError):
            desk.asked(desk.signed(wrong, typ="JWT"))
