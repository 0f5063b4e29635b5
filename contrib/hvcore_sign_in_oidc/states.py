"""The backend's memory of a sign-in, as texts that only the service can read."""

import json
from typing import Self, TypeVar

import attrs

StateT = TypeVar("StateT", bound=attrs.AttrsInstance)


@attrs.frozen(kw_only=True)
class BegunState:
    """
    Of a sign-in that waits for the provider's answer.

    Attributes:
        issuer: Where it was begun.
        nonce: The ID token must have it.
        verifier: Of PKCE.
    """

    issuer: str
    nonce: str = attrs.field(repr=False)
    verifier: str = attrs.field(repr=False)

    def dump(self) -> str:
        """Return the text."""
        return json.dumps(attrs.asdict(self))

    @classmethod
    def load(cls, text: str) -> Self | None:
        """Read the text; None if it is none of ours."""
        return _load(cls, text)


@attrs.frozen(kw_only=True)
class HeldState:
    """
    Of a session.

    Attributes:
        refresh_token: "" if the provider gave none.
        id_token: The latest; it tells the provider who signs out.
        sign_out: Where people sign out at the provider; "" if they cannot.
    """

    issuer: str
    subject: str
    nonce: str = attrs.field(repr=False)
    refresh_token: str = attrs.field(repr=False)
    id_token: str = attrs.field(repr=False)
    sign_out: str

    def renewed(self, refresh_token: str, id_token: str) -> Self:
        """Return the state after a refresh; what did not come anew stays."""
        return attrs.evolve(
            self,
            refresh_token=refresh_token or self.refresh_token,
            id_token=id_token or self.id_token,
        )

    def dump(self) -> str:
        """Return the text."""
        return json.dumps(attrs.asdict(self))

    @classmethod
    def load(cls, text: str) -> Self | None:
        """Read the text; None if it is none of ours."""
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
