"""
Tenants: organizations and their environments.

Source: interface, "Organization and environment".
"""

from datetime import datetime
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId


class EnvironmentKind(Enum):
    """
    Name the kinds of environments.

    API keys of production environments begin with ``hv_live_``, those of development
    environments with ``hv_test_``.
    """

    PRODUCTION = "production"
    DEVELOPMENT = "development"

    @property
    def key_prefix(self) -> str:
        """The prefix of the values of an environment's API keys."""
        return "hv_live_" if self is EnvironmentKind.PRODUCTION else "hv_test_"


@attrs.frozen(kw_only=True)
class Organization:
    """Store an organization: a tenant of the service."""

    id: OrgId
    created_at: datetime


@attrs.frozen(kw_only=True)
class Environment:
    """
    Store an environment: a part of an organization that holds videos.

    Attributes:
        id: The identifier ``env_…``, unique in the whole service; paths may use it.
        name: The ``envID`` that answers show, unique in the organization: the name that
            an operator chose, or else the same text as the id.
    """

    id: EnvId
    org_id: OrgId
    name: str
    kind: EnvironmentKind
    created_at: datetime
