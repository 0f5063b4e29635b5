"""
Those who tell of new objects, with keys of their own: Amazon SNS and Google Pub/Sub.
"""

import base64
import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import attrs
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

TOPIC: Final = "arn:aws:sns:eu-central-1:123456789012:videos"
AMAZON: Final = "https://sns.eu-central-1.amazonaws.com"
CERTIFICATE: Final = f"/SimpleNotificationService-{'0123456789abcdef' * 2}.pem"
AUDIENCE: Final = "https://videos.example.com/notify"
EMAIL: Final = "push@project.iam.gserviceaccount.com"
SIGNED: Final = {
    "Notification": (
        *("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    ),
    "SubscriptionConfirmation": (
        *("Message", "MessageId", "SubscribeURL", "Timestamp", "Token"),
        *("TopicArn", "Type"),
    ),
}


def s3_event(*objects: str, name: str = "ObjectCreated:Put") -> dict[str, Any]:
    """
    Write what S3 writes; the keys as they are given, which should be quoted.
    """
    pairs = [one.partition("/") for one in objects]
    return {
        "Records": [
            {
                "eventSource": "aws:s3",
                "eventName": name,
                "s3": {"bucket": {"name": bucket}, "object": {"key": key, "size": 5}},
            }
            for bucket, _, key in pairs
        ]
    }


@attrs.frozen(kw_only=True)
class SnsSender:
    """
    Amazon's key, and its certificate.
    """

    key: rsa.RSAPrivateKey
    certificate: bytes

    @classmethod
    def make(
        cls, now: datetime, *, bits: int = 2048, valid_days: int = 10
    ) -> "SnsSender":
        """
        Make a key and a certificate that began yesterday.
        """
        key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=20))
            .not_valid_after(now - timedelta(days=20) + timedelta(days=20 + valid_days))
            .sign(key, hashes.SHA256())
        )
        pem = made.public_bytes(serialization.Encoding.PEM)
        return cls(key=key, certificate=pem)

    def message(
        self, text: str, now: datetime, *, version: str = "2", **members: object
    ) -> dict[str, Any]:
        """
        Write a signed message.

        Args:
            members: In the place of the usual ones, and signed; None leaves one out.
        """
        found = {
            "Type": "Notification",
            "MessageId": str(uuid.uuid4()),
            "TopicArn": TOPIC,
            "Message": text,
            "Timestamp": written(now),
            "SignatureVersion": version,
            "SigningCertURL": AMAZON + CERTIFICATE,
            "UnsubscribeURL": f"{AMAZON}/?Action=Unsubscribe",
            **members,
        }
        found = {name: value for name, value in found.items() if value is not None}
        return {**found, "Signature": self.sign(found, version)}

    def confirmation(self, now: datetime, **members: object) -> dict[str, Any]:
        """
        Write what SNS sends to a new subscriber.
        """
        usual = {
            "Type": "SubscriptionConfirmation",
            "Token": "2336412f37fb687f5d51e6e241d09c8",
            "SubscribeURL": f"{AMAZON}/?Action=ConfirmSubscription&Token=2336",
        }
        text = "You have chosen to subscribe to the topic."
        return self.message(text, now, **{**usual, **members})

    def sign(self, found: Mapping[str, Any], version: str) -> str:
        """
        Sign the members that SNS signs.
        """
        names = SIGNED.get(str(found.get("Type")), ())
        text = "".join(f"{n}\n{found[n]}\n" for n in names if n in found)
        used = hashes.SHA1() if version == "1" else hashes.SHA256()  # noqa: S303
        made = self.key.sign(text.encode(), padding.PKCS1v15(), used)
        return base64.b64encode(made).decode()


@attrs.frozen(kw_only=True)
class GoogleSender:
    """
    Google's key.
    """

    key: rsa.RSAPrivateKey
    name: str = "key-1"

    @classmethod
    def make(cls, *, bits: int = 2048, name: str = "key-1") -> "GoogleSender":
        """
        Make a key.
        """
        key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
        return cls(key=key, name=name)

    def keys(self) -> bytes:
        """
        Return what Google publishes.
        """
        found = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return json.dumps(
            {"keys": [{"kid": "broken"}, {**found, "kid": self.name, "use": "sig"}]}
        ).encode()

    def token(self, now: datetime, **claims: object) -> str:
        """
        Sign a token; None leaves a claim out.
        """
        at = int(now.timestamp())
        found = {
            "iss": "https://accounts.google.com",
            "aud": AUDIENCE,
            "azp": "113774264463038321964",
            "sub": "113774264463038321964",
            "email": EMAIL,
            "email_verified": True,
            "iat": at,
            "exp": at + 3600,
            **claims,
        }
        found = {name: value for name, value in found.items() if value is not None}
        headers = {"kid": self.name}
        return jwt.encode(found, self.key, algorithm="RS256", headers=headers)


def push(bucket: str, key: str, **attributes: str) -> dict[str, Any]:
    """
    Write what Pub/Sub pushes for an object that was made.
    """
    return {
        "message": {
            "attributes": {
                "bucketId": bucket,
                "objectId": key,
                "eventType": "OBJECT_FINALIZE",
                "payloadFormat": "JSON_API_V1",
                **attributes,
            },
            "data": base64.b64encode(b'{"kind": "storage#object"}').decode(),
            "messageId": "1",
        },
        "subscription": "projects/p/subscriptions/s",
    }


def written(moment: datetime) -> str:
    """
    Write a moment as SNS does.
    """
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
