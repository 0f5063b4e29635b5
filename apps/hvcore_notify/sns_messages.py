"""
Read messages that Amazon SNS sends over HTTP, and verify their signatures.

Source: "Verifying the signatures of Amazon SNS messages" and "Parsing Amazon SNS message
formats" in Amazon's documentation.
"""

import binascii
import re
from base64 import b64decode
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import attrs
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from hvcore.clock import Clock
from hvcore.errors import ForbiddenError, UnavailableError
from hvcore.settings.notify import sns_root
from hvcore_notify.documents import PublicDocuments

NOTIFICATION: Final = "Notification"
CONFIRMATION: Final = "SubscriptionConfirmation"
MAX_AGE: Final = timedelta(hours=2)
"""The greatest age of a message: SNS tries for an hour at most, so an older message is a
replay by somebody else."""
MAX_AHEAD: Final = timedelta(minutes=5)
"""The furthest that a message's time may be in the future, as clocks of two machines differ."""
MIN_KEY_BITS: Final = 2048
MAX_CERTIFICATES: Final = 16
_SIGNED: Final = {
    NOTIFICATION: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    CONFIRMATION: (
        *("Message", "MessageId", "SubscribeURL", "Timestamp", "Token"),
        *("TopicArn", "Type"),
    ),
}
"""The signed members of each type of message, in order; Subject only if there is one."""
_HASHES: Final[Mapping[str, hashes.HashAlgorithm]] = {
    # SNS's own default. Nobody can make two messages of one SHA-1 without its key.
    "1": hashes.SHA1(),  # noqa: S303
    "2": hashes.SHA256(),
}
_CONFIRMED: Final = b"<SubscriptionArn>"
_CERTIFICATE: Final = re.compile(r"/SimpleNotificationService-[0-9a-f]{16,64}\.pem")


@attrs.frozen(kw_only=True)
class SnsMessage:
    """
    A message that SNS has signed for a configured topic.

    Attributes:
        kind: NOTIFICATION or CONFIRMATION.
        id: The message's id; the same one when SNS sends the message again.
        text: The published text; in a confirmation a sentence for people.
        token: The token of a confirmation, with which it is answered.
    """

    kind: str
    id: str
    topic: str
    text: str
    token: str = attrs.field(repr=False)


