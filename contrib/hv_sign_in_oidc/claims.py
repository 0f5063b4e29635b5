"""
What the provider's claims make a person here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from hv_openid_provider.claims import (
    MAX_TEXTS,
    Claims,
    find_claim,
    pairs,
    texts_of,
)
from hv_sign_in_oidc.options import OPERATOR, OidcOptions, is_role_name
from hvcore.plugin_api import Identity, OrgId, Role, is_chosen_id

MAX_ORGANIZATIONS: Final = 200
"""Each is looked up at sign-in, and has a line in the audit log."""
_ROLES_INSIDE: Final = ("roles", "role")
"""Where roles stand in the entry of an organization."""


@attrs.frozen
class _Place:
    """
    A role in an organization, as the provider names them; "" is none.
    """

    organization: str = ""
    role: str = ""


@attrs.frozen(kw_only=True)
class ClaimRules:
    """
    How claims are read.
    """

    options: OidcOptions
    organizations: Mapping[str, str]
    roles: Mapping[str, str]

    @classmethod
    def of(cls, options: OidcOptions) -> "ClaimRules":
        """
        Return those of the settings.
        """
        return cls(
            options=options,
            organizations=pairs(options.organizations),
            roles=pairs(options.roles),
        )

    def identity(self, subject: str, sources: Sequence[Claims]) -> Identity:
        """
        Return the person.

        Args:
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
        """
        Yield the roles in organizations of ours; ``operator`` in none.
        """
        claimed = [
            place
            for claims in sources
            for place in self._places(claims, self.options.organizations_claim)
        ]
        named = [
            place
            for claims in sources
            for place in self._places(claims, self.options.roles_claim, are_roles=True)
        ]
        homes = {
            org_id for place in claimed if (org_id := self._org_id(place.organization))
        }
        with_role: set[str] = set()
        for place in [*claimed, *named]:
            for org_id, role in self._meant(place, homes):
                with_role.add(org_id)
                yield OrgId(org_id), role
        if self.options.default_role:
            for org_id in homes - with_role:
                yield OrgId(org_id), self.options.default_role

    def _meant(self, place: _Place, homes: set[str]) -> Iterator[tuple[str, str]]:
        """
        Yield what one role means.
        """
        # A group may have a name like acme:admin that is one name for the settings.
        whole = self.options.separator.join(filter(None, attrs.astuple(place)))
        ours = self.roles.get(whole) or self._role(place.role)
        if not ours:
            return
        if ours == OPERATOR:
            yield "", OPERATOR
            return
        org_id, _found, role = ours.rpartition(":")
        if org_id:
            yield org_id, role
        elif place.organization and whole not in self.roles:
            if own := self._org_id(place.organization):
                yield own, role
        else:
            yield from ((home, role) for home in homes)

    def _role(self, theirs: str) -> str:
        if self.roles:
            return self.roles.get(theirs, "")
        return theirs.lower() if is_role_name(theirs.lower()) else ""

    def _org_id(self, theirs: str) -> str:
        if self.organizations:
            return self.organizations.get(theirs, "")
        return theirs if is_chosen_id(theirs) else ""

    def _places(
        self, claims: Claims, path: str, *, are_roles: bool = False
    ) -> Iterator[_Place]:
        """
        Yield what a claim names, in whichever form the provider gives it.
        """
        found = find_claim(claims, path) if path else None
        if isinstance(found, Mapping):
            named = [(name, inside) for name, inside in found.items() if name]
            for name, inside in named[:MAX_TEXTS]:
                if not are_roles:
                    yield _Place(name)
                for role in texts_of(_roles_inside(inside)):
                    yield _Place(name, role)
            return
        for text in texts_of(found):
            # Paths of groups, as Keycloak gives them, begin with it.
            bare = text.removeprefix(self.options.separator)
            organization, has_both, rest = bare.rpartition(self.options.separator)
            if has_both:
                yield _Place(organization, rest)
            else:
                yield _Place("", bare) if are_roles else _Place(bare)

    def _email(self, sources: Sequence[Claims]) -> tuple[str, bool]:
        """
        Return the address, and whether the same source vouches for it.
        """
        for claims in sources:
            email = claims.get("email")
            if isinstance(email, str) and email:
                proof = find_claim(claims, self.options.email_proof_claim)
                return email, _is_true(proof)
        return "", False


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
