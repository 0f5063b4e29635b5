"""The sign-in port: recognises people for the dashboard."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, Self

import attrs

from hvcore.domain.sign_in.identities import Identity
from hvcore.errors import ForbiddenError, HvcoreError, UnavailableError

LINK_BACKEND: Final = "link"
"""The name of the backend that takes one-time links."""


class SignInRefusedError(ForbiddenError):
    """The backend does not sign this person in; the text says what to do next."""

    default_detail = "You could not be signed in; try again."


class MembershipEndedError(HvcoreError):
    """The person is no longer who may use the service, or must sign in anew."""


class RefreshInterruptedError(UnavailableError):
    """
    The provider took the old state, and then did not answer the rest.

    Args:
        refresh_state: Replaces the old one, which may be used up; a secret.
    """

    def __init__(self, detail: str, *, refresh_state: str) -> None:
        super().__init__(detail)
        self.refresh_state = refresh_state


@attrs.frozen(kw_only=True)
class SignInPages:
    """
    The dashboard's own addresses, as the person's browser reaches them.

    Attributes:
        callback: Where a provider sends the browser back to, by GET.
        link: Where a person opens a one-time link, or enters its code.
        signed_out: Where the browser may go after the sign-out at the provider.
    """

    callback: str
    link: str
    signed_out: str

    @classmethod
    def below(cls, dashboard: str) -> Self:
        """
        Return the addresses of a dashboard.

        Args:
            dashboard: Its address, without a slash at the end.
        """
        return cls(
            callback=f"{dashboard}/sign-in/callback",
            link=f"{dashboard}/sign-in/link",
            signed_out=f"{dashboard}/sign-in",
        )


@attrs.frozen(kw_only=True)
class SignInStart:
    """
    The first step of a sign-in.

    Attributes:
        address: Where the browser goes.
        private: What ``complete`` needs and the browser must not see; "" if nothing.
    """

    address: str
    private: str = attrs.field(default="", repr=False)


@attrs.frozen(kw_only=True)
class SignInOutcome:
    """
    A person, recognised.

    Attributes:
        refresh_state: What ``refresh`` asks with; a secret; "" if nothing.
    """

    identity: Identity
    refresh_state: str = attrs.field(default="", repr=False)


class SignInProvider(ABC):
    """
    Recognise people, and say later on whether they still belong.

    Called from any thread of any process that serves the dashboard; what one method
    returns may be given to another process. A call may block for 10 s.
    """

    @abstractmethod
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        """
        Begin a sign-in; called when a person asks for it.

        Args:
            state: Random; the answer must bring it back in the parameter ``state``.

        Raises:
            UnavailableError: The provider does not answer.
        """

    @abstractmethod
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        """
        Recognise the person who came back.

        Args:
            parameters: Of the address that the provider sent the browser to. The
                caller has compared ``state``. Whoever signs in by a link sends
                ``code`` alone.
            private: As ``begin`` returned it; the service gives each once. "" for a
                link, whose code the backend takes once.

        Raises:
            SignInRefusedError: The answer is refused, forged, old or used before.
            UnavailableError: The provider does not answer.
        """

    @abstractmethod
    def refresh(self, refresh_state: str) -> SignInOutcome:
        """
        Ask whether the person still belongs, and what the roles are now.

        Called while the person uses the service, at most every 5 minutes, and never
        twice at a time for a session. The state that it returns replaces the old
        one.

        Raises:
            MembershipEndedError: The person does not, or nobody can say it without a
                new sign-in.
            UnavailableError: The provider does not answer; asked again soon.
            RefreshInterruptedError: Likewise, and the state has changed.
        """

    def sign_out_address(self, refresh_state: str, pages: SignInPages) -> str | None:
        """
        Return the address at which the browser signs out at the provider, too.

        Called once, after the session was ended here. It waits for nobody.

        Returns:
            None if there is nothing to sign out of.
        """
        del refresh_state, pages
        return None

    def ping(self) -> None:
        """
        Check that people can sign in; called by an operator's check alone.

        Raises:
            UnavailableError: They cannot; the text says what to do.
        """

    def ambiguous_settings(self) -> Sequence[str]:
        """
        Return a sentence about each setting that could give a role to the wrong people.

        Such as two rules that one group matches. Called by an operator's check alone; it
        waits for nobody.
        """
        return ()

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""
