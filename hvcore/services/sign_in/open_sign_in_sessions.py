"""List and end the sessions of signed-in people, for operators."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.members import fold_email
from hvcore.domain.sign_in.sessions import SignInSession
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record


@attrs.frozen(kw_only=True)
class OpenSignInSessions:
    """
    List and end the sessions of any signed-in person.

    Attributes:
        idle: The time after which a session that is not used ends.
    """

    uow: UnitOfWork
    clock: Clock
    idle: timedelta

    def listed(self) -> Sequence[SignInSession]:
        """Return the sessions that have not ended, the most recently used first."""
        with self.uow.read() as work:
            return self._open(work)

    def ends_at(self, session: SignInSession) -> datetime:
        """Return the moment at which a session ends if it is not used again."""
        return min(session.ends_at, session.last_used_at + self.idle)

    def end_of(self, person: str) -> Sequence[SignInSession]:
        """
        End all sessions of a person; the next request of each is refused.

        Args:
            person: The person as the audit log names them, such as ``oidc:ada``, or an email
                address.

        Returns:
            The sessions that were ended.

        Raises:
            NotFoundError: Nobody of this name is signed in.
        """
        with self.uow.write() as work:
            ended = [one for one in self._open(work) if _is_of(one, person)]
            if not ended:
                raise NotFoundError(
                    f"Nobody called {person} is signed in; hv sessions list shows who "
                    "is."
                )
            for session in ended:
                work.sign_in_sessions.remove(session.sha256)
            _record(work, ended)
            work.commit()
        return ended

    def _open(self, work: Work) -> Sequence[SignInSession]:
        now = self.clock.now()
        found = work.sign_in_sessions.all()
        return [one for one in found if not one.is_over_at(now, self.idle)]


def _is_of(session: SignInSession, person: str) -> bool:
    if session.actor == person:
        return True
    email = fold_email(session.identity.email)
    return bool(email) and email == fold_email(person)


def _record(work: Work, ended: Sequence[SignInSession]) -> None:
    counts: dict[tuple[OrgId | None, str], int] = defaultdict(int)
    for session in ended:
        # A provider may name organizations that are not here.
        there = filter(work.tenants.organization, session.identity.roles)
        orgs: list[OrgId | None] = [*there] or [None]
        for org_id in orgs:
            counts[org_id, session.identity.subject] += 1
    for (org_id, subject), sessions in counts.items():
        record(work, "session.end-all", subject, org_id=org_id, sessions=sessions)
