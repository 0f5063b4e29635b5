"""Begin, recognise and end the dashboard sessions of signed-in people."""

import logging
import threading
import time
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
from hvcore.errors import NotFoundError, UnavailableError, require_answer
from hvcore.ports.sign_in import (
    LINK_BACKEND,
    MembershipEndedError,
    RefreshInterruptedError,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import acting_as_person, record
from hvcore.services.sign_in.memberships import Memberships, belongs
from hvcore.signing.sealing import SealBrokenError, Sealer

TOUCHED_EVERY: Final = timedelta(minutes=1)
"""A session's use is stored this often: a write for each request would make pages wait."""
CLAIMED_FOR: Final = timedelta(seconds=30)
"""How long one process may ask for a membership: longer than a backend may block; then the process is taken for dead."""
_LOOKED_EVERY_S: Final = 0.05

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class SessionTimes:
    """
    The lifetimes of sessions, and the times for checking memberships.

    Attributes:
        idle: The time after which a session that is not used ends.
        total: The time after which a session ends in any case.
        asked_every: The time after which the sign-in backend is asked for the
            membership again.
        waited_s: How many seconds a request waits while another request asks the
            backend; as long as a backend may block.
    """

    idle: timedelta = timedelta(hours=12)
    total: timedelta = timedelta(days=7)
    asked_every: timedelta = timedelta(minutes=5)
    waited_s: float = 10.0


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
        session = self._find(hash_secret_value(cookie))
        if session is None:
            return None
        session = self._with_membership(session)
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
            and not self._is_past_provider(one)
        ]
        if open_now and asked.backend not in self.providers:
            raise UnavailableError(
                f"This host has no sign-in backend {asked.backend}, with which the person "
                "signed in: give its workers the HV_SIGN_IN__… settings of the dashboard."
            )
        for session in open_now:
            known = self._with_membership(session, is_stored=False)
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
        return self._find(hash_secret_value(cookie))

    def _find(self, sha256: str) -> SignInSession | None:
        with self.uow.read() as work:
            session = work.sign_in_sessions.find(sha256)
        if session is None or session.backend not in self.providers:
            return None
        is_over = session.is_over_at(self.clock.now(), self.times.idle)
        return None if is_over or self._is_past_provider(session) else session

    def _is_past_provider(self, session: SignInSession) -> bool:
        """Return whether a link began the session, while people have to sign in elsewhere."""
        return (
            session.backend == LINK_BACKEND
            and self.backend != LINK_BACKEND
            and not session.identity.is_operator
        )

    def _with_membership(
        self, session: SignInSession, *, is_stored: bool = True
    ) -> SignInSession | None:
        """
        Return the session as the backend last confirmed it, not too long ago.

        One asks; who comes meanwhile waits, because a refresh token that rotates is
        good for one question.

        Args:
            is_stored: Whether the answer is stored in the session, or ends it.
        """
        deadline = time.monotonic() + self.times.waited_s
        while True:
            now = self.clock.now()
            if now < session.asked_at + self.times.asked_every:
                return session
            if self._claim(session, now):
                if not is_stored:
                    return self._ask_aside(session, now)
                self._ask(session, now)
            elif time.monotonic() > deadline:
                raise UnavailableError(
                    "The sign-in provider does not answer; try again soon."
                )
            else:
                threading.Event().wait(_LOOKED_EVERY_S)
            found = self._find(session.sha256)
            if found is None:
                return None
            session = found

    def _claim(self, session: SignInSession, now: datetime) -> bool:
        with self.uow.write() as work:
            is_mine = work.sign_in_sessions.claim_asking(
                session.sha256,
                asked_at=session.asked_at,
                now=now,
                until=now + CLAIMED_FOR,
            )
            work.commit()
        return is_mine

    def _ask(self, session: SignInSession, now: datetime) -> None:
        try:
            outcome = self._refresh(session, now)
        except (MembershipEndedError, SealBrokenError) as error:
            self._end(session, str(error))
            return
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: member, session.
            identity = self.memberships.complete(work, outcome.identity)
            state = self._keep_state(work, session, outcome.refresh_state)
            is_same = identity.subject == session.identity.subject
            if is_same and belongs(identity):
                # No role is stored if one was changed meanwhile: asked again.
                work.sign_in_sessions.end_asking(
                    attrs.evolve(
                        session, identity=identity, asked_at=now, refresh_state=state
                    ),
                    claimed_until=now + CLAIMED_FOR,
                )
                work.commit()
                return
        self._end(session, "The person belongs to no organization any more.")

    def _ask_aside(self, session: SignInSession, now: datetime) -> SignInSession | None:
        """
        Return the session as the backend confirms it now; None without a membership.

        Of what is stored only the refresh token changes, which may be good for one question.
        """
        try:
            outcome = self._refresh(session, now)
        except MembershipEndedError:
            self._release(session, now)
            return None
        except SealBrokenError as error:
            self._release(session, now)
            raise UnavailableError(
                "This host cannot read the sessions of the dashboard: give its workers "
                "the same HV_SIGN_IN__SECRET and HV_UPLOADS__SIGNING_KEY."
            ) from error
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: member, session.
            identity = self.memberships.complete(work, outcome.identity)
            self._keep_state(work, session, outcome.refresh_state)
            work.sign_in_sessions.release(
                session.sha256, claimed_until=now + CLAIMED_FOR
            )
            work.commit()
        if identity.subject != session.identity.subject:
            return None
        if session.identity.is_operator and not identity.is_operator:
            raise UnavailableError(
                "The person is an operator on the dashboard, and none on this host: give "
                "its workers the same HV_DASHBOARD__OPERATORS."
            )
        return attrs.evolve(session, identity=identity)

    def _refresh(self, session: SignInSession, now: datetime) -> SignInOutcome:
        """
        Ask the backend for the membership.

        Raises:
            MembershipEndedError: The person does not belong any more.
            SealBrokenError: The session was sealed with another secret.
            UnavailableError: The backend does not answer; others may ask again.
        """
        provider = self.providers[session.backend]
        try:
            outcome = provider.refresh(
                self.sealer.open(session.refresh_state, about=session.sha256)
            )
        except RefreshInterruptedError as error:
            self._release(session, now, state=error.refresh_state)
            raise
        except UnavailableError:
            self._release(session, now)
            raise
        require_answer(provider.refresh, outcome, SignInOutcome)
        return outcome

    def _release(
        self, session: SignInSession, now: datetime, *, state: str | None = None
    ) -> None:
        """Let others ask for the membership, with a new state of the backend if there is one."""
        with self.uow.write() as work:
            if state is not None:
                self._keep_state(work, session, state)
            work.sign_in_sessions.release(
                session.sha256, claimed_until=now + CLAIMED_FOR
            )
            work.commit()

    def _keep_state(self, work: Work, session: SignInSession, state: str) -> bytes:
        sealed = self.sealer.seal(state, about=session.sha256)
        work.sign_in_sessions.replace_state(
            session.sha256, former=session.refresh_state, state=sealed
        )
        return sealed

    def _asked_at(self, backend: str, now: datetime) -> datetime:
        """Return the moment from which a new session's membership is counted as asked."""
        if backend != LINK_BACKEND:
            return now
        # The member was read before this transaction, and may have been removed since.
        # Asking again, with the first page, costs one look into our own database.
        return now - self.times.asked_every

    def _end(self, session: SignInSession, why: str) -> None:
        _log.info(
            "a session ends with its membership",
            extra={"hv_subject": session.identity.subject, "hv_why": why},
        )
        with self.uow.write() as work:
            work.sign_in_sessions.remove(session.sha256)
            work.commit()

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
