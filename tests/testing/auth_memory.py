"""
Providers of tokens in memory: a right one, and some that are wrong in one way each.
"""

import json
import logging
import threading
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.errors import UnauthorizedError, UnavailableError
from hvcore.plugin_api import (
    AuthProvider,
    BearerScheme,
    Credentials,
    CredentialScheme,
    EnvId,
    HeaderScheme,
    KeyId,
    KeyType,
    OrgId,
    Permission,
    Principal,
    hash_key,
)

HEADER: Final = "authorization"
_START: Final = "Bearer "
_log = logging.getLogger(__name__)


@attrs.define
class KnownTokens:
    """
    What the provider looks up.
    """

    owners: dict[str, tuple[OrgId, EnvId, str]] = attrs.field(factory=dict)
    expired: set[str] = attrs.field(factory=set)
    is_down: bool = False


class MemoryTokens(AuthProvider):
    """
    Keeps every promise.
    """

    scheme: CredentialScheme | None = BearerScheme(name="Token")

    def __init__(self, known: KnownTokens) -> None:
        self.known = known

    def authenticate(self, credentials: Credentials) -> Principal | None:
        token = self.token(credentials.headers)
        if token is None:
            return None
        return self.owner(token)

    def token(self, headers: Mapping[str, str]) -> str | None:
        value = headers.get(HEADER)
        if value is None or not value.startswith(_START):
            return None
        return value.removeprefix(_START)

    def owner(self, token: str) -> Principal:
        owner = self.looked_up(token)
        if owner is None or token in self.known.expired:
            raise UnauthorizedError
        return self.principal(*owner)

    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        if self.known.is_down:
            raise UnavailableError("The tokens cannot be looked up.")
        return self.known.owners.get(token)

    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return Principal(
            key_id=KeyId(name),
            type=KeyType.ENVIRONMENT,
            org_id=org_id,
            env_id=env_id,
            permissions=frozenset({Permission.VIDEOS_READ}),
        )


class NamesNoHeader(MemoryTokens):
    scheme = None


class NamesAnotherHeader(MemoryTokens):
    scheme = HeaderScheme(name="Token", header="X-Token")


