"""The settings of the sign-in backend ``oidc``."""

from typing import Final

import attrs

from hvcore.plugin_api import Role, is_chosen_id
from hvcore_openid_provider.addresses import check_hosts, check_issuer
from hvcore_openid_provider.claims import all_pairs

OPERATOR: Final = "operator"
"""What stands for a role where the person becomes an operator."""
METHODS: Final = ("client_secret_basic", "client_secret_post")
_OURS: Final = frozenset(
    {
        "client_id",
        "client_secret",
        "code_challenge",
        "code_challenge_method",
        "nonce",
        "redirect_uri",
        "request",
        "request_uri",
        "response_mode",
        "response_type",
        "scope",
        "state",
    }
)
"""Parameters of a request for sign-in that are not the deployer's to choose."""


@attrs.frozen(kw_only=True)
class OidcOptions:
    """
    Settings under ``[sign_in.oidc]``.

    Lists of pairs are written ``theirs=ours``.

    Attributes:
        issuer: The provider's address, spelled as the provider spells it.
        client_id: The id of this service, as it is registered at the provider.
        client_secret: The secret that the provider gave this service; empty for a public
            client, which has none.
        client_authentication: How the secret is sent: ``client_secret_basic`` (in a header)
            or ``client_secret_post`` (in the body).
        scopes: The scopes that are asked for, separated by spaces; empty: ``openid profile email``, and
            ``offline_access`` if the provider knows it.
        parameters: Further parameters of the request for sign-in, ``name=value``.
        further_hosts: Hosts besides the issuer's that the provider's endpoints may be on.
        userinfo: Whether the provider's userinfo endpoint is asked, too.
        organizations_claim: The claim in which the person's organizations stand; dots lead inside.
        roles_claim: The claim in which the person's roles stand; dots lead inside.
        separator: The character between organization and role in one text, as in
            ``acme:admin``.
        organizations: The provider's names of organizations, ``theirs=ours``; then no
            other name counts. Empty: the names are the ids.
        roles: The provider's names of roles or groups, ``theirs=ours``, whole: a path
            as a path. Ours are ``admin``, ``acme:admin`` (in that organization) or
            ``operator``; then no other name counts. Empty: the names are ours, and
            nobody is an operator.
        default_role: The role in the person's organizations for which the provider names
            none; empty: the person does not get in there.
        email_proof_claim: The claim that is true if the provider vouches for the mail address.
    """

    issuer: str = attrs.field()
    client_id: str = attrs.field()
    client_secret: str = attrs.field(default="", repr=False)
    client_authentication: str = attrs.field(default="client_secret_basic")
    scopes: str = attrs.field(default="")
    parameters: tuple[str, ...] = attrs.field(default=())
    further_hosts: tuple[str, ...] = attrs.field(default=())
    userinfo: bool = True
    organizations_claim: str = ""
    roles_claim: str = ""
    separator: str = attrs.field(default=":")
    organizations: tuple[str, ...] = attrs.field(default=())
    roles: tuple[str, ...] = attrs.field(default=())
    default_role: str = attrs.field(default="")
    email_proof_claim: str = "email_verified"

    @issuer.validator
    def _check_issuer(self, _: object, value: str) -> None:
        check_issuer(value)

    @client_id.validator
    def _check_client_id(self, _: object, value: str) -> None:
        if not value or not value.isprintable():
            raise ValueError(
                "client_id must be the id that the provider gave this service"
            )

    @client_secret.validator
    def _check_client_secret(self, _: object, value: str) -> None:
        # A key pasted with its line breaks; not repeated, it is a secret.
        if not value.isprintable():
            raise ValueError("client_secret must be one line")

    @client_authentication.validator
    def _check_client_authentication(self, _: object, value: str) -> None:
        if value not in METHODS:
            raise ValueError(
                f"client_authentication must be {' or '.join(METHODS)}, not {value!r}"
            )

    @scopes.validator
    def _check_scopes(self, _: object, value: str) -> None:
        if value and "openid" not in value.split():
            raise ValueError(f"scopes must have openid among them, not {value!r}")

    @parameters.validator
    def _check_parameters(self, _: object, value: tuple[str, ...]) -> None:
        for pair in value:
            name, found, _rest = pair.partition("=")
            if not name or not found or name in _OURS:
                raise ValueError(
                    "parameters must be pairs such as access_type=offline, without those that "
                    f"the service sends itself; not {pair!r}"
                )

    @further_hosts.validator
    def _check_further_hosts(self, _: object, value: tuple[str, ...]) -> None:
        check_hosts(value)

    @separator.validator
    def _check_separator(self, _: object, value: str) -> None:
        if len(value) != 1 or value.isspace():
            raise ValueError(f"separator must be one character, not {value!r}")

    @organizations.validator
    def _check_organizations(self, _: object, value: tuple[str, ...]) -> None:
        for theirs, ours in all_pairs(value):
            if not theirs or not is_chosen_id(ours):
                raise ValueError(
                    "organizations must be pairs such as org_Xy12=acme, with the id of an "
                    f"organization behind '='; not {f'{theirs}={ours}'!r}"
                )

    @roles.validator
    def _check_roles(self, _: object, value: tuple[str, ...]) -> None:
        for theirs, ours in all_pairs(value):
            org_id, _found, role = ours.rpartition(":")
            is_role = is_role_name(role) and (not org_id or is_chosen_id(org_id))
            if not theirs or not (is_role or ours == OPERATOR):
                raise ValueError(
                    "roles must be pairs such as video-admins=admin, staff=acme:viewer or "
                    f"ops=operator; not {f'{theirs}={ours}'!r}"
                )

    @default_role.validator
    def _check_default_role(self, _: object, value: str) -> None:
        if value and not is_role_name(value):
            raise ValueError(
                f"default_role must be viewer, editor or admin, not {value!r}"
            )


def is_role_name(text: str) -> bool:
    """Return whether this is a role of ours."""
    return text in {role.value for role in Role}
