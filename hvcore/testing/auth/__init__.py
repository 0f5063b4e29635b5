"""
The promises of authentication providers, as tests.

A plugin's tests inherit and say how callers get and lose their credentials::

    class TestAcmeTokens(AuthConformance):
        @pytest.fixture
        def provider(self): ...

        @pytest.fixture
        def reopened(self): ...

        @pytest.fixture
        def unreachable(self): ...

        def issue(self, org_id, env_id): ...

        def revoke(self, issued): ...

        def expire(self, issued): ...

Each test gets a provider of its own; the kit itself uses no network.
"""

from hvcore.testing.auth.callers import CallerPromises
from hvcore.testing.auth.kit import IssuedCredentials, ReopenedProvider
from hvcore.testing.auth.many_callers import ManyCallersPromises

__all__ = ["AuthConformance", "IssuedCredentials", "ReopenedProvider"]


class AuthConformance(CallerPromises, ManyCallersPromises):
    """The tests of the promises of every authentication provider about callers, secrets and failures: subclass it for a plugin."""
