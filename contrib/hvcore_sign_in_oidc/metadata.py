"""
Read the endpoints and features in an OpenID provider's description (its metadata).

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
    Hold an OpenID provider's endpoints and features that signing people in needs.

    Attributes:
        end_session_endpoint: The address for signing out; "" if there is none.
        userinfo_endpoint: The address of userinfo; "" if there is none.
        algorithms: The signature algorithms that both the provider and hvcore support.
        scopes: The scopes that the provider lists.
        names_itself: Whether the provider's answers to browsers have ``iss`` (RFC 9207).
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
    Return the sign-in metadata in a provider's description.

    Raises:
        UnavailableError: A needed endpoint or a supported signature algorithm is
            missing; the text names it.
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
