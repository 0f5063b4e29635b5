"""Keep data for the next step of a sign-in or session, as texts that the service stores."""

import json
from typing import Self, TypeVar

import attrs

StateT = TypeVar("StateT", bound=attrs.AttrsInstance)


@attrs.frozen(kw_only=True)
class BegunState:
    """
    Hold the data of a sign-in that waits for the provider's answer.

    Attributes:
        issuer: The provider at which the sign-in was begun.
        nonce: The random text that the ID token must contain.
        verifier: The code verifier of PKCE.
    """

    issuer: str
    nonce: str = attrs.field(repr=False)
    verifier: str = attrs.field(repr=False)

    def dump(self) -> str:
        """Return the state as a text for ``load``."""
        return json.dumps(attrs.asdict(self))

    @classmethod
    def load(cls, text: str) -> Self | None:
        """Return the state in a text of ``dump``; None if the text is another."""
        return _load(cls, text)


@attrs.frozen(kw_only=True)
class HeldState:
    """
    Hold the data of a signed-in person's session.

    Attributes:
        issuer: The provider at which the person signed in.
        subject: The provider's identifier of the person.
        nonce: The nonce of the sign-in.
        refresh_token: The latest refresh token; "" if the provider gave none.
        id_token: The latest ID token, which tells the provider who signs out.
        sign_out: The provider's address for signing out; "" if there is none.
    """

    issuer: str
    subject: str
    nonce: str = attrs.field(repr=False)
    refresh_token: str = attrs.field(repr=False)
    id_token: str = attrs.field(repr=False)
    sign_out: str

    def renewed(self, refresh_token: str, id_token: str) -> Self:
        """Return the state with the tokens of a refresh; a token that is "" is kept."""
        return attrs.evolve(
            self,
            refresh_token=refresh_token or self.refresh_token,
            id_token=id_token or self.id_token,
        )

    def dump(self) -> str:
        """Return the state as a text for ``load``."""
        return json.dumps(attrs.asdict(self))

    @classmethod
    def load(cls, text: str) -> Self | None:
        """Return the state in a text of ``dump``; None if the text is another."""
        return _load(cls, text)


def _load(cls: type[StateT], text: str) -> StateT | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    names = [field.name for field in attrs.fields(cls)]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        return None
    if not all(isinstance(value, str) for value in found.values()):
        return None
    return cls(**found)
