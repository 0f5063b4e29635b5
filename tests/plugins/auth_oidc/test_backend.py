"""
Access tokens keep the promises of the port, but for the one that they cannot keep.
"""

from datetime import timedelta

import pytest

from hvcore.plugin_api import AuthProvider, EnvId, OrgId
from hvcore.testing.auth import AuthConformance, IssuedCredentials, ReopenedProvider
from tests.plugins.auth_oidc.conftest import Make
from tests.plugins.sign_in_oidc.provider import DESCRIPTION, LoopbackProvider, Reply
from tests.support.fakes import SettableClock


class TestAccessTokens(AuthConformance):
    deviations = {  # noqa: RUF012 - as authors write it
        "test_a_revoked_credential_is_refused": "a signed token is good until it ends; "
        "nobody is asked about it",
    }

    @pytest.fixture(autouse=True)
    def _provider(
        self, make: Make, loopback: LoopbackProvider, clock: SettableClock
    ) -> None:
        self.make, self.loopback, self.clock = make, loopback, clock
        self.desk = make()

    @pytest.fixture
    def provider(self) -> AuthProvider:
        return self.desk.backend

    @pytest.fixture
    def reopened(self) -> ReopenedProvider:
        return lambda: self.make().backend

    @pytest.fixture
    def unreachable(self) -> AuthProvider:
        self.loopback.replies[DESCRIPTION] = lambda _asked: Reply(status=502)
        return self.make().backend

    def issue(self, org_id: OrgId, env_id: EnvId) -> IssuedCredentials:
        token = self.desk.token(org=org_id, env=env_id)
        headers = {"authorization": f"Bearer {token}"}
        return IssuedCredentials(headers=headers, secret=token)

    def revoke(self, issued: IssuedCredentials) -> None:
        """
        The provider has no way to tell.
        """

    def expire(self, issued: IssuedCredentials) -> None:
        self.clock.move(timedelta(seconds=361))