class NamesEachRequest(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        made = super().principal(org_id, env_id, name)
        return attrs.evolve(
            made, key_id=KeyId(f"{name}-{id(object())}-{len(vars(self))}")
        )

    def owner(self, token: str) -> Principal:
        vars(self)[f"request{len(vars(self))}"] = True
        return super().owner(token)


class PermitsNothing(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return attrs.evolve(
            super().principal(org_id, env_id, name), permissions=frozenset()
        )


class PermitsByNames(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        made = super().principal(org_id, env_id, name)
        return attrs.evolve(made, permissions=frozenset({"videos:read"}))  # type: ignore[arg-type]


class ReturnsNames(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        found = super().authenticate(credentials)
        return found and found.counted_as  # type: ignore[return-value]


class HasOneKeyId(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return super().principal(org_id, env_id, "bearer")


class NamesOrganizations(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return super().principal(org_id, env_id, org_id)


class NamesTokens(MemoryTokens):
    def owner(self, token: str) -> Principal:
        return attrs.evolve(super().owner(token), key_id=KeyId(token))


class NamesWithSpaces(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return super().principal(org_id, env_id, f"key of {name}")


class IsSystem(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        made = super().principal(org_id, env_id, name)
        return attrs.evolve(made, type=KeyType.SYSTEM)


class RefusesOthers(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        found = super().authenticate(credentials)
        if found is None:
            raise UnauthorizedError
        return found


class WantsHeaders(MemoryTokens):
    def token(self, headers: Mapping[str, str]) -> str | None:
        return headers[HEADER].removeprefix(_START)


class BreaksOnOddTexts(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        token.encode("ascii")
        return super().looked_up(token)


class ParsesJson(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        return super().looked_up(json.loads(f'"{token}"'))


class TakesTheFirst(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        return super().looked_up(token.partition(",")[0])


class TakesBeginnings(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        for known, owner in self.known.owners.items():
            if token and known.startswith(token):
                return owner
        return super().looked_up(token)


class TakesLongerOnes(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        return super().looked_up(token[:32])


class FoldsCase(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        folded = {k.casefold(): owner for k, owner in self.known.owners.items()}
        return folded.get(token.casefold())


class ReadsTheBeginning(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        for known, owner in self.known.owners.items():
            if known[:20] == token[:20] and len(known) == len(token):
                return owner
        return super().looked_up(token)


class ReadsTheEnd(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        for known, owner in self.known.owners.items():
            if known[8:] == token[8:]:
                return owner
        return super().looked_up(token)


class RemembersTheLast(MemoryTokens):
    last: Principal | None = None

    def owner(self, token: str) -> Principal:
        self.last = self.last or super().owner(token)
        return self.last


class BelievesHeaders(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        found = super().authenticate(credentials)
        named = credentials.headers.get("x-org-id")
        return attrs.evolve(found, org_id=OrgId(named)) if found and named else found


class KnowsNoEnvironments(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        return super().principal(org_id, EnvId("dev"), name)


class TakesHeadersApart(MemoryTokens):
    def token(self, headers: Mapping[str, str]) -> str | None:
        value: str = headers.pop(HEADER, "")  # type: ignore[attr-defined]
        return value.removeprefix(_START) or None


class KeepsWhatItFound(MemoryTokens):
    def __init__(self, known: KnownTokens) -> None:
        super().__init__(known)
        self.found: dict[str, Principal] = {}

    def owner(self, token: str) -> Principal:
        if token not in self.found:
            self.found[token] = super().owner(token)
        return self.found[token]


class ChecksNoEnd(MemoryTokens):
    def owner(self, token: str) -> Principal:
        owner = self.looked_up(token)
        if owner is None:
            raise UnauthorizedError
        return self.principal(*owner)


class LeaksErrors(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        if self.known.is_down:
            raise ConnectionRefusedError("refused")
        return super().looked_up(token)


class RefusesWhenDown(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        return None if self.known.is_down else super().looked_up(token)


class AcceptsWhenDown(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        return self.known.owners.get(token)


class HangsWhenDown(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        if self.known.is_down:
            threading.Event().wait(2.0)
        return super().looked_up(token)


class AsksForNothing(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        self.looked_up("")
        return super().authenticate(credentials)


class NamesWhatItRefuses(MemoryTokens):
    def owner(self, token: str) -> Principal:
        try:
            return super().owner(token)
        except UnauthorizedError:
            raise UnauthorizedError(f"{token} is not valid.") from None


class CausesTellTheToken(MemoryTokens):
    def owner(self, token: str) -> Principal:
        try:
            return self.principal(*self.known.owners[token])
        except KeyError as exc:
            raise UnauthorizedError from exc


class LogsTokens(MemoryTokens):
    def owner(self, token: str) -> Principal:
        _log.debug("somebody asks", extra={"hv_token": token})
        return super().owner(token)


class ShowsTokens(MemoryTokens):
    def __repr__(self) -> str:
        return f"MemoryTokens({self.known})"


class SharesARequest(MemoryTokens):
    current: str = ""

    def owner(self, token: str) -> Principal:
        self.current = token
        return super().owner(self.current)


class ClosesForAll(MemoryTokens):
    def close(self) -> None:
        self.known.owners.clear()


class BelievesAHeaderOfItsOwn(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        found = super().authenticate(credentials)
        org_id = credentials.headers.get("x-acme-tenant", "")
        return attrs.evolve(found, org_id=OrgId(org_id)) if found and org_id else found


class ComparesTwelveBits(MemoryTokens):
    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        found = super().looked_up(token)
        for known, owner in self.known.owners.items():
            if hash_key(known)[:3] == hash_key(token)[:3]:
                return found or owner
        return found


class PermitsWhatOthersMay(MemoryTokens):
    def principal(self, org_id: OrgId, env_id: EnvId, name: str) -> Principal:
        permitted.add(list(Permission)[len(permitted) % len(Permission)])
        found = super().principal(org_id, env_id, name)
        return attrs.evolve(found, permissions=frozenset(permitted))


class ReadsAtTheFirstCall(MemoryTokens):
    owners: dict[str, tuple[OrgId, EnvId, str]] | None = None

    def looked_up(self, token: str) -> tuple[OrgId, EnvId, str] | None:
        self.owners = self.owners or dict(self.known.owners)
        return self.owners.get(token)


class TellsOneText(MemoryTokens):
    def ambiguous_settings(self) -> str:
        return "Two names fit."


class RefusesAfterErrors(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        try:
            return super().authenticate(credentials)
        except OSError:
            raise UnauthorizedError from None


class IsNobodyAfterInterrupts(MemoryTokens):
    def authenticate(self, credentials: Credentials) -> Principal | None:
        try:
            return super().authenticate(credentials)
        except KeyboardInterrupt:
            return None


permitted: set[Permission] = set()
