"""Give the sign-in backend for one-time links access to links and members in the database."""

import attrs
from sqlalchemy.engine import Engine

from hvcore.clock import Clock
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.sessions import hash_secret_value, is_secret_value
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.sign_in.members import SqlMemberRepository
from hvcore.persistence.sign_in.sign_ins import SqlSignInLinkRepository


@attrs.frozen(kw_only=True)
class SqlSignInBook:
    """Look up one-time links and members for a sign-in backend; see ports.context.SignInBook."""

    engine: Engine
    clock: Clock

    def redeem(self, code: str) -> SignInLink | None:
        if not is_secret_value(code):
            return None
        with writing(self.engine) as connection:
            links = SqlSignInLinkRepository(connection)
            link = links.take(hash_secret_value(code), self.clock.now())
            connection.commit()
        return link

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        with reading(self.engine) as connection:
            return SqlMemberRepository(connection).find(org_id, member_id)
