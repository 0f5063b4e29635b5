"""Store the sessions of people who are signed in to the dashboard."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.members import fold_email
from hvcore.domain.sign_in.sessions import SignInSession
from hvcore.persistence.json_columns import dump, load
from hvcore.persistence.statements import insert_new
from hvcore.persistence.tables import EPOCH, sign_in_sessions

_ROW = sign_in_sessions.c


class SqlSignInSessionRepository:
    """Store the sessions of signed-in people; see ports.repositories.sign_in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, session: SignInSession) -> None:
        insert_new(
            self._connection,
            sign_in_sessions,
            {
                "sha256": session.sha256,
                "backend": session.backend,
                "subject": session.identity.subject,
                "created_at": session.created_at,
                "last_used_at": session.last_used_at,
                "ends_at": session.ends_at,
                **_asked(session),
            },
        )

    def find(self, sha256: str) -> SignInSession | None:
        statement = sa.select(sign_in_sessions).where(_ROW.sha256 == sha256)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _session(row)

    def all(self) -> Sequence[SignInSession]:
        statement = sa.select(sign_in_sessions).order_by(
            _ROW.last_used_at.desc(), _ROW.sha256
        )
        return [_session(row) for row in self._connection.execute(statement).mappings()]

    def of_person(self, backend: str, subject: str) -> Sequence[SignInSession]:
        statement = (
            sa.select(sign_in_sessions)
            .where(_ROW.backend == backend, _ROW.subject == subject)
            .order_by(_ROW.last_used_at.desc(), _ROW.sha256)
        )
        return [_session(row) for row in self._connection.execute(statement).mappings()]

    def touch(self, sha256: str, now: datetime) -> None:
        # Only forwards: of two requests, the earlier may come last.
        self._update(sha256, _ROW.last_used_at < now, last_used_at=now)

    def claim_asking(
        self, sha256: str, *, asked_at: datetime, now: datetime, until: datetime
    ) -> bool:
        is_free = sa.or_(_ROW.asking_until.is_(None), _ROW.asking_until <= now)
        return self._update(
            sha256, _ROW.asked_at == asked_at, is_free, asking_until=until
        )

    def end_asking(self, session: SignInSession, *, claimed_until: datetime) -> bool:
        return self._update(
            session.sha256,
            _ROW.asking_until == claimed_until,
            asking_until=None,
            **_asked(session),
        )

    def replace_state(self, sha256: str, *, former: bytes, state: bytes) -> None:
        self._update(sha256, _ROW.refresh_state == former, refresh_state=state)

    def release(self, sha256: str, *, claimed_until: datetime) -> None:
        self._update(sha256, _ROW.asking_until == claimed_until, asking_until=None)

    def ask_again(self, *, subject: str, email: str) -> None:
        is_person = _ROW.subject == subject
        if email:
            is_person = sa.or_(is_person, _ROW.proven_email == fold_email(email))
        self._connection.execute(
            # Who asks at this moment may have seen what was there before.
            sa.update(sign_in_sessions)
            .where(is_person)
            .values(asked_at=EPOCH, asking_until=None)
        )

    def remove(self, sha256: str) -> None:
        self._connection.execute(
            sa.delete(sign_in_sessions).where(_ROW.sha256 == sha256)
        )

    def remove_of_person(self, backend: str, subject: str) -> int:
        return self._connection.execute(
            sa.delete(sign_in_sessions).where(
                _ROW.backend == backend, _ROW.subject == subject
            )
        ).rowcount

    def remove_ended(self, now: datetime, idle: timedelta) -> int:
        is_over = sa.or_(_ROW.ends_at <= now, _ROW.last_used_at <= now - idle)
        return self._connection.execute(
            sa.delete(sign_in_sessions).where(is_over)
        ).rowcount

    def _update(
        self, sha256: str, *conditions: sa.ColumnElement[bool], **values: object
    ) -> bool:
        statement = (
            sa.update(sign_in_sessions)
            .where(_ROW.sha256 == sha256, *conditions)
            .values(**values)
        )
        return self._connection.execute(statement).rowcount == 1


def _asked(session: SignInSession) -> dict[str, Any]:
    """Return the columns that an answer of the backend changes."""
    identity = session.identity
    email = fold_email(identity.email) if identity.is_email_proven else ""
    return {
        "proven_email": email,
        "identity": dump(identity),
        "asked_at": session.asked_at,
        "refresh_state": session.refresh_state,
    }


def _session(row: RowMapping) -> SignInSession:
    return SignInSession(
        sha256=row["sha256"],
        identity=load(row["identity"], Identity),
        backend=row["backend"],
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
        asked_at=row["asked_at"],
        ends_at=row["ends_at"],
        refresh_state=bytes(row["refresh_state"]),
    )
