"""
The part of an OpenID provider's description that signing people in needs.

Source: OpenID Connect Discovery 1.0, section 3; RFC 9207; RP-Initiated Logout 1.0,
section 2.1.
"""

import attrs

from hvcore.plugin_api import UnavailableError
from hvcore_openid_provider.description import DescribedMembers
from hvcore_openid_provider.signed_tokens import ALGORITHMS


@attrs.frozen(kw_only=True)
class ProviderMetadata:
    """
    A provider's endpoints, and what it can do.

    Attributes:
        end_session_endpoint: "" if people cannot sign out there.
        userinfo_endpoint: "" if there is none.
        algorithms: Of its ID tokens, those that we believe.
        scopes: Those that it tells.
        names_itself: Its answers to browsers carry ``iss``.
    """

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    end_session_endpoint: str
    algorithms: tuple[str, ...]
    scopes: frozenset[str]
    names_itself: bool


def read_metadata(described: DescribedMembers) -> ProviderMetadata:
    """
    Return the sign-in metadata that a provider's description gives.

    Raises:
        UnavailableError: People cannot be signed in with it; it says why.
    """
    offered = described.texts("id_token_signing_alg_values_supported")
    algorithms = tuple(name for name in ALGORITHMS if name in offered)
    if not algorithms:
        raise UnavailableError(
            "The sign-in provider signs with none of: " + ", ".join(ALGORITHMS)
        )
    members = described.members
    return ProviderMetadata(
        authorization_endpoint=described.endpoint("authorization_endpoint"),
        token_endpoint=described.endpoint("token_endpoint"),
        jwks_uri=described.endpoint("jwks_uri"),
        # Judged when it is asked, which the settings may forbid.
        userinfo_endpoint=str(members.get("userinfo_endpoint") or ""),
        end_session_endpoint=described.optional_endpoint("end_session_endpoint"),
        algorithms=algorithms,
        scopes=frozenset(described.texts("scopes_supported")),
        names_itself=(
            members.get("authorization_response_iss_parameter_supported") is True
        ),
    )
