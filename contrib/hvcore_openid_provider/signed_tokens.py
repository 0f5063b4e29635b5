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
    Return a token's claims for a library to check, without claims that hvcore never reads.

    Some providers write claims in forms that the library would refuse; that must not
    matter for claims that are not used.

    Args:
        required: The names of claims that are kept because the settings require them.
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
    Check the signature of a token, and return its header and claims; no claim is checked.

    Args:
        algorithms: The signature algorithms that are accepted.
        keys_for: Returns the keys to check the signature with; called with the header
            and the unproved claims of a token whose algorithm is accepted.

    Raises:
        JoseError, TypeError, ValueError, KeyError, RecursionError: The token is forged
            or unreadable; UNREADABLE names these errors.
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
