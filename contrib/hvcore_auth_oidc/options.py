"""The settings of the authentication ``oidc``."""

from typing import Final

import attrs

from hvcore.plugin_api import Permission, is_chosen_id
from hvcore_openid_provider.addresses import check_hosts, check_issuer
from hvcore_openid_provider.claims import all_pairs

EVERY: Final = "*"
"""For ``environment``: every one of the organization."""
MAX_LIFETIME_S: Final = 7 * 24 * 3600


@attrs.frozen(kw_only=True)
class AccessTokenOptions:
    """
    Settings under ``[auth.options.oidc]``.

    Lists of pairs are written ``theirs=ours``.

    Attributes:
        issuer: The provider's address, spelled as the provider spells it.
        audience: What the provider calls this API; no other token counts.
        further_hosts: Hosts besides the issuer's that the provider's keys may be on.
        token_types: What ``typ`` in the header of a token may be.
        required_claims: Claims that a token must have besides ``iss``, ``aud``,
            ``sub``, ``exp`` and ``iat``.
        max_lifetime_s: The longest time from ``iat`` to ``exp`` of a token in seconds;
            a token cannot be revoked before it expires.
        organization: The organization of every token; if empty, a claim names it.
        organization_claim: The claim in which the organization stands; dots lead into
            nested claims.
        organizations: The provider's names of organizations, ``theirs=ours``; then no
            other name counts. Empty: the names are the ids.
        environment: The id or name of the environment of every token; ``*`` for every
            environment of the organization; if empty, a claim names it.
        environment_claim: The claim in which the environment stands; dots lead into
            nested claims.
        environments: The provider's names of environments, ``theirs=ours``; then no
            other name counts. Empty: the names are ids or names of environments.
        scope_claim: The claim in which the scopes stand; dots lead into nested claims.
        permissions: The permission that a scope gives, ``scope=permission``; a scope
            may be there several times, and no other scope counts. Empty: scopes have
            the names of permissions.
    """

    issuer: str = attrs.field()
    audience: str = attrs.field()
    further_hosts: tuple[str, ...] = attrs.field(default=())
    token_types: tuple[str, ...] = attrs.field(default=("at+jwt",))
    required_claims: tuple[str, ...] = ("client_id", "jti")
    max_lifetime_s: int = attrs.field(default=24 * 3600)
    organization: str = attrs.field(default="")
    organization_claim: str = attrs.field(default="")
    organizations: tuple[str, ...] = attrs.field(default=())
    environment: str = attrs.field(default="")
    environment_claim: str = attrs.field(default="")
    environments: tuple[str, ...] = attrs.field(default=())
    scope_claim: str = attrs.field(default="scope")
    permissions: tuple[str, ...] = attrs.field(default=())

    @issuer.validator
    def _check_issuer(self, _: object, value: str) -> None:
        check_issuer(value)

    @audience.validator
    def _check_audience(self, _: object, value: str) -> None:
        if not value or not value.isprintable():
            raise ValueError(
                "audience must be what the provider calls this API, such as "
                "https://videos.example.com"
            )

    @further_hosts.validator
    def _check_further_hosts(self, _: object, value: tuple[str, ...]) -> None:
        check_hosts(value)

    @token_types.validator
    def _check_token_types(self, _: object, value: tuple[str, ...]) -> None:
        if not value or not all(value):
            raise ValueError("token_types must name types such as at+jwt or JWT")

    @max_lifetime_s.validator
    def _check_max_lifetime_s(self, _: object, value: int) -> None:
        if not 1 <= value <= MAX_LIFETIME_S:
            raise ValueError(
                f"max_lifetime_s must be from 1 to {MAX_LIFETIME_S}, not {value}"
            )

    @organization.validator
    def _check_organization(self, _: object, value: str) -> None:
        if value and not is_chosen_id(value):
            raise ValueError(
                f"organization must be the id of one (hv orgs list), not {value!r}"
            )

    @organization_claim.validator
    def _check_organization_claim(self, _: object, value: str) -> None:
        if bool(value) is bool(self.organization):
            raise ValueError(
                "give either organization, one for all tokens, or organization_claim, "
                "the claim that names it"
            )

    @organizations.validator
    def _check_organizations(self, _: object, value: tuple[str, ...]) -> None:
        self._check_names("organizations", "org_Xy12=acme", value)

    @environment.validator
    def _check_environment(self, _: object, value: str) -> None:
        if value and value != EVERY and not is_chosen_id(value):
            raise ValueError(
                "environment must be the id or the name of one (hv envs list), or * for "
                f"every one of the organization, not {value!r}"
            )

    @environment_claim.validator
    def _check_environment_claim(self, _: object, value: str) -> None:
        if bool(value) is bool(self.environment):
            raise ValueError(
                "give either environment, one for all tokens or *, or "
                "environment_claim, the claim that names it"
            )

    @environments.validator
    def _check_environments(self, _: object, value: tuple[str, ...]) -> None:
        self._check_names("environments", "production=live", value)

    @scope_claim.validator
    def _check_scope_claim(self, _: object, value: str) -> None:
        if not value:
            raise ValueError("scope_claim must name a claim, such as scope or scp")

    @permissions.validator
    def _check_permissions(self, _: object, value: tuple[str, ...]) -> None:
        known = {permission.value for permission in Permission}
        for theirs, ours in all_pairs(value):
            if not theirs or ours not in known:
                raise ValueError(
                    "permissions must be pairs such as videos.read=videos:read, with "
                    f"one of {', '.join(sorted(known))} behind '='; not "
                    f"{f'{theirs}={ours}'!r}"
                )

    def _check_names(self, name: str, example: str, value: tuple[str, ...]) -> None:
        if value and not getattr(self, f"{name[:-1]}_claim"):
            raise ValueError(f"{name} needs {name[:-1]}_claim, whose names it explains")
        for theirs, ours in all_pairs(value):
            if not theirs or not is_chosen_id(ours):
                raise ValueError(
                    f"{name} must be pairs such as {example}, not {f'{theirs}={ours}'!r}"
                )
