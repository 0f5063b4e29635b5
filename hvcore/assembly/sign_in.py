"""Make the services for people who sign in to the dashboard."""

from datetime import timedelta
from functools import cached_property

from hvcore.assembly.access import AccessWiring
from hvcore.ports.sign_in import LINK_BACKEND, SignInPages
from hvcore.services.sign_in.attempts import SignInAttempts
from hvcore.services.sign_in.key_operations import KeyOperations
from hvcore.services.sign_in.links import SignInLinks
from hvcore.services.sign_in.mailed_links import MailedSignIns
from hvcore.services.sign_in.members import Members
from hvcore.services.sign_in.memberships import Memberships
from hvcore.services.sign_in.open_sign_in_sessions import OpenSignInSessions
from hvcore.services.sign_in.operation_limits import OperationLimits
from hvcore.services.sign_in.session_memberships import SessionTimes
from hvcore.services.sign_in.sessions import SignInSessions
from hvcore.services.sign_in.sign_in_mails import SignInMails
from hvcore.services.sign_in.sign_ins import SignIns
from hvcore.signing.mailed_codes import MailedCodes


class SignInWiring(AccessWiring):
    """The services for sign-in, a part of Services; each is made when it is first read."""

    @cached_property
    def sign_in_sessions(self) -> SignInSessions:
        """The service for the sessions of people signed in to the dashboard."""
        dashboard, sign_in = self.settings.dashboard, self.settings.sign_in
        return SignInSessions(
            uow=self.uow,
            clock=self.clock,
            backend=sign_in.backend,
            providers=self._sign_in_providers,
            memberships=Memberships(operators=dashboard.operators),
            sealer=self.sealer,
            pages=self._sign_in_pages,
            times=SessionTimes(
                idle=timedelta(seconds=dashboard.session_idle_s),
                total=timedelta(seconds=dashboard.session_total_s),
                asked_every=timedelta(seconds=sign_in.asked_every_s),
            ),
        )

    @cached_property
    def open_sign_in_sessions(self) -> OpenSignInSessions:
        """The service by which operators list and end people's sessions."""
        return OpenSignInSessions(
            uow=self.uow,
            clock=self.clock,
            idle=timedelta(seconds=self.settings.dashboard.session_idle_s),
        )

    @cached_property
    def sign_ins(self) -> SignIns:
        """The service that signs people in, by a provider or a one-time link."""
        return SignIns(
            uow=self.uow,
            clock=self.clock,
            backend=self.settings.sign_in.backend,
            providers=self._sign_in_providers,
            sealer=self.sealer,
            pages=self._sign_in_pages,
            sessions=self.sign_in_sessions,
            attempts=self._sign_in_attempts,
        )

    @cached_property
    def mailed_sign_ins(self) -> MailedSignIns:
        """The service that orders mails with invitations and sign-in links."""
        return MailedSignIns(
            uow=self.uow,
            clock=self.clock,
            attempts=self._sign_in_attempts,
            codes=self._mailed_codes,
            backend=self.settings.sign_in.backend,
            has_mail_server=self.has_mail_server,
        )

    @cached_property
    def sign_in_mails(self) -> SignInMails:
        """The service that sends mails with invitations and sign-in links."""
        return SignInMails(
            uow=self.uow,
            mailer=self.mailer,
            codes=self._mailed_codes,
            pages=self._sign_in_pages,
            dashboard=self.settings.public.dashboard_address,
            backend=self.settings.sign_in.backend,
        )

    @cached_property
    def sign_in_links(self) -> SignInLinks:
        """The service that makes one-time sign-in links."""
        return SignInLinks(uow=self.uow, clock=self.clock, pages=self._sign_in_pages)

    @cached_property
    def members(self) -> Members:
        """The service for the members of organizations."""
        return Members(
            uow=self.uow,
            clock=self.clock,
            are_only_source=self.settings.sign_in.backend == LINK_BACKEND,
        )

    @cached_property
    def key_operations(self) -> KeyOperations:
        """The service for changes of API keys that people make on dashboard pages."""
        return KeyOperations(keys=self.keys, limits=self.operation_limits)

    @cached_property
    def operation_limits(self) -> OperationLimits:
        """The limits on operations that people do on dashboard pages."""
        return OperationLimits(limits=self.rate_limits)

    @cached_property
    def _sign_in_attempts(self) -> SignInAttempts:
        return SignInAttempts(
            store=self.rate_limit_store,
            clock=self.clock,
            per_minute=self.settings.sign_in.attempts_per_minute,
        )

    @cached_property
    def _mailed_codes(self) -> MailedCodes:
        return MailedCodes(self._own_secret)

    @property
    def _sign_in_pages(self) -> SignInPages:
        return SignInPages.below(self.settings.public.dashboard_address)
