"""Make, list and revoke the keys with which an organization signs playback tokens."""

import re
import secrets
from collections.abc import Sequence
from typing import Final

import attrs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from hvcore.clock import Clock
from hvcore.domain.access.keys import MAX_KEY_NAME_CHARS, is_key_name
from hvcore.domain.ids import OrgId, new_signing_key_id
from hvcore.domain.playback.signing_keys import (
    MAX_SIGNING_KEYS,
    SigningAlgorithm,
    SigningKey,
)
from hvcore.errors import (
    ConfigError,
    ConflictError,
    FieldError,
    InvalidParametersError,
    NotFoundError,
)
from hvcore.playback_tokens.keys import TokenKey
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.signing.organization_keys import sealed_about
from hvcore.signing.sealing import Sealer

NO_SUCH_KEY: Final = "The organization has no such signing key, or it is revoked."
MAX_PEM_CHARS: Final = 1000
_SECRET_BYTES: Final = 32
_PUBLIC_PEM: Final = re.compile(
    r"-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----"
)


@attrs.frozen(kw_only=True)
class SigningKeyCreated:
    """
    A new signing key, and its secret part, which the service shows only once.

    Attributes:
        private: The secret, or the private key in PEM; None if the owner made the key.
    """

    key: SigningKey
    private: str | None = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class PlaybackSigningKeys:
    """Make, list and revoke the playback signing keys of organizations."""

    uow: UnitOfWork
    sealer: Sealer
    clock: Clock
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def create(
        self,
        org_id: str,
        *,
        name: str,
        algorithm: SigningAlgorithm,
        public_pem: str | None = None,
    ) -> SigningKeyCreated:
        """
        Make a signing key for an organization; its tokens are accepted as soon as this returns.

        Args:
            public_pem: The public half of an Ed25519 key that the owner made; None has the
                service make a key.

        Raises:
            InvalidParametersError: The name or the public key is invalid.
            NotFoundError: There is no such organization.
            ConflictError: The organization has as many keys as it may have.
        """
        if not is_key_name(name):
            raise _refused(
                "name",
                f"name must have at most {MAX_KEY_NAME_CHARS} characters, on one line.",
            )
        key = SigningKey(
            id=new_signing_key_id(),
            org_id=OrgId(org_id),
            name=name,
            algorithm=algorithm,
            material=b"",
            created_at=self.clock.now(),
        )
        key, private = self._with_material(key, public_pem)
        with self.uow.write() as work:
            if work.tenants.organization(key.org_id) is None:
                raise NotFoundError(f"There is no organization {org_id}.")
            if work.signing_keys.count_in_force(key.org_id) >= MAX_SIGNING_KEYS:
                raise ConflictError(
                    f"An organization has at most {MAX_SIGNING_KEYS} signing keys; "
                    "revoke one that no server signs with any more."
                )
            work.signing_keys.add(key)
            record(
                work,
                "signing-key.create",
                key.id,
                org_id=key.org_id,
                name=key.name,
                algorithm=algorithm.value,
            )
            work.commit()
        return SigningKeyCreated(key=key, private=private)

    def of_organization(self, org_id: str) -> Sequence[SigningKey]:
        """Return an organization's signing keys, oldest first, revoked ones included."""
        with self.uow.read() as work:
            return work.signing_keys.of_organization(OrgId(org_id))

    def revoke(self, org_id: str, key_id: str) -> SigningKey:
        """
        Revoke a signing key and with it all its tokens; return the key.

        Requests with such a token are refused on this machine once this returns, and on others
        a second later.

        Raises:
            NotFoundError: The organization has no such key, or it is revoked.
        """
        now = self.clock.now()
        with self.uow.write() as work:
            key = work.signing_keys.find(key_id)
            if key is None or key.org_id != org_id:
                raise NotFoundError(NO_SUCH_KEY)
            if not work.signing_keys.revoke(key.id, now):
                raise NotFoundError(NO_SUCH_KEY)
            record(work, "signing-key.revoke", key.id, org_id=key.org_id, name=key.name)
            work.commit()
        self.changes.publish()
        return attrs.evolve(key, revoked_at=now)

    def _with_material(
        self, key: SigningKey, public_pem: str | None
    ) -> tuple[SigningKey, str | None]:
        if key.algorithm is SigningAlgorithm.HS256:
            if public_pem is not None:
                raise _refused(
                    "publicKey", "publicKey goes with Ed25519; HS256 has a secret."
                )
            secret = secrets.token_urlsafe(_SECRET_BYTES)
            sealed = self.sealer.seal(secret, about=sealed_about(key))
            return attrs.evolve(key, material=sealed), secret
        if public_pem is not None:
            return attrs.evolve(key, material=_public_bytes(public_pem)), None
        private = Ed25519PrivateKey.generate()
        public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return attrs.evolve(key, material=public), pem.decode()


def _public_bytes(pem: str) -> bytes:
    text = pem.strip()
    message = (
        "publicKey must be an Ed25519 public key in PEM; make one with: openssl pkey "
        "-in private.pem -pubout"
    )
    # A private key that is pasted by mistake must not even be parsed.
    if len(text) > MAX_PEM_CHARS or _PUBLIC_PEM.fullmatch(text) is None:
        raise _refused("publicKey", message)
    try:
        loaded = TokenKey.load(text.encode())
    except ConfigError as exc:
        raise _refused("publicKey", message) from exc
    if isinstance(loaded.public, bytes):
        raise _refused("publicKey", message)
    return loaded.public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _refused(field: str, message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location=f"body.{field}")
    return InvalidParametersError(message, errors=[problem])
