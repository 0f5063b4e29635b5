"""
Sign in people who have a one-time link.

A link is for an operator, or for one member of one organization. A refresh of the
session looks the member up in the list of members again. An operator's session is
renewed without a check, because only somebody with access to the machine can make such
a link.
"""

import json
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.plugin_api import (
    Identity,
    MembershipEndedError,
    OrganizationMember,
    SignInBook,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
)

OPERATOR: Final = "operator"
USED_UP: Final = (
    "This link was used already, or it has ended. Ask for a new one; who has the "
    "machine makes it with: hv dashboard link."
)


@attrs.frozen(kw_only=True)
class LinkSignIn(SignInProvider):
    """A sign-in provider that accepts the codes of one-time links."""

    book: SignInBook

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        del state
        return SignInStart(address=pages.link)

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        del pages, private
        link = self.book.redeem(parameters.get("code", "").strip())
        if link is None:
            raise SignInRefusedError(USED_UP)
        if link.org_id is None:
            return _operator(link.name, link.email)
        member = None
        # The link of a mail that found no member names the organization alone.
        if link.member_id is not None:
            member = self.book.member(link.org_id, link.member_id)
        if member is None:
            raise SignInRefusedError(USED_UP)
        return _outcome(member)

    def refresh(self, refresh_state: str) -> SignInOutcome:
        try:
            match json.loads(refresh_state):
                case {"operator": str(name), "email": str(email)}:
                    return _operator(name, email)
                case {"org": str(org_id), "member": str(member_id)}:
                    member = self.book.member(org_id, member_id)
                case _:
                    member = None
        except (ValueError, RecursionError):
            # The second one is a text of thousands of brackets.
            member = None
        if member is None:
            raise MembershipEndedError("the member was removed")
        return _outcome(member)


def _operator(name: str, email: str) -> SignInOutcome:
    return SignInOutcome(
        identity=Identity(
            subject=f"{OPERATOR}:{email.lower()}" if email else OPERATOR,
            name=name,
            email=email,
            is_operator=True,
        ),
        refresh_state=json.dumps({"operator": name, "email": email}),
    )


def _outcome(member: OrganizationMember) -> SignInOutcome:
    return SignInOutcome(
        identity=Identity(
            subject=member.id,
            name=member.name,
            # Not proven: an admin wrote it down, and it must open no other door.
            email=member.email,
            roles={member.org_id: member.role},
        ),
        refresh_state=json.dumps({"org": member.org_id, "member": member.id}),
    )
