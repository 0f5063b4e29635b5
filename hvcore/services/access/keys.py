"""
API keys: create, list, revoke, rotate.

Source: the interface document, "API key" and "Authentication", 2 and 3. A key's value is
returned once, at its creation, and cannot be retrieved afterwards.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.keys import (
    ALL_PERMISSIONS,
    DISPLAYED_CHARS,
    MAX_KEY_NAME_CHARS,
    ApiKey,
    KeyType,
    Permission,
    hash_key,
    is_key_name,
    new_key_value,
)
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, KeyId, OrgId
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.access.tenants import Tenants
from hvcore.services.conditions import Condition, require_condition


@attrs.frozen(kw_only=True)
class KeyWanted:
    """
    The properties of an API key that is to be created.

    Attributes:
        env: Id or name of the environment; for a full-access key, its default
            environment.
        expires_in: The time after which the key expires; None if it never does.
    """

    type: KeyType
    org_id: str | None = None
    env: str | None = None
    name: str = ""
    permissions: frozenset[Permission] = ALL_PERMISSIONS
    expires_in: timedelta | None = None


@attrs.frozen(kw_only=True)
class KeyCreated:
    """A new API key, with its value, which is given only this once."""

    key: ApiKey
    value: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class CallerKey:
    """
    The API key with which a caller has sent a request.

    Attributes:
        environment: The key's own or default environment; None if it has none.
        name: The name of the key; "" for a key that the service did not make.
    """

    caller: Principal
    environment: Environment | None
    name: str
    expires_at: datetime | None


@attrs.frozen(kw_only=True)
class Keys:
    """Create, list, revoke and rotate API keys; changes take effect with the next request."""

    uow: UnitOfWork
    tenants: Tenants
    clock: Clock

    def create(self, wanted: KeyWanted) -> KeyCreated:
        """
        Create an API key with the wanted properties, and return it with its value.

        Raises:
            InvalidParametersError: The organization or the environment does not fit the
                key's type, or the name is invalid.
            NotFoundError: There is no such organization or environment.
        """
        if not is_key_name(wanted.name):
            raise InvalidParametersError(
                f"The name of a key has at most {MAX_KEY_NAME_CHARS} characters, on "
                "one line, without control characters and marks that turn the "
                "direction of writing."
            )
        environment = self._environment(wanted)
        kind = environment.kind if environment else EnvironmentKind.PRODUCTION
        created = _new_key(
            name=wanted.name,
            type_=wanted.type,
            org_id=OrgId(wanted.org_id) if wanted.org_id else None,
            env_id=environment.id if environment else None,
            permissions=wanted.permissions,
            kind=kind,
            now=self.clock.now(),
            expires_in=wanted.expires_in,
        )
        with self.uow.write() as work:
            work.keys.add(created.key)
            _record_creation(work, created.key, {})
            work.commit()
        return created

    def of_caller(self, caller: Principal) -> CallerKey:
        """Return the key of a caller: its environment, name and expiry."""
        with self.uow.read() as work:
            key = work.keys.find(caller.key_id) if caller.key_id else None
            environment = None
            if caller.org_id is not None and caller.env_id is not None:
                environment = work.tenants.environment(caller.org_id, caller.env_id)
        return CallerKey(
            caller=caller,
            environment=environment,
            name=key.name if key else "",
            expires_at=key.expires_at if key else None,
        )

    def of_organization(self, org_id: str | None) -> Sequence[ApiKey]:
        """Return an organization's API keys, oldest first; None returns the system keys."""
        with self.uow.read() as work:
            return work.keys.of_organization(OrgId(org_id) if org_id else None)

    def find(self, org_id: str, key_id: str) -> ApiKey:
        """
        Return an API key of an organization.

        Raises:
            NotFoundError: The organization has no such key.
        """
        with self.uow.read() as work:
            key = work.keys.find(KeyId(key_id))
        if key is None or key.org_id != org_id:
            raise NotFoundError("The organization has no such key.")
        return key

    def revoke(self, key_id: str) -> ApiKey:
        """
        Revoke an API key at once, and return it.

        Raises:
            NotFoundError: There is no such key.
        """
        with self.uow.write() as work:
            key = _find(work, key_id)
            now = self.clock.now()
            if key.is_valid_at(now):
                key = attrs.evolve(key, revoked_at=now)
                work.keys.save(key)
                record(work, "key.revoke", key.id, org_id=key.org_id, name=key.name)
            work.commit()
        return key

    def rotate(
        self,
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
            NotFoundError: There is no such key.
            InvalidParametersError: The old key does not work any more.
            PreconditionFailedError: The old key does not meet ``only_if``; nothing is changed.
        """
        with self.uow.write() as work:
            old = _find(work, key_id)
            # Behind the lock: before it, the key may not be revoked yet.
            now = self.clock.now()
            require_condition(only_if, old)
            if not old.is_valid_at(now):
                raise InvalidParametersError(
                    f"{key_id} does not work any more; create a new key."
                )
            created = _new_key(
                name=old.name,
                type_=old.type,
                org_id=old.org_id,
                env_id=old.env_id,
                permissions=old.permissions,
                kind=_kind_of(old),
                now=now,
                expires_in=old.expires_at - now if old.expires_at else None,
            )
            ends = [at for at in (old.revoked_at, now + overlap) if at is not None]
            old = attrs.evolve(old, revoked_at=min(ends))
            work.keys.save(old)
            work.keys.add(created.key)
            record(
                work,
                "key.rotate",
                old.id,
                org_id=old.org_id,
                name=old.name,
                newKeyID=created.key.id,
                worksUntil=old.revoked_at,
            )
            _record_creation(work, created.key, {"rotatedFrom": old.id})
            work.commit()
        return created

    def _environment(self, wanted: KeyWanted) -> Environment | None:
        if wanted.type is KeyType.SYSTEM:
            if wanted.org_id or wanted.env:
                raise InvalidParametersError(
                    "A system key belongs to no organization and no environment."
                )
            return None
        if wanted.org_id is None:
            raise InvalidParametersError(
                f"Name the organization of a {wanted.type.value} key."
            )
        if wanted.env is None:
            if wanted.type is KeyType.ENVIRONMENT:
                raise InvalidParametersError(
                    "Name the environment of an environment key."
                )
            self.tenants.environments(wanted.org_id)
            return None
        return self.tenants.environment(wanted.org_id, wanted.env)


def _new_key(  # noqa: PLR0913 - one per column of the record
    *,
    name: str,
    type_: KeyType,
    org_id: OrgId | None,
    env_id: EnvId | None,
    permissions: frozenset[Permission],
    kind: EnvironmentKind,
    now: datetime,
    expires_in: timedelta | None,
) -> KeyCreated:
    value = new_key_value(kind)
    key = ApiKey(
        id=ids.new_key_id(),
        name=name,
        type=type_,
        org_id=org_id,
        env_id=env_id,
        permissions=permissions,
        sha256=hash_key(value),
        shown=value[:DISPLAYED_CHARS],
        created_at=now,
        expires_at=now + expires_in if expires_in is not None else None,
    )
    return KeyCreated(key=key, value=value)


def _find(work: Work, key_id: str) -> ApiKey:
    # Locked: a rotation that began before a revocation must not undo it.
    key = work.keys.find(KeyId(key_id), for_update=True)
    if key is None:
        raise NotFoundError(
            f"There is no key {key_id}; hv keys list shows the keys of an organization."
        )
    return key


def _record_creation(work: Work, key: ApiKey, origin: Mapping[str, object]) -> None:
    record(
        work,
        "key.create",
        key.id,
        org_id=key.org_id,
        name=key.name,
        type=key.type.value,
        envID=key.env_id,
        permissions=sorted(permission.value for permission in key.permissions),
        expiresAt=key.expires_at,
        **origin,
    )


def _kind_of(key: ApiKey) -> EnvironmentKind:
    for kind in EnvironmentKind:
        if key.shown.startswith(kind.key_prefix):
            return kind
    return EnvironmentKind.PRODUCTION
