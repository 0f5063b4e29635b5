"""Turn the claims of an access token into a principal."""

import hashlib
from collections.abc import Mapping

import attrs

from hvcore.plugin_api import (
    EnvId,
    KeyId,
    KeyType,
    OrgId,
    Permission,
    Principal,
    is_chosen_id,
)
from hvcore_auth_oidc.options import EVERY, AccessTokenOptions
from hvcore_openid_provider.claims import (
    Claims,
    all_pairs,
    find_claim,
    pairs,
    texts_of,
)


class NoCallerError(Exception):
    """The claims of a token name no organization or environment; the text says why, for the log."""


@attrs.frozen(kw_only=True)
class CallerRules:
    """
    The rules by which the claims of an access token name the caller and its permissions.

    Attributes:
        organizations: Our ids of organizations, by the provider's names of them; if
            empty, the provider's names are the ids.
        environments: Our ids or names of environments, by the provider's names of them;
            if empty, the provider's names are ours.
        permissions: The permissions that each scope of a token gives.
    """

    options: AccessTokenOptions
    organizations: Mapping[str, str]
    environments: Mapping[str, str]
    permissions: Mapping[str, frozenset[Permission]]

    @classmethod
    def of(cls, options: AccessTokenOptions) -> "CallerRules":
        """Return the rules for claims that follow from the settings ``[auth.options.oidc]``."""
        given = list(all_pairs(options.permissions)) or [
            (permission.value, permission.value) for permission in Permission
        ]
        permissions: dict[str, frozenset[Permission]] = {}
        for theirs, ours in given:
            known = permissions.get(theirs, frozenset())
            permissions[theirs] = known | {Permission(ours)}
        return cls(
            options=options,
            organizations=pairs(options.organizations),
            environments=pairs(options.environments),
            permissions=permissions,
        )

    def caller(self, claims: Claims) -> Principal:
        """
        Return the principal that the claims of a token describe.

        Raises:
            NoCallerError: No organization, or no environment, is named.
        """
        options = self.options
        org_id = options.organization or _named(
            claims, options.organization_claim, self.organizations
        )
        environment = options.environment or _named(
            claims, options.environment_claim, self.environments
        )
        is_everywhere = options.environment == EVERY
        return Principal(
            key_id=_key_id(options.issuer, claims["sub"]),
            type=KeyType.FULL_ACCESS if is_everywhere else KeyType.ENVIRONMENT,
            org_id=OrgId(org_id),
            env_id=None if is_everywhere else EnvId(environment),
            permissions=self._permissions(claims),
        )

    def _permissions(self, claims: Claims) -> frozenset[Permission]:
        found = find_claim(claims, self.options.scope_claim)
        # Of a list each text is whole: a role may be called "no videos:write". In one
        # text a space parts them, and nothing else (RFC 6749, section 3.3).
        scopes = found.split(" ") if isinstance(found, str) else texts_of(found)
        return frozenset[Permission]().union(
            *(self.permissions.get(scope, ()) for scope in scopes)
        )


def _named(claims: Claims, path: str, names: Mapping[str, str]) -> str:
    """Return the single known id that a claim names."""
    theirs = list(texts_of(find_claim(claims, path)))
    found = {names.get(name, "") if names else name for name in theirs} - {""}
    if len(found) != 1:
        # Of several, nobody could say which is meant.
        raise NoCallerError(f"the claim {path} names {len(found)} that are known here")
    (ours,) = found
    if not is_chosen_id(ours):
        raise NoCallerError(f"the claim {path} names nothing that can exist here")
    return ours


def _key_id(issuer: str, subject: str) -> KeyId:
    # Of any length and any characters; a hash of it has those that logs can take.
    digest = hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()
    return KeyId(f"oidc_{digest[:32]}")
