"""
Which roles the claims of providers give.
"""

from typing import Any

import pytest

from hv_openid_provider.claims import find_claim
from hv_sign_in_oidc.claims import MAX_ORGANIZATIONS, ClaimRules
from hv_sign_in_oidc.options import OidcOptions
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.identities import Identity

VIEWER, EDITOR, ADMIN = Role.VIEWER, Role.EDITOR, Role.ADMIN


def identity_of(
    *sources: dict[str, Any],
    **options: Any,  # noqa: ANN401 - fields
) -> Identity:
    made = OidcOptions(issuer="https://id.example.com", client_id="hv", **options)
    return ClaimRules.of(made).identity("ada", sources)


@pytest.mark.parametrize(
    ("claims", "options", "roles"),
    [
        pytest.param(
            {"organization": ["acme"], "realm_access": {"roles": ["editor", "other"]}},
            {
                "organizations_claim": "organization",
                "roles_claim": "realm_access.roles",
            },
            {"acme": EDITOR},
            id="keycloak: organizations and realm roles",
        ),
        pytest.param(
            {
                "organization": {
                    "acme": {"id": "42", "roles": ["admin"]},
                    "globex": {},
                },
                "resource_access": {"hv.app": {"roles": ["viewer"]}},
            },
            {
                "organizations_claim": "organization",
                "roles_claim": "resource_access.hv.app.roles",
            },
            {"acme": ADMIN, "globex": VIEWER},
            id="keycloak: a map, and roles of a client with a dot",
        ),
        pytest.param(
            {"groups": ["/acme/admin", "/globex/viewer", "/other", "/a/b/editor"]},
            {"roles_claim": "groups", "separator": "/"},
            {"acme": ADMIN, "globex": VIEWER},
            id="keycloak: paths of groups",
        ),
        pytest.param(
            {
                "org_id": "org_9Xb",
                "https://videos.example.com/roles": ["Editor"],
            },
            {
                "organizations_claim": "org_id",
                "organizations": ("org_9Xb=acme",),
                "roles_claim": "https://videos.example.com/roles",
            },
            {"acme": EDITOR},
            id="auth0: one organization, and a claim that is an address",
        ),
        pytest.param(
            {"groups": ["Everyone", "HV Admins", "HV Editors Globex"]},
            {
                "roles_claim": "groups",
                "roles": ("HV Admins=acme:admin", "HV Editors Globex=globex:editor"),
            },
            {"acme": ADMIN, "globex": EDITOR},
            id="okta: names of groups",
        ),
        pytest.param(
            {"groups": ["hv-acme-admin", "hv-globex-viewer", "other"]},
            {
                "roles_claim": "groups",
                "separator": "-",
                "organizations": ("hv-acme=acme", "hv-globex=globex"),
            },
            {"acme": ADMIN, "globex": VIEWER},
            id="okta: groups by a pattern",
        ),
        pytest.param(
            {"roles": ["acme:admin"], "groups": ["0f1e-77"]},
            {"roles_claim": "roles"},
            {"acme": ADMIN},
            id="entra: roles of the app",
        ),
        pytest.param(
            {"groups": ["8f3c0a52-1111-2222-3333-444455556666", "unknown"]},
            {
                "roles_claim": "groups",
                "roles": ("8f3c0a52-1111-2222-3333-444455556666=acme:editor",),
            },
            {"acme": EDITOR},
            id="entra: ids of groups",
        ),
        pytest.param(
            {"hd": "acme.example", "email": "ada@acme.example"},
            {
                "organizations_claim": "hd",
                "organizations": ("acme.example=acme",),
                "default_role": "viewer",
            },
            {"acme": VIEWER},
            id="google: the domain, which members may see",
        ),
        pytest.param(
            {"roles": {"acme": ["viewer", "editor"], "globex": "admin"}},
            {"roles_claim": "roles"},
            {"acme": EDITOR, "globex": ADMIN},
            id="a map of roles",
        ),
        pytest.param(
            {"organizations": ["acme:admin", "globex"]},
            {"organizations_claim": "organizations", "default_role": "viewer"},
            {"acme": ADMIN, "globex": VIEWER},
            id="organizations with their roles",
        ),
    ],
)
def test_each_provider_says_it_in_its_own_way(
    claims: dict[str, Any], options: dict[str, Any], roles: dict[str, Role]
) -> None:
    assert identity_of(claims, **options).roles == roles


