"""
Organizations and their environments.

Source: interface, "Organization and environment".
"""

from datetime import datetime
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId


class EnvironmentKind(Enum):
    """Production environments have live keys, development ones test keys."""

    PRODUCTION = "production"
    DEVELOPMENT = "development"

    @property
    def key_prefix(self) -> str:
        """The prefix of the values of the environment's keys."""
        return "hv_live_" if self is EnvironmentKind.PRODUCTION else "hv_test_"


@attrs.frozen(kw_only=True)
class Organization:
    """A tenant."""

    id: OrgId
    created_at: datetime


@attrs.frozen(kw_only=True)
class Environment:
    """
    A part of an organization that holds videos.

    Attributes:
        id: ``env_…``, unique in the whole service; paths may use it.
        name: Unique in its organization; the ``envID`` that answers show. The
            name an operator chose, else the same as the id.
    """

    id: EnvId
    org_id: OrgId
    name: str
    kind: EnvironmentKind
    created_at: datetime