class SnsMessages:
    """
    Verifies that messages were lately signed by Amazon SNS for a configured topic; thread-safe.

    Args:
        topics: The accepted topics. SNS signs the topics of all its customers with the same key.
        root: The address of SNS, if it is not Amazon's.
    """

    def __init__(
        self,
        *,
        topics: Collection[str],
        root: str,
        documents: PublicDocuments,
        clock: Clock,
    ) -> None:
        self._topics = frozenset(topics)
        self._root = root.rstrip("/")
        self._documents = documents
        self._clock = clock
        self._certificates: dict[str, x509.Certificate] = {}

    def read(self, found: Mapping[str, Any]) -> SnsMessage:
        """
        Verify the signature of an SNS message, and return the message.

        Args:
            found: The message as SNS sent it, a JSON object.

        Raises:
            ForbiddenError: The message is not genuine, not of an accepted topic, or old.
            UnavailableError: The certificate cannot be fetched now.
        """
        kind, topic = found.get("Type"), found.get("TopicArn")
        if not isinstance(kind, str) or kind not in _SIGNED:
            raise ForbiddenError("It is no message of SNS that is taken here.")
        if not isinstance(topic, str) or topic not in self._topics:
            raise ForbiddenError("Its topic is not named in HV_NOTIFY__SNS_TOPICS.")
        self._check_age(found.get("Timestamp"))
        members = [name for name in _SIGNED[kind] if name in found]
        if any(not isinstance(found[name], str) for name in members):
            raise ForbiddenError("It has members that are no texts.")
        if set(_SIGNED[kind]) - set(members) - {"Subject"}:
            raise ForbiddenError("It lacks members that are signed.")
        signed = "".join(f"{name}\n{found[name]}\n" for name in members)
        self._check_signature(found, topic, signed.encode())
        return SnsMessage(
            kind=kind,
            id=found["MessageId"],
            topic=topic,
            text=found["Message"],
            token=found.get("Token", "") if kind == CONFIRMATION else "",
        )

    def confirm(self, message: SnsMessage) -> bool:
        """
        Confirm to SNS the subscription of a topic; return whether SNS accepted that.

        The address is made from settings: no address that a message names is ever called.

        Raises:
            UnavailableError: SNS does not answer, or does not say that it accepted; SNS then
                asks again.
        """
        query = {
            "Action": "ConfirmSubscription",
            "TopicArn": message.topic,
            "Token": message.token,
        }
        with self._documents.turn():
            address = f"{self._root_of(message.topic)}/?{urlencode(query)}"
            answer = self._documents.get(address)
        if answer is not None and _CONFIRMED not in answer:
            # Such as a page of a proxy, with 200.
            raise UnavailableError("SNS does not say that it took the confirmation.")
        return answer is not None

    def _root_of(self, topic: str) -> str:
        return self._root or sns_root(topic) or ""

    def _check_age(self, timestamp: object) -> None:
        try:
            at = datetime.fromisoformat(str(timestamp))
        except ValueError as exc:
            raise ForbiddenError("It does not say when it was sent.") from exc
        if at.tzinfo is None:
            raise ForbiddenError("It does not say in which time zone it was sent.")
        if not -MAX_AHEAD <= self._clock.now() - at <= MAX_AGE:
            raise ForbiddenError("It is too old, or the clocks differ.")

    def _check_signature(
        self, found: Mapping[str, Any], topic: str, signed: bytes
    ) -> None:
        algorithm = _HASHES.get(str(found.get("SignatureVersion")))
        if algorithm is None:
            raise ForbiddenError("Its SignatureVersion is neither 1 nor 2.")
        key = self._key(str(found.get("SigningCertURL")), topic)
        try:
            signature = b64decode(str(found.get("Signature")), validate=True)
            key.verify(signature, signed, PKCS1v15(), algorithm)
        except (InvalidSignature, binascii.Error, ValueError) as exc:
            raise ForbiddenError("Its signature is wrong.") from exc

    def _key(self, address: str, topic: str) -> RSAPublicKey:
        at_amazon, root = sns_root(topic) or "", self._root_of(topic)
        name = address.removeprefix(root).removeprefix(at_amazon)
        if not _CERTIFICATE.fullmatch(name) or address not in {
            root + name,
            at_amazon + name,
        }:
            raise ForbiddenError("Its certificate is not at the topic's SNS.")
        certificate = self._certificates.get(root + name)
        if certificate is None:
            certificate = self._fetch(root + name)
        now = self._clock.now()
        if not (
            certificate.not_valid_before_utc - MAX_AHEAD
            <= now
            <= certificate.not_valid_after_utc
        ):
            raise ForbiddenError("Its certificate is not valid now.")
        key = certificate.public_key()
        if not isinstance(key, RSAPublicKey) or key.key_size < MIN_KEY_BITS:
            raise ForbiddenError("Its certificate has no key that can be trusted.")
        return key

    def _fetch(self, address: str) -> x509.Certificate:
        with self._documents.turn():
            known = self._certificates.get(address)
            if known is not None:
                return known
            data = self._documents.get(address)
            if data is None:
                raise ForbiddenError("There is no such certificate.")
            try:
                certificate = x509.load_pem_x509_certificate(data)
            except ValueError as exc:
                # Such as a page of a proxy, with 200: says nothing of the message.
                raise UnavailableError(
                    "SNS gives no certificate now; send it again soon."
                ) from exc
            if len(self._certificates) >= MAX_CERTIFICATES:
                del self._certificates[next(iter(self._certificates))]
            self._certificates[address] = certificate
            return certificate
