"""Confirm by the sign-in backend that people with open sessions still belong to organizations."""

import logging
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.sign_in.sessions import SignInSession
from hvcore.errors import UnavailableError, require_answer
from hvcore.ports.sign_in import (
    LINK_BACKEND,
    MembershipEndedError,
    RefreshInterruptedError,
    SignInOutcome,
    SignInProvider,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.sign_in.memberships import Memberships, belongs
from hvcore.signing.sealing import SealBrokenError, Sealer

CLAIMED_FOR: Final = timedelta(seconds=30)
"""The longest time for which one process asks for a membership, longer than a backend may block; afterwards the process is taken for dead."""
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
class SessionMemberships:
    """
    Find open sessions, and confirm the memberships of their people from time to time; thread-safe.

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
    times: SessionTimes

    def find(self, sha256: str) -> SignInSession | None:
        """Return the open session with this hash of its cookie; None if it is over or was never."""
        with self.uow.read() as work:
            session = work.sign_in_sessions.find(sha256)
        if session is None or session.backend not in self.providers:
            return None
        is_over = session.is_over_at(self.clock.now(), self.times.idle)
        return None if is_over or self.is_past_provider(session) else session

    def is_past_provider(self, session: SignInSession) -> bool:
        """Return whether a link began the session, while people have to sign in elsewhere."""
        return (
            session.backend == LINK_BACKEND
            and self.backend != LINK_BACKEND
            and not session.identity.is_operator
        )

    def confirmed(
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
            found = self.find(session.sha256)
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

    def _end(self, session: SignInSession, why: str) -> None:
        _log.info(
            "a session ends with its membership",
            extra={"hv_subject": session.identity.subject, "hv_why": why},
        )
        with self.uow.write() as work:
            work.sign_in_sessions.remove(session.sha256)
            work.commit()
