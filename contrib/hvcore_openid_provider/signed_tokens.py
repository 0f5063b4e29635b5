"""
Check the signatures of JSON Web Tokens.

Source: RFC 7515; RFC 8725, sections 3.1 to 3.3.
"""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import attrs
from joserfc.errors import BadSignatureError, InvalidPayloadError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry, extract_compact, validate_compact

from hvcore_openid_provider.claims import Claims

ALGORITHMS: Final = tuple(
    f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)
)
"""
Those of signatures that anybody can check and only the provider can make.

Never ``none``, nor ``HS…``: who has the public key or the client secret could sign.
"""
LEEWAY_S: Final = 60
"""Clocks of two machines differ a little."""
UNREADABLE: Final = (
    JoseError,
    TypeError,
    ValueError,
    KeyError,
    RecursionError,
    # A time with hundreds of digits.
    OverflowError,
)
"""What reading a token can end with, whatever is in it."""

_NEVER_READ: Final = frozenset({"amr", "auth_time", "jti"})


class _Registry(JWSRegistry):
    # Certificates may stand in the header.
    max_header_length = 8192


@attrs.frozen(kw_only=True)
class SignedToken:
    """
    The header and the claims of a signed token.

    Attributes:
        header: The token's header, which has ``alg``.
    """

    header: Mapping[str, Any] = attrs.field(repr=False)
    claims: dict[str, Any] = attrs.field(repr=False)

    @property
    def key_name(self) -> str | None:
        """The name (``kid``) of the key that signed the token; None if the token names none."""
        name = self.header.get("kid")
        return name if isinstance(name, str) else None


def without_unread(claims: Claims, required: Collection[str] = ()) -> dict[str, Any]:
    """
    Return the claims of a token for a library to check, without claims that nothing reads.

    Of the others some providers write forms of their own, which is their affair.

    Args:
        required: Claims that a deployer asks for.
    """
    return {
        name: value
        for name, value in claims.items()
        if name not in _NEVER_READ or name in required
    }


def read_signed_token(
    token: str,
    algorithms: tuple[str, ...],
    keys_for: Callable[[SignedToken], KeySet],
) -> SignedToken:
    """
    Return a token after checking its signature; no claim is checked.

    Args:
        algorithms: The signature algorithms that are accepted.
        keys_for: Called with what the token says, which nothing proves yet, once its
            algorithm is one of them.

    Raises:
        JoseError, TypeError, ValueError, KeyError, RecursionError: It is forged, or
            unreadable; see UNREADABLE.
    """
    registry = _Registry(algorithms=algorithms, strict_check_header=False)
    extracted = extract_compact(token.encode(), None, registry)
    claims = json.loads(extracted.payload)
    if not isinstance(claims, dict):
        raise InvalidPayloadError
    said = SignedToken(header=extracted.headers(), claims=claims)
    if not validate_compact(extracted, lambda _: keys_for(said), registry=registry):
        raise BadSignatureError
    return said
