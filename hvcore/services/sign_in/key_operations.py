"""
Make, rotate and revoke API keys for signed-in people, within their rights and limits.

Source: the interface document, "Limits": API key operations, of each organization.
"""

from datetime import timedelta

import attrs

from hvcore.domain.access.keys import ApiKey, KeyType
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.errors import InvalidParametersError
from hvcore.services.access.audit import acting_as_person
from hvcore.services.access.keys import KeyCreated, Keys, KeyWanted
from hvcore.services.conditions import Condition
from hvcore.services.sign_in.operation_limits import OperationLimits


@attrs.frozen(kw_only=True)
class KeyOperations:
    """
    Change the API keys of an organization on a person's behalf.

    Every method raises, besides its own errors: NotFoundError: The person has no role
    in the organization, or the key is of another one. ForbiddenError: The role has no
    right to keys. RateLimitExceededError: The organization has used up its key
    operations of this hour.
    """

    keys: Keys
    limits: OperationLimits

    def create(self, person: SignedInPerson, wanted: KeyWanted) -> KeyCreated:
        """
        Create an API key of an organization for a person.

        Raises:
            InvalidParametersError: The environment does not fit the key's type, or the type
                is that of the whole system.
            NotFoundError: There is no such environment.
        """
        if wanted.org_id is None or wanted.type is KeyType.SYSTEM:
            raise InvalidParametersError(
                "Keys of the whole system are made on the command line: hv keys create."
            )
        self.limits.begin_key_change(person, wanted.org_id)
        with acting_as_person(person.as_person):
            return self.keys.create(wanted)

    def rotate(
        self,
        person: SignedInPerson,
        org_id: str,
        key_id: str,
        *,
        overlap: timedelta,
        only_if: Condition[ApiKey] | None = None,
    ) -> KeyCreated:
        """
        Create a new API key with the properties of an old one.

        The old key works on for the overlap.

        Args:
            only_if: A condition on the old key, checked in the transaction of the change.

        Raises:
            InvalidParametersError: The old key does not work any more.
            PreconditionFailedError: The old key does not meet ``only_if``; nothing is changed.
        """
        # Not again in the change's own transaction: no key changes its organization.
        self.keys.find(org_id, key_id)
        self.limits.begin_key_change(person, org_id)
        with acting_as_person(person.as_person):
            return self.keys.rotate(key_id, overlap=overlap, only_if=only_if)

    def revoke(self, person: SignedInPerson, org_id: str, key_id: str) -> ApiKey:
        """Revoke an API key of an organization at once for a person, and return the key."""
        self.keys.find(org_id, key_id)
        self.limits.begin_key_change(person, org_id)
        with acting_as_person(person.as_person):
            return self.keys.revoke(key_id)
