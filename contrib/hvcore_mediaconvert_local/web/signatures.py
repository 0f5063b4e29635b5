"""Check the signatures of requests (AWS Signature Version 4) by botocore's signer."""

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import attrs
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from hvcore_mediaconvert_local.config import KeyPair
from hvcore_mediaconvert_local.errors import MediaConvertError

MAX_SKEW_S: Final = 300
"""The seconds before and after its date for which a signature is valid."""
SERVICE: Final = "mediaconvert"
_AUTHORIZATION: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/,\s]+)/(\d{8})/([\w-]+)/([\w-]+)/aws4_request,"
    r"\s*SignedHeaders=([\w;.-]+),\s*Signature=([0-9a-f]{64})"
)
_UNSIGNED: Final = "UNSIGNED-PAYLOAD"
_MUST_BE_SIGNED: Final = frozenset({"host", "x-amz-date"})


@attrs.frozen(kw_only=True)
class SignedRequest:
    """
    Hold the parts of a request that are signed.

    Attributes:
        url: The URL as it was sent, with an undecoded path.
        headers: The headers by their names in lower case.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = attrs.field(repr=False)


class SignatureCheck:
    """
    Check the signatures of requests; thread-safe.

    Args:
        keys: The keys whose signatures are accepted. If there are none, any signature is
            accepted, but every request must have one.
        now_s: Returns the machine's time in seconds since 1970. It is not the clock that
            tests move, because clients sign by their own time.
    """

    def __init__(
        self, keys: Sequence[KeyPair], *, now_s: Callable[[], float] = time.time
    ) -> None:
        self._secrets = {key.access_key: key.secret for key in keys}
        self._now_s = now_s

    def check(self, request: SignedRequest) -> None:
        """
        Refuse a request without a valid signature.

        Raises:
            MediaConvertError: The signature is missing, invalid or expired, or the key is
                unknown.
        """
        text = request.headers.get("authorization", "")
        if not text:
            raise MediaConvertError(
                "MissingAuthenticationTokenException", "Missing Authentication Token"
            )
        found = _AUTHORIZATION.fullmatch(text.strip())
        if found is None:
            raise MediaConvertError(
                "IncompleteSignatureException",
                "Authorization must be an AWS4-HMAC-SHA256 signature with Credential, "
                "SignedHeaders and Signature.",
            )
        if self._secrets:
            self._compare(request, *found.groups())

    def _compare(  # noqa: PLR0913, PLR0917 - the parts of the header
        self,
        request: SignedRequest,
        access_key: str,
        day: str,
        region: str,
        service: str,
        names: str,
        signature: str,
    ) -> None:
        secret = self._secrets.get(access_key)
        if secret is None:
            raise MediaConvertError(
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            )
        signed = frozenset(names.split(";"))
        date = request.headers.get("x-amz-date", "")
        if not signed >= _MUST_BE_SIGNED or service != SERVICE or date[:8] != day:
            raise _invalid("Sign host and x-amz-date, for the service mediaconvert.")
        if abs(_seconds_of(date) - self._now_s()) > MAX_SKEW_S:
            raise _invalid("Signature expired: the date is more than 5 minutes off.")
        if not _is_body_signed(request):
            raise _invalid("The body is not the one that was signed.")
        signer = SigV4Auth(Credentials(access_key, secret), service, region)
        if not hmac.compare_digest(
            _signature(signer, request, signed, date), signature
        ):
            raise _invalid(
                "The request signature we calculated does not match the signature you "
                "provided. Check the secret access key and the signing method."
            )


def _signature(
    signer: SigV4Auth, request: SignedRequest, signed: frozenset[str], date: str
) -> str:
    again = AWSRequest(
        method=request.method,
        url=request.url,
        headers={k: v for k, v in request.headers.items() if k in signed},
        data=request.body,
    )
    again.context["timestamp"] = date
    canonical = signer.canonical_request(again)
    return str(signer.signature(signer.string_to_sign(again, canonical), again))


def _is_body_signed(request: SignedRequest) -> bool:
    # The signer takes the header's word for the body.
    claimed = request.headers.get("x-amz-content-sha256", _UNSIGNED)
    return claimed in {_UNSIGNED, hashlib.sha256(request.body).hexdigest()}


def _seconds_of(date: str) -> float:
    try:
        moment = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise _invalid("x-amz-date must be like 20260102T030405Z.") from None
    return moment.timestamp()


def _invalid(message: str) -> MediaConvertError:
    return MediaConvertError("InvalidSignatureException", message)
