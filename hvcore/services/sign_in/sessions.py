"""Begin, recognise and end the dashboard sessions of signed-in people."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import is_subject
from hvcore.domain.sign_in.mails import SIGN_IN_MAIL_WINDOW
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.domain.sign_in.sessions import (
    SignInSession,
    hash_secret_value,
    is_secret_value,
    new_secret_value,
)
from hvcore.errors import NotFoundError, UnavailableError
from hvcore.ports.sign_in import (
    LINK_BACKEND,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import acting_as_person, record
from hvcore.services.sign_in.memberships import Memberships, belongs
from hvcore.services.sign_in.session_memberships import SessionMemberships, SessionTimes
from hvcore.signing.sealing import SealBrokenError, Sealer

TOUCHED_EVERY: Final = timedelta(minutes=1)
"""A session's use is stored this often: a write for each request would make pages wait."""


@attrs.frozen(kw_only=True)
class StartedSession:
    """
    A new session of a signed-in person.

    Attributes:
        value: The secret value of the session cookie; it is stored and shown nowhere.
        lasts_s: The greatest age of the cookie, in seconds.
    """

    value: str = attrs.field(repr=False)
    lasts_s: int
    person: SignedInPerson


@attrs.frozen(kw_only=True)
class SignInSessions:
    """
    Begin, recognise and end the sessions of signed-in people; thread-safe.

    Attributes:
        backend: The name of the sign-in backend to which people are sent. Where it is not
            that of links, sessions that members began by a link are over.
    """

    uow: UnitOfWork
    clock: Clock
    backend: str
    providers: Mapping[str, SignInProvider]
    memberships: Memberships
    sealer: Sealer
    pages: SignInPages
    times: SessionTimes
    _open: SessionMemberships = attrs.field(init=False, repr=False)

    @_open.default
    def _make_open(self) -> SessionMemberships:
        return SessionMemberships(
            uow=self.uow,
            clock=self.clock,
            backend=self.backend,
            providers=self.providers,
            memberships=self.memberships,
            sealer=self.sealer,
            times=self.times,
        )

    def person_of(self, cookie: str | None) -> SignedInPerson | None:
        """
        Return the person to whom a session cookie belongs, and keep the session alive.

        From time to time the sign-in backend is asked for the membership again. A lost membership
        ends the session.

        Returns:
            None without a valid session: forged, ended, or of another backend.

        Raises:
            UnavailableError: The backend does not answer, so the membership is unknown. The
                session goes on.
        """
        if cookie is None or not is_secret_value(cookie):
            return None
        session = self._open.find(hash_secret_value(cookie))
        if session is None:
            return None
        session = self._open.confirmed(session)
        if session is None:
            return None
        now = self.clock.now()
        if now >= session.last_used_at + TOUCHED_EVERY:
            with self.uow.write() as work:
                work.sign_in_sessions.touch(session.sha256, now)
                work.commit()
        return session.person(cookie)

    def holder_of(self, cookie: str | None) -> SignedInPerson | None:
        """
        Return the person to whom a session cookie belongs, without asking for the membership.

        For signing out, which is possible also while the backend does not answer.
        """
        session = self._session(cookie)
        if session is None or cookie is None:
            return None
        return session.person(cookie)

    def principal(self, person: SignedInPerson, org_id: str) -> Principal:
        """
        Return the API caller that a signed-in person acts as in an organization.

        Raises:
            NotFoundError: The person has no role there, or there is no such organization; the
                error is the same.
        """
        role = person.role_in(org_id)
        if role is not None:
            with self.uow.read() as work:
                organization = work.tenants.organization(org_id)
            if organization is not None:
                return person.principal_in(organization.id, role)
        raise NotFoundError

    def principal_now(
        self, asked: Person, org_id: OrgId
    ) -> tuple[Principal, Role] | None:
        """
        Return the API caller as which a person without a request acts, and the person's role.

        For work that goes on after a request, also where the dashboard does not run. The
        membership is asked for again as for a request of the person, but no session
        ends or changes by that: this process may have other settings than the dashboard.

        Returns:
            None if the person has no role in the organization any more, or no session.

        Raises:
            UnavailableError: The backend does not answer, or this process lacks settings of
                the dashboard, so the membership is unknown.
        """
        with self.uow.read() as work:
            found = work.sign_in_sessions.of_person(asked.backend, asked.subject)
        now = self.clock.now()
        open_now = [
            one
            for one in found
            if not one.is_over_at(now, self.times.idle)
            and not self._open.is_past_provider(one)
        ]
        if open_now and asked.backend not in self.providers:
            raise UnavailableError(
                f"This host has no sign-in backend {asked.backend}, with which the person "
                "signed in: give its workers the HV_SIGN_IN__… settings of the dashboard."
            )
        for session in open_now:
            known = self._open.confirmed(session, is_stored=False)
            if known is None:
                continue
            # No form is sent: the change token is of no use to anybody.
            person = known.person("")
            role = person.role_in(org_id)
            return None if role is None else (person.principal_in(org_id, role), role)
        return None

    def start(self, backend: str, outcome: SignInOutcome) -> StartedSession:
        """
        Begin a session for a person whom a sign-in backend has recognised.

        Raises:
            SignInRefusedError: The person has no role in any organization.
        """
        if not is_subject(outcome.identity.subject):
            raise SignInRefusedError
        value = new_secret_value()
        sha256 = hash_secret_value(value)
        now = self.clock.now()
        with self.uow.write() as work:
            identity = self.memberships.complete(work, outcome.identity)
            if not belongs(identity):
                raise SignInRefusedError(
                    f"{identity.shown_name} is a member of no organization here; ask "
                    "an admin of yours to add you."
                )
            session = SignInSession(
                sha256=sha256,
                identity=identity,
                backend=backend,
                created_at=now,
                last_used_at=now,
                asked_at=self._asked_at(backend, now),
                ends_at=now + self.times.total,
                refresh_state=self.sealer.seal(outcome.refresh_state, about=sha256),
            )
            work.sign_in_sessions.add(session)
            person = session.person(value)
            _record(work, "session.start", person, backend=backend)
            work.commit()
        lasts_s = int(self.times.total.total_seconds())
        return StartedSession(value=value, lasts_s=lasts_s, person=person)

    def sign_out(self, cookie: str | None) -> str | None:
        """
        End the session of a cookie; a session that has ended already is no error.

        Returns:
            The address at which the browser signs out at the provider, too; None if there is
            none.
        """
        session = self._session(cookie)
        if session is None or cookie is None:
            return None
        with self.uow.write() as work:
            work.sign_in_sessions.remove(session.sha256)
            _record(work, "session.end", session.person(cookie))
            work.commit()
        return self._sign_out_address(session)

    def sign_out_everywhere(self, cookie: str | None) -> str | None:
        """
        End all sessions of the person to whom a session cookie belongs.

        Returns:
            The address at which the browser signs out at the provider, too; None if
            there is none.
        """
        session = self._session(cookie)
        if session is None or cookie is None:
            return None
        with self.uow.write() as work:
            ended = work.sign_in_sessions.remove_of_person(
                session.backend, session.identity.subject
            )
            _record(work, "session.end-all", session.person(cookie), sessions=ended)
            work.commit()
        return self._sign_out_address(session)

    def forget_ended(self) -> None:
        """Remove ended sessions, expired pending sign-ins and one-time links, and old mails."""
        now = self.clock.now()
        with self.uow.write() as work:
            work.sign_in_sessions.remove_ended(now, self.times.idle)
            work.pending_sign_ins.remove_expired(now)
            work.sign_in_links.remove_expired(now)
            # Those of the window are counted.
            work.sign_in_mails.remove_old(now - SIGN_IN_MAIL_WINDOW)
            work.commit()

    def _session(self, cookie: str | None) -> SignInSession | None:
        if cookie is None or not is_secret_value(cookie):
            return None
        return self._open.find(hash_secret_value(cookie))

    def _asked_at(self, backend: str, now: datetime) -> datetime:
        """Return the moment from which a new session's membership is counted as asked."""
        if backend != LINK_BACKEND:
            return now
        # The member was read before this transaction, and may have been removed since.
        # Asking again, with the first page, costs one look into our own database.
        return now - self.times.asked_every

    def _sign_out_address(self, session: SignInSession) -> str | None:
        try:
            state = self.sealer.open(session.refresh_state, about=session.sha256)
        except SealBrokenError:
            return None
        provider = self.providers[session.backend]
        return provider.sign_out_address(state, self.pages)


def _record(work: Work, action: str, person: SignedInPerson, **details: object) -> None:
    # A provider may name organizations that are not, or not yet, here.
    there = [org for org in person.roles if work.tenants.organization(org) is not None]
    orgs: list[OrgId | None] = [*there] or [None]
    with acting_as_person(person.as_person):
        for org_id in orgs:
            record(work, action, person.subject, org_id=org_id, **details)
