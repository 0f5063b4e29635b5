"""The settings of the sign-in backend ``oidc``."""

from typing import Final

import attrs

from hvcore.plugin_api import Role, is_chosen_id
from hvcore_openid_provider.addresses import check_hosts, check_issuer
from hvcore_openid_provider.claims import all_pairs

OPERATOR: Final = "operator"
"""The word in the place of a role that makes a person an operator."""
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
"""The parameters of a sign-in request that the setting ``parameters`` may not have."""


@attrs.frozen(kw_only=True)
class OidcOptions:
    """
    Hold the settings under ``[sign_in.oidc]``.

    Attributes:
        issuer: The provider's address, spelled as the provider spells it.
        client_id: The id with which this service is registered at the provider.
        client_secret: The service's secret at the provider; "" for a public client,
            which has none.
        client_authentication: How the secret is sent: ``client_secret_basic`` or
            ``client_secret_post``.
        scopes: The scopes to ask for, separated by spaces; "" for
            ``openid profile email``, and ``offline_access`` if the provider lists it.
        parameters: Further parameters of the sign-in request, each as ``name=value``.
        further_hosts: Hosts besides the issuer's on which endpoints may be.
        userinfo: Whether the provider's userinfo endpoint is asked, too.
        organizations_claim: The claim with the person's organizations; dots lead into
            nested claims.
        roles_claim: The claim with the person's roles; dots lead into nested claims.
        separator: The character between organization and role in one text, as in
            ``acme:admin``.
        organizations: The provider's names of organizations, each as
            ``provider's name=id``; other names then do not count. If the list is empty,
            the provider's names are the ids.
        roles: The provider's names of roles or groups, each as
            ``provider's name=role``, with a group's whole path. The role is ``admin``,
            ``acme:admin`` (in that organization) or ``operator``; other names then do
            not count. If the list is empty, the provider's names are the roles, and
            nobody is an operator.
        default_role: The role in a person's organizations for which no role is given;
            "" for none.
        email_proof_claim: The claim that is true if the provider vouches for the mail
            address.
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
    """Return whether a text is one of hvcore's roles in an organization."""
    return text in {role.value for role in Role}
