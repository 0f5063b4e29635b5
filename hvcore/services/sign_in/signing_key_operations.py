"""Make and revoke playback signing keys for signed-in people, whose rights and limits are checked."""

from collections.abc import Sequence

import attrs

from hvcore.domain.playback.signing_keys import SigningAlgorithm, SigningKey
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.services.access.audit import acting_as_person
from hvcore.services.playback.signing.keys import PlaybackSigningKeys, SigningKeyCreated
from hvcore.services.sign_in.operation_limits import OperationLimits


@attrs.frozen(kw_only=True)
class SigningKeyOperations:
    """
    Change the playback signing keys of an organization on a person's behalf.

    Every change raises, besides its own errors: NotFoundError: The person has no role
    in the organization, or the key is of another one. ForbiddenError: The role has no
    right to keys. RateLimitExceededError: The organization has used up its key
    operations of this hour.
    """

    signing_keys: PlaybackSigningKeys
    limits: OperationLimits

    def of_organization(self, org_id: str) -> Sequence[SigningKey]:
        """Return an organization's signing keys, oldest first, revoked ones included."""
        return self.signing_keys.of_organization(org_id)

    def create(
        self,
        person: SignedInPerson,
        org_id: str,
        *,
        name: str,
        algorithm: SigningAlgorithm,
        public_pem: str | None,
    ) -> SigningKeyCreated:
        """
        Make a playback signing key of an organization for a person.

        See ``PlaybackSigningKeys.create``.
        """
        self.limits.begin_key_change(person, org_id)
        with acting_as_person(person.as_person):
            return self.signing_keys.create(
                org_id, name=name, algorithm=algorithm, public_pem=public_pem
            )

    def revoke(self, person: SignedInPerson, org_id: str, key_id: str) -> SigningKey:
        """Revoke a playback signing key of an organization for a person, and return the key."""
        self.limits.begin_key_change(person, org_id)
        with acting_as_person(person.as_person):
            return self.signing_keys.revoke(org_id, key_id)
