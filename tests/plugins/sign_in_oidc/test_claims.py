"""
Which roles the claims of providers give.
"""

from typing import Any

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.identities import Identity
from hvcore_openid_provider.claims import find_claim
from hvcore_sign_in_oidc.claims import MAX_ORGANIZATIONS, ClaimRules
from hvcore_sign_in_oidc.options import OidcOptions

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

    by_role = identity_of(
        claims, roles_claim="groups", roles=("acme:boss=acme:editor",)
    )
    by_org = identity_of(claims, roles_claim="groups", organizations=("acme=acme",))

    assert by_role.roles == {"acme": EDITOR}
    assert by_org.roles == {"acme": ADMIN}


OF_GROUPS = (
    "HV Operators=operator",
    "HV A Admins=orga:admin",
    "HV Editors=editor",
    "/orgb/HV B Admins=orgb:admin",
    "orgc/HV C Admins=orgc:admin",
)


@pytest.mark.parametrize(
    "group",
    [
        pytest.param("/orgb/HV Operators", id="a path with the name of a rule"),
        pytest.param("orgb/HV Operators", id="without the first slash"),
        pytest.param("/HV Operators", id="a path of one part"),
        pytest.param("/orgb/HV A Admins", id="below another organization"),
        pytest.param("/orga/HV A Admins", id="below the rule's own organization"),
        pytest.param("/orgb/HV Editors", id="a role without an organization"),
        pytest.param("/HV B Admins", id="the end of a rule's path"),
        pytest.param("HV B Admins", id="the name at the end of a rule's path"),
        pytest.param("orgb:HV B Admins", id="another separator"),
        pytest.param("/x/orgb/HV B Admins", id="a rule's path further down"),
        pytest.param("/orgb/HV B Admins/x", id="below a rule's path"),
        pytest.param("/orgb/HV B", id="the beginning of a rule's path"),
        pytest.param("/orgb/HV B Admins/", id="a slash at the end"),
        pytest.param("//orgb/HV B Admins", id="two slashes"),
        pytest.param("/orgb//HV B Admins", id="two slashes inside"),
        pytest.param("/orgb/./HV B Admins", id="dots"),
        pytest.param("/x/../orgb/HV B Admins", id="dots that lead up"),
        pytest.param("/orgb/hv b admins", id="another case, as a path"),
        pytest.param("hv operators", id="another case"),
        pytest.param("HV Operators ", id="a space at the end"),
        pytest.param("HV  Operators", id="two spaces"),
        pytest.param("HV\u00a0Operators", id="a space that does not break"),
        pytest.param("HV Operators\0", id="a null character"),
        pytest.param("HV \u041eperators", id="a cyrillic letter"),
        pytest.param("\uff28V Operators", id="a wide letter"),
        pytest.param("HV Operators\u200b", id="a character of no width"),
        pytest.param("HV Operator\u017f", id="a long s"),
        pytest.param("\u2215orgb\u2215HV B Admins", id="another slash"),
        pytest.param("HV Operators,HV A Admins", id="two in one text"),
        pytest.param(["HV Operators"], id="a list in a list"),
        pytest.param({"HV Operators": True}, id="an object in a list"),
        pytest.param(7, id="a number"),
        pytest.param(True, id="a boolean"),
    ],
)
def test_a_group_that_is_no_rule_as_a_whole_gives_nothing(group: object) -> None:
    found = identity_of(
        {"groups": [group], "org": "home"},
        roles_claim="groups",
        organizations_claim="org",
        separator="/",
        roles=OF_GROUPS,
    )

    assert (found.roles, found.is_operator) == ({}, False)


@pytest.mark.parametrize(
    ("groups", "roles", "is_operator"),
    [
        (["HV Operators"], {}, True),
        ("HV Operators", {}, True),
        ("HV A Admins", {"orga": ADMIN}, False),
        (["HV A Admins", "HV Editors"], {"orga": ADMIN, "home": EDITOR}, False),
        (
            ["/orgb/HV B Admins", "/orgc/HV C Admins"],
            {"orgb": ADMIN, "orgc": ADMIN},
            False,
        ),
    ],
)
def test_a_group_is_compared_whole(
    groups: object, roles: dict[str, Role], *, is_operator: bool
) -> None:
    found = identity_of(
        {"groups": groups, "org": "home"},
        roles_claim="groups",
        organizations_claim="org",
        separator="/",
        roles=OF_GROUPS,
    )

    assert (found.roles, found.is_operator) == (roles, is_operator)


@pytest.mark.parametrize(
    ("entry", "roles"),
    [
        (["HV Editors"], {"orgb": EDITOR}),
        ({"roles": ["HV Editors"]}, {"orgb": EDITOR}),
        (["HV Operators", "HV A Admins"], {}),
        ({"roles": "HV Operators"}, {}),
        (["/orgc/HV C Admins", "admin", 7, None, ["HV Editors"]], {}),
    ],
)
@pytest.mark.parametrize("claim", ["roles_claim", "organizations_claim"])
def test_a_role_inside_an_organization_gives_nothing_outside(
    claim: str, entry: object, roles: dict[str, Role]
) -> None:
    found = identity_of({"orgs": {"orgb": entry}}, **{claim: "orgs"}, roles=OF_GROUPS)

    assert (found.roles, found.is_operator) == (roles, False)


@pytest.mark.parametrize("organizations", [(), ("HV Operators=acme", "ops=acme")])
def test_an_organization_called_as_a_group_gives_none_of_its_roles(
    organizations: tuple[str, ...],
) -> None:
    found = identity_of(
        {"orgs": ["HV Operators", "ops", "/ops"]},
        organizations_claim="orgs",
        organizations=organizations,
        roles=("ops=operator", "HV Operators=operator"),
    )

    assert (found.roles, found.is_operator) == ({}, False)


@pytest.mark.parametrize(
    ("organization", "roles"),
    [
        ("/customers/acme", {"acme": VIEWER}),
        ("customers/acme", {"acme": VIEWER}),
        ("/acme", {}),
        ("acme", {}),
        ("/customers/acme/", {}),
        ("/customers/Acme", {}),
        ("/x/customers/acme", {}),
        ("/customers", {}),
    ],
)
def test_an_organization_is_compared_whole(
    organization: str, roles: dict[str, Role]
) -> None:
    found = identity_of(
        {"groups": [organization]},
        organizations_claim="groups",
        separator="/",
        organizations=("/customers/acme=acme",),
        default_role="viewer",
    )

    assert found.roles == roles


def test_a_whole_name_of_an_organization_gives_no_role_in_another() -> None:
    found = identity_of(
        {"groups": ["/acme/admin"]},
        organizations_claim="groups",
        separator="/",
        organizations=("acme=acme", "acme/admin=acme-office"),
        default_role="viewer",
    )

    assert found.roles == {"acme-office": Role.VIEWER}


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
