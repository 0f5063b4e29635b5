"""
API keys keep the promises of the port.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.plugin_api import AuthProvider, EnvId, OrgId, hash_key
from hvcore.testing.auth import AuthConformance, IssuedCredentials, ReopenedProvider
from hvcore.testing.fakes import SettableClock
from hvcore.testing.key_book import MemoryKeyBook
from hvcore_auth_apikey.backend import HEADER, ApiKeyProvider

DAY = timedelta(days=1)


class TestApiKeys(AuthConformance):
    @pytest.fixture(autouse=True)
    def _book(self) -> None:
        self.clock, self.book = SettableClock(), MemoryKeyBook()

    @pytest.fixture
    def provider(self, reopened: ReopenedProvider) -> AuthProvider:
        return reopened()

    @pytest.fixture
    def reopened(self) -> ReopenedProvider:
        return lambda: ApiKeyProvider(keys=self.book, clock=self.clock)

    @pytest.fixture
    def unreachable(self) -> AuthProvider:
        self.book.is_down = True
        return ApiKeyProvider(keys=self.book, clock=self.clock)

    def issue(self, org_id: OrgId, env_id: EnvId) -> IssuedCredentials:
        value = self.book.add(
            self.clock, org_id=org_id, env_id=env_id, expires_at=self.clock.now() + DAY
        )
        return IssuedCredentials(headers={HEADER: value}, secret=value)

    def revoke(self, issued: IssuedCredentials) -> None:
        digest = hash_key(issued.secret)
        key = self.book.keys[digest]
        self.book.keys[digest] = attrs.evolve(key, revoked_at=self.clock.now())

    def expire(self, issued: IssuedCredentials) -> None:
        self.clock.move(DAY)
