"""The sign-in port: recognise people for the dashboard."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, Self

import attrs

from hvcore.domain.sign_in.identities import Identity
from hvcore.errors import ForbiddenError, HvcoreError, UnavailableError

LINK_BACKEND: Final = "link"
"""The name of the backend that takes one-time links."""


class SignInRefusedError(ForbiddenError):
    """Say that the backend does not sign a person in; the text says what to do next."""

    default_detail = "You could not be signed in; try again."


class MembershipEndedError(HvcoreError):
    """Say that a person may no longer use the service, or must sign in anew."""


class RefreshInterruptedError(UnavailableError):
    """
    Say that the provider used up the old state and did not answer completely.

    Args:
        refresh_state: The state that replaces the old one, which may be used up; a
            secret.
    """

    def __init__(self, detail: str, *, refresh_state: str) -> None:
        super().__init__(detail)
        self.refresh_state = refresh_state


@attrs.frozen(kw_only=True)
class SignInPages:
    """
    Hold the dashboard's own addresses, as a person's browser reaches them.

    Attributes:
        callback: The address to which a provider sends the browser back, by GET.
        link: The address at which a person opens a one-time link, or enters its code.
        signed_out: The address to which the browser may go after the sign-out at the
            provider.
    """

    callback: str
    link: str
    signed_out: str

    @classmethod
    def below(cls, dashboard: str) -> Self:
        """
        Return the addresses of the sign-in pages of a dashboard.

        Args:
            dashboard: The dashboard's address, without a slash at the end.
        """
        return cls(
            callback=f"{dashboard}/sign-in/callback",
            link=f"{dashboard}/sign-in/link",
            signed_out=f"{dashboard}/sign-in",
        )


@attrs.frozen(kw_only=True)
class SignInStart:
    """
    Hold the address to which a sign-in sends the browser, and the private data of its last step.

    Attributes:
        address: The address to which the browser goes.
        private: Data that ``complete`` needs and the browser must not see; "" if there
            is none.
    """

    address: str
    private: str = attrs.field(default="", repr=False)


@attrs.frozen(kw_only=True)
class SignInOutcome:
    """
    Hold a recognised person, after a sign-in or a refresh.

    Attributes:
        refresh_state: Data with which ``refresh`` asks the provider; a secret; "" if
            there is none.
    """

    identity: Identity
    refresh_state: str = attrs.field(default="", repr=False)


class SignInProvider(ABC):
    """
    Sign people in, and find out later whether they may still use the service.

    Called from any thread of any process that serves the dashboard; data that one
    method returns may be given to another process. A call may take 10 s.
    """

    @abstractmethod
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        """
        Begin a sign-in; called when a person asks for it.

        Args:
            state: A random text; the provider's answer must bring it back in the
                parameter ``state``.

        Raises:
            UnavailableError: The provider does not answer.
        """

    @abstractmethod
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        """
        Return the person who comes back from the provider, or uses a one-time link.

        Args:
            parameters: The query parameters of the address to which the provider sent
                the browser. The caller has compared ``state``. A person who signs in by
                a link sends ``code`` alone.
            private: The text that ``begin`` returned; the service gives each one once.
                "" for a link, whose code the backend accepts once.

        Raises:
            SignInRefusedError: The provider's answer is refused, forged, old or used
                before.
            UnavailableError: The provider does not answer.
        """

    @abstractmethod
    def refresh(self, refresh_state: str) -> SignInOutcome:
        """
        Ask the provider whether a person may still use the service, and for the roles.

        Called while the person uses the service, at most every 5 minutes, and never
        twice at a time for a session. The returned state replaces the old one.

        Raises:
            MembershipEndedError: The person may not, or the provider cannot tell
                without a new sign-in.
            UnavailableError: The provider does not answer; it is asked again soon.
            RefreshInterruptedError: The provider does not answer, and the state has
                changed.
        """

    def sign_out_address(self, refresh_state: str, pages: SignInPages) -> str | None:
        """
        Return the address at which the browser signs out at the provider, too.

        Called once, after the dashboard's session was ended. The method waits for no
        server.

        Args:
            refresh_state: The state of the session that has ended, as the last sign-in
                or refresh returned it.

        Returns:
            None if there is nothing to sign out of.
        """
        del refresh_state, pages
        return None

    def ping(self) -> None:
        """
        Check that people can sign in; called only by an operator's check.

        Raises:
            UnavailableError: People cannot sign in; the text says what to do.
        """

    def ambiguous_settings(self) -> Sequence[str]:
        """
        Return a sentence about each setting that may give a role to the wrong people.

        For example, two rules that one group matches. Only the check of an operator
        calls the method; it waits for no server.
        """
        return ()

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""
