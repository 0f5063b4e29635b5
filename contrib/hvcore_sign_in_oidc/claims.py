"""Find a person's identity and roles in the claims of an OpenID provider."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from hvcore.plugin_api import Identity, OrgId, Role, is_chosen_id
from hvcore_openid_provider.claims import (
    MAX_TEXTS,
    Claims,
    find_claim,
    pairs,
    texts_of,
)
from hvcore_sign_in_oidc.group_rules import GroupRules
from hvcore_sign_in_oidc.options import OPERATOR, OidcOptions, is_role_name

MAX_ORGANIZATIONS: Final = 200
"""The most organizations that a provider may give a person: each organization is looked up at
sign-in, and has a line in the audit log."""
_ROLES_INSIDE: Final = ("roles", "role")
"""The names of a role's field in a claim that has an object for each organization."""
_Given = Iterator[tuple[str, str]]
"""Pairs of an organization's id and a role; "" and ``operator`` for an operator."""


@attrs.frozen(kw_only=True)
class ClaimRules:
    """
    Find a person's identity and roles in claims, by the deployment's settings.

    Attributes:
        organizations: The ids of organizations, by the provider's names of them. If the
            mapping is empty, the provider's names are the ids.
        groups: The roles that the provider's groups stand for.
    """

    options: OidcOptions
    organizations: Mapping[str, str]
    groups: GroupRules

    @classmethod
    def of(cls, options: OidcOptions) -> "ClaimRules":
        """Return the rules that follow from the settings ``organizations`` and ``roles``."""
        separator = options.separator
        organizations = pairs(options.organizations)
        return cls(
            options=options,
            organizations={
                theirs.removeprefix(separator): ours
                for theirs, ours in organizations.items()
            },
            groups=GroupRules.of(options.roles, separator),
        )

    def identity(self, subject: str, sources: Sequence[Claims]) -> Identity:
        """
        Return the name, mail address and roles of the person in the given claims.

        Args:
            subject: The provider's identifier of the person.
            sources: The claims of the ID token and of userinfo; roles of both count.
        """
        roles: dict[OrgId, Role] = {}
        is_operator = False
        for org_id, role in self._given(sources):
            if role == OPERATOR:
                is_operator = True
            elif org_id in roles or len(roles) < MAX_ORGANIZATIONS:
                known = roles.get(org_id)
                given = Role(role)
                roles[org_id] = known if known and known.includes(given) else given
        email, is_proven = self._email(sources)
        return Identity(
            subject=subject,
            name=_first(sources, "name") or _first(sources, "preferred_username"),
            email=email,
            is_email_proven=is_proven,
            roles=roles,
            is_operator=is_operator,
        )

    def _given(self, sources: Sequence[Claims]) -> Iterator[tuple[OrgId, str]]:
        """Yield a person's roles with the organizations' ids; ``operator`` with ""."""
        options = self.options
        homes = {
            org_id
            for claims in sources
            for name in self._homes_in(_found(claims, options.organizations_claim))
            if (org_id := self._org_id(name))
        }
        with_role: set[str] = set()
        for path in (options.organizations_claim, options.roles_claim):
            for claims in sources:
                for org_id, role in self._roles_in(
                    _found(claims, path), homes, is_of_roles=path == options.roles_claim
                ):
                    with_role.add(org_id)
                    yield OrgId(org_id), role
        if options.default_role:
            for org_id in homes - with_role:
                yield OrgId(org_id), options.default_role

    def _homes_in(self, found: object) -> Iterator[str]:
        """Yield the provider's names of a person's organizations, from a claim."""
        if isinstance(found, Mapping):
            return iter(list(found)[:MAX_TEXTS])
        return (self._home_in(text) for text in texts_of(found))

    def _home_in(self, text: str) -> str:
        bare = text.removeprefix(self.options.separator)
        return bare if bare in self.organizations else self._parts(text)[0]

    def _roles_in(self, found: object, homes: set[str], *, is_of_roles: bool) -> _Given:
        """
        Yield the organizations and roles that a claim gives, in any of its forms.

        Args:
            found: The value of the claim.
            homes: The ids of the person's organizations.
            is_of_roles: Whether the claim is the one of roles, in which a bare name is a
                role or a group. In the claim of organizations a bare name is an
                organization and gives no role.
        """
        if isinstance(found, Mapping):
            for name, inside in list(found.items())[:MAX_TEXTS]:
                own = self._org_id(name)
                for text in texts_of(_roles_inside(inside)) if own else ():
                    if role := self._role_inside(text):
                        yield own, role
            return
        for text in texts_of(found):
            bare = text.removeprefix(self.options.separator)
            if not is_of_roles and bare in self.organizations:
                # A whole name of an organization, whatever its parts would mean.
                continue
            organization, role = self._parts(text)
            if not (is_of_roles or role):
                continue
            if self.groups.are_given:
                yield from _meant(self.groups.meaning(text), homes)
            elif role:
                yield from _meant(_role(role), {self._org_id(organization)} - {""})
            else:
                yield from _meant(_role(organization), homes)

    def _parts(self, text: str) -> tuple[str, str]:
        """Return the organization and the role in a text; the role is "" if there is none."""
        # Paths of groups, as Keycloak gives them, begin with it.
        bare = text.removeprefix(self.options.separator)
        organization, has_both, role = bare.rpartition(self.options.separator)
        if not has_both:
            return bare, ""
        return (organization, role) if organization and role else ("", "")

    def _role_inside(self, theirs: str) -> str:
        """Return the role for a name inside an organization's entry of a claim, or ""."""
        if not self.groups.are_given:
            return _role(theirs)
        # Who may name roles in one organization gets none in another by it.
        ours = self.groups.meaning(theirs)
        return ours if is_role_name(ours) else ""

    def _org_id(self, theirs: str) -> str:
        if self.organizations:
            return self.organizations.get(theirs, "")
        return theirs if is_chosen_id(theirs) else ""

    def _email(self, sources: Sequence[Claims]) -> tuple[str, bool]:
        """Return the mail address, and whether the source of the address vouches for it."""
        for claims in sources:
            email = claims.get("email")
            if isinstance(email, str) and email:
                proof = find_claim(claims, self.options.email_proof_claim)
                return email, _is_true(proof)
        return "", False


def _found(claims: Claims, path: str) -> object:
    return find_claim(claims, path) if path else None


def _meant(ours: str, homes: set[str]) -> _Given:
    """Yield the organizations and roles for ``admin``, ``acme:admin`` or ``operator``."""
    org_id, _found, role = ours.rpartition(":")
    if ours == OPERATOR:
        yield "", OPERATOR
    elif org_id:
        yield org_id, role
    elif role:
        yield from ((home, role) for home in homes)


def _role(theirs: str) -> str:
    return theirs.lower() if is_role_name(theirs.lower()) else ""


def _roles_inside(entry: object) -> object:
    if isinstance(entry, Mapping):
        return next((entry[name] for name in _ROLES_INSIDE if name in entry), None)
    return entry


def _first(sources: Sequence[Claims], name: str) -> str:
    return next((text for claims in sources for text in texts_of(claims.get(name))), "")


def _is_true(proof: object) -> bool:
    # Cognito sends texts, Entra numbers in some tokens.
    return (
        proof is True or proof in ("true", "1") or (type(proof) is int and proof == 1)
    )
