"""Sign people in, on the pages of a provider or by a one-time link."""

import hmac
from collections.abc import Mapping

import attrs

from hvcore.clock import Clock
from hvcore.domain.sign_in.pending import PENDING_FOR, PendingSignIn
from hvcore.domain.sign_in.sessions import (
    hash_secret_value,
    is_secret_value,
    new_secret_value,
)
from hvcore.errors import require_answer
from hvcore.ports.sign_in import (
    LINK_BACKEND,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
)
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.sign_in.attempts import SignInAttempts
from hvcore.services.sign_in.sessions import SignInSessions, StartedSession
from hvcore.signing.sealing import SealBrokenError, Sealer

_START_AGAIN = "This sign-in was not begun here, or it took too long; begin again."
_NOT_BY_LINK = "Members sign in with your organization's sign-in page here; links are for operators."
_HOME = "/dashboard/"
_MAX_PATH_CHARS = 2000


@attrs.frozen(kw_only=True)
class BegunSignIn:
    """
    A sign-in that has begun and continues at the provider.

    Attributes:
        address: The address of the provider to which the browser goes.
        cookie: The secret that the browser keeps until it comes back.
        lasts_s: How many seconds the sign-in may take.
    """

    address: str
    cookie: str = attrs.field(repr=False)
    lasts_s: int


@attrs.frozen(kw_only=True)
class CompletedSignIn:
    """
    The session of a person who has signed in, and the page to show next.

    Attributes:
        return_to: The path of the page that the person wanted.
    """

    session: StartedSession
    return_to: str


@attrs.frozen(kw_only=True)
class SignIns:
    """
    Begin and complete the sign-ins of people; thread-safe.

    Attributes:
        backend: The name of the sign-in backend to which people are sent.
    """

    uow: UnitOfWork
    clock: Clock
    backend: str
    providers: Mapping[str, SignInProvider]
    sealer: Sealer
    pages: SignInPages
    sessions: SignInSessions
    attempts: SignInAttempts

    def begin(self, *, return_to: str, client_address: str) -> BegunSignIn:
        """
        Begin a sign-in at the provider; return the address to which the browser goes.

        Args:
            return_to: The path below ``/dashboard`` to open after the sign-in; any
                other path leads to the dashboard's start page.

        Raises:
            RateLimitExceededError: Too many attempts from this address.
            UnavailableError: The provider does not answer.
        """
        self.attempts.count(client_address)
        state = new_secret_value()
        provider = self.providers[self.backend]
        started = provider.begin(self.pages, state)
        require_answer(provider.begin, started, SignInStart)
        sha256 = hash_secret_value(state)
        with self.uow.write() as work:
            work.pending_sign_ins.add(
                PendingSignIn(
                    state_sha256=sha256,
                    backend=self.backend,
                    private=self.sealer.seal(started.private, about=sha256),
                    return_to=safe_return(return_to),
                    expires_at=self.clock.now() + PENDING_FOR,
                )
            )
            work.commit()
        lasts_s = int(PENDING_FOR.total_seconds())
        return BegunSignIn(address=started.address, cookie=state, lasts_s=lasts_s)

    def complete(
        self, parameters: Mapping[str, str], *, cookie: str | None, client_address: str
    ) -> CompletedSignIn:
        """
        Begin a dashboard session for a person who comes back from a sign-in provider.

        Args:
            parameters: The query parameters of the address to which the provider sent the browser.
            cookie: The cookie that ``begin`` returned.

        Raises:
            SignInRefusedError: The sign-in was not begun in this browser, or the provider
                refuses it.
            RateLimitExceededError: Too many attempts from this address.
            UnavailableError: The provider does not answer; begin again.
        """
        self.attempts.count(client_address)
        state = parameters.get("state", "")
        # Or another's answer would sign this browser in as the other (RFC 6749,
        # section 10.12).
        is_ours = (
            cookie is not None
            and is_secret_value(cookie)
            and is_secret_value(state)
            and hmac.compare_digest(cookie, state)
        )
        # A link's code has no business in an address, which logs keep.
        if not is_ours or self.backend == LINK_BACKEND:
            raise SignInRefusedError(_START_AGAIN)
        sha256 = hash_secret_value(state)
        with self.uow.write() as work:
            pending = work.pending_sign_ins.take(sha256, self.clock.now())
            work.commit()
        if pending is None or pending.backend != self.backend:
            raise SignInRefusedError(_START_AGAIN)
        try:
            private = self.sealer.open(pending.private, about=sha256)
        except SealBrokenError as exc:
            raise SignInRefusedError(_START_AGAIN) from exc
        provider = self.providers[self.backend]
        outcome = provider.complete(parameters, self.pages, private)
        require_answer(provider.complete, outcome, SignInOutcome)
        return CompletedSignIn(
            session=self.sessions.start(self.backend, outcome),
            return_to=pending.return_to,
        )

    def complete_link(self, code: str, *, client_address: str) -> StartedSession:
        """
        Begin a session for a person with the code of a one-time link, which is used up.

        Raises:
            SignInRefusedError: As ``complete_link_of_page``.
            RateLimitExceededError: Too many attempts from this address.
        """
        return self.complete_link_of_page(code, client_address=client_address).session

    def complete_link_of_page(
        self, code: str, *, client_address: str
    ) -> CompletedSignIn:
        """
        Begin a session as ``complete_link`` does; return the page for which the link was mailed, too.

        The page is "" for a link that was not mailed, or for no page.

        Raises:
            SignInRefusedError: The code was used, has expired, or never existed; or it is
                a member's, and members sign in by another backend.
            RateLimitExceededError: Too many attempts from this address.
        """
        # Before anything is looked up: whoever is refused costs no question to the database.
        self.attempts.count(client_address)
        # Before the link is used up, and gone with its mail's id.
        return_to = self._return_of(code)
        provider = self.providers.get(LINK_BACKEND)
        if provider is None:
            raise SignInRefusedError("One-time links are switched off here.")
        outcome = provider.complete({"code": code}, self.pages, "")
        require_answer(provider.complete, outcome, SignInOutcome)
        if self.backend != LINK_BACKEND and not outcome.identity.is_operator:
            # Nobody gets in past the provider, which may know more of the person.
            raise SignInRefusedError(_NOT_BY_LINK)
        session = self.sessions.start(LINK_BACKEND, outcome)
        return CompletedSignIn(session=session, return_to=return_to)

    def _return_of(self, code: str) -> str:
        """Return the path of the page for which a mailed link was asked; "" for none."""
        if not is_secret_value(code):
            return ""
        with self.uow.read() as work:
            link = work.sign_in_links.find(hash_secret_value(code))
            if link is None or link.mail_id is None:
                return ""
            mail = work.sign_in_mails.find(link.mail_id)
        return mail.return_to if mail is not None else ""


def safe_return(path: str) -> str:
    """Return the given path if it is a page of the dashboard, else the dashboard's start."""
    is_inside = path == "/dashboard" or path.startswith("/dashboard/")
    # Browsers drop controls, and take a backslash for a slash.
    is_plain = path.isascii() and path.isprintable() and "\\" not in path
    if not is_inside or not is_plain or len(path) > _MAX_PATH_CHARS:
        return _HOME
    where = path.partition("?")[0].partition("#")[0].lower()
    # Browsers and proxies walk up at dots, also at encoded ones.
    walks_up = "/." in where or "%2e" in where or "//" in where
    # Back to where one signs in or out would go round in a circle.
    leads_away = path.startswith(("/dashboard/sign-in", "/dashboard/sign-out"))
    return _HOME if leads_away or walks_up else path