def test_the_strongest_of_several_roles_counts() -> None:
    claims = {"groups": ["acme:viewer", "acme:admin", "acme:editor"]}

    assert identity_of(claims, roles_claim="groups").roles == {"acme": ADMIN}


def test_roles_of_token_and_userinfo_count_both() -> None:
    token, userinfo = {"groups": ["acme:viewer"]}, {"groups": ["globex:viewer"]}

    roles = identity_of(token, userinfo, roles_claim="groups").roles

    assert roles == {"acme": VIEWER, "globex": VIEWER}


def test_an_organization_without_a_role_gives_none() -> None:
    claims = {"organization": ["acme"]}

    assert identity_of(claims, organizations_claim="organization").roles == {}


def test_a_role_without_an_organization_gives_none() -> None:
    assert identity_of({"roles": ["admin"]}, roles_claim="roles").roles == {}


def test_only_names_in_the_settings_count_where_there_are_any() -> None:
    claims = {"groups": ["acme:admin", "evil:admin", "admin", "acme:boss"]}

    by_role = identity_of(claims, roles_claim="groups", roles=("boss=editor",))
    by_org = identity_of(claims, roles_claim="groups", organizations=("acme=acme",))

    assert by_role.roles == {"acme": EDITOR}
    assert by_org.roles == {"acme": ADMIN}


def test_the_provider_makes_an_operator_only_by_the_settings() -> None:
    claims = {"groups": ["operator", "acme:operator", "ops"]}

    named = identity_of(claims, roles_claim="groups", roles=("ops=operator",))
    unnamed = identity_of(claims, roles_claim="groups")

    assert named.is_operator
    assert not named.roles
    assert not unnamed.is_operator
    assert not unnamed.roles


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        True,
        [None, 5, ["acme:admin"], {"acme": "admin"}],
        {"acme": 5, "globex": {"roles": 7}, "": "admin"},
        ["", ":", "acme:", ":admin", "a b:admin", "../x:admin", "\0:admin", "x" * 99],
        [f"{'x' * 65}:admin"],
        "acme:root",
    ],
)
def test_what_is_no_role_gives_none(value: object) -> None:
    claims = {"groups": value}

    assert identity_of(claims, roles_claim="groups").roles == {}
    assert identity_of(claims, organizations_claim="groups").roles == {}


def test_so_many_organizations_are_believed_and_no_more() -> None:
    claims = {"groups": [f"org-{number}:viewer" for number in range(5000)]}

    assert len(identity_of(claims, roles_claim="groups").roles) == MAX_ORGANIZATIONS


@pytest.mark.parametrize(
    ("proof", "is_proven"),
    [
        (True, True),
        ("true", True),
        ("1", True),
        (1, True),
        (False, False),
        ("false", False),
        ("yes", False),
        (1.0, False),
        (None, False),
        ([True], False),
    ],
)
def test_an_address_is_proven_if_the_provider_says_so(
    proof: object, *, is_proven: bool
) -> None:
    claims = {"email": "ada@example.com", "email_verified": proof}

    assert identity_of(claims).is_email_proven is is_proven
    assert identity_of(claims, email_proof_claim="xms_edov").is_email_proven is False


def test_the_proof_is_about_the_same_address() -> None:
    """
    An address from userinfo is not proven by what the ID token says of another.
    """
    token = {"email_verified": True}
    userinfo = {"email": "boss@example.com"}

    identity = identity_of(token, userinfo)

    assert identity.email == "boss@example.com"
    assert not identity.is_email_proven


def test_a_name_is_found_wherever_it_is() -> None:
    assert identity_of({}, {"name": "Ada"}).name == "Ada"
    assert identity_of({"preferred_username": "ada"}, {}).name == "ada"
    assert identity_of({"name": 5}).name == ""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", {"b.c": {"d": 1}, "b": {"e": 2}}),
        ("a.b.c.d", 1),
        ("a.b.e", 2),
        ("x.y", 3),
        ("a.b.z", None),
        ("x.y.z", None),
        (".", None),
    ],
)
def test_dots_lead_inside_and_may_be_part_of_names(path: str, found: object) -> None:
    claims = {"a": {"b.c": {"d": 1}, "b": {"e": 2}}, "x.y": 3}

    assert find_claim(claims, path) == found
