"""Make one-time sign-in links, on the command line or for an admin."""

from datetime import datetime

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import MemberId, OrgId
from hvcore.domain.sign_in.links import LINK_VALID_FOR, SignInLink
from hvcore.domain.sign_in.sessions import hash_secret_value, new_secret_value
from hvcore.errors import NotFoundError
from hvcore.ports.sign_in import SignInPages
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record


@attrs.frozen(kw_only=True)
class MadeLink:
    """
    A new one-time sign-in link, with its address, which is given only this once.

    Attributes:
        address: The link's address, with the code behind ``#``, which browsers send to
            no server, so that no log has it.
    """

    address: str = attrs.field(repr=False)
    expires_at: datetime


@attrs.frozen(kw_only=True)
class SignInLinks:
    """Make one-time sign-in links for operators and members."""

    uow: UnitOfWork
    clock: Clock
    pages: SignInPages

    def for_operator(self, *, name: str, email: str = "") -> MadeLink:
        """
        Make a link that signs an operator in.

        Only the command line may call this: its user controls the machine anyway. No page may.
        """
        with self.uow.write() as work:
            made = self._make(work, None, None, name=name, email=email)
            record(work, "sign-in-link.create", "operator", org_id=None, name=name)
            work.commit()
        return made

    def for_member(self, org_id: str, member_id: str) -> MadeLink:
        """
        Make a link that signs a member in, to the member's organization alone.

        Raises:
            NotFoundError: The organization has no such member.
        """
        with self.uow.write() as work:
            # Locked: a member who is removed meanwhile takes the link along.
            member = work.members.find(org_id, member_id, for_update=True)
            if member is None:
                raise NotFoundError("The organization has no such member.")
            made = self._make(
                work, member.org_id, member.id, name=member.name, email=member.email
            )
            record(work, "sign-in-link.create", member.id, org_id=member.org_id)
            work.commit()
        return made

    def _make(
        self,
        work: Work,
        org_id: OrgId | None,
        member_id: MemberId | None,
        *,
        name: str,
        email: str,
    ) -> MadeLink:
        code = new_secret_value()
        link = SignInLink(
            sha256=hash_secret_value(code),
            org_id=org_id,
            member_id=member_id,
            name=name,
            email=email,
            expires_at=self.clock.now() + LINK_VALID_FOR,
        )
        work.sign_in_links.add(link)
        return MadeLink(address=f"{self.pages.link}#{code}", expires_at=link.expires_at)
