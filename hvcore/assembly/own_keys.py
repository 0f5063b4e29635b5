"""Make the signers that use the service's own keys: those of the settings, and rotated ones."""

from collections.abc import Callable
from functools import partial

import attrs

from hvcore.clock import Clock
from hvcore.playback_tokens import KeyRing, TokenKey
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.access.rotated_keys import LoadServiceKeys, RotatedKeys
from hvcore.services.playback.signing.rotation import (
    LAST_TOKENS_END_AFTER,
    new_key_like,
    read_rotated_key,
)
from hvcore.services.uploads.key_rotation import (
    LAST_ADDRESSES_END_AFTER,
    new_address_key,
    read_address_key,
)
from hvcore.settings import PlaybackSettings, UploadSettings
from hvcore.signing.sealing import Sealer
from hvcore.signing.upload_addresses import UploadSigner


def make_key_ring(
    playback: PlaybackSettings, load: LoadServiceKeys, sealer: Sealer
) -> KeyRing:
    """
    Return the key ring that issues and verifies playback tokens.

    Args:
        load: Reads the rotated keys, which are stored in the database.

    Raises:
        ConfigError: A key in the settings is not a valid key.
    """
    materials = (playback.signing_key, *playback.retired_keys)
    return KeyRing(
        issuer=playback.issuer,
        keys=[TokenKey.load(material.encode()) for material in materials],
        rotated=RotatedKeys(load, sealer, read_rotated_key),
    )


def make_upload_signer(
    uploads: UploadSettings, load: LoadServiceKeys, sealer: Sealer
) -> UploadSigner:
    """
    Return the signer of upload addresses, which verifies them, too.

    Args:
        load: Reads the rotated keys, which are stored in the database.

    Raises:
        ConfigError: The key in the settings is too short.
    """
    return UploadSigner(
        uploads.signing_key.encode(),
        rotated=RotatedKeys(load, sealer, read_address_key),
    )


@attrs.frozen(kw_only=True)
class KeyRotations:
    """Make the services that rotate the service's own signing keys (replace a key by a new one)."""

    uow: UnitOfWork
    sealer: Sealer
    clock: Clock

    def playback(self, key_ring: KeyRing, publish: Callable[[], None]) -> KeyRotation:
        """
        Return the service that rotates the keys that sign playback tokens.

        Args:
            publish: Has delivery and the edge of this machine read the keys again.
        """
        keys = key_ring.own_keys
        return KeyRotation(
            uow=self.uow,
            keys=keys,
            sealer=self.sealer,
            new_text=partial(new_key_like, keys.settings[keys.first_kid]),
            old_believed_for=LAST_TOKENS_END_AFTER,
            clock=self.clock,
            publish=publish,
        )

    def uploads(self, signer: UploadSigner) -> KeyRotation:
        """Return the service that rotates the keys that sign upload addresses."""
        return KeyRotation(
            uow=self.uow,
            keys=signer.own_keys,
            sealer=self.sealer,
            new_text=new_address_key,
            old_believed_for=LAST_ADDRESSES_END_AFTER,
            clock=self.clock,
        )
