"""
Tenants: organizations and their environments.

Source: the interface document, "Organization and environment".
"""

from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.shown_text import one_line

MAX_TITLE_CHARS: Final = 64
"""Of an environment's title; as many as a chosen name may have."""


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
            an operator chose, or else the same text as the id. It stays, because addresses
            of playback and of the API have it.
        title: The name that people see, which an admin may change; "" for the name.
        caption_languages: The languages in which a machine makes captions of new videos
            whose requests say nothing about it; None as the deployment says.
    """

    id: EnvId
    org_id: OrgId
    name: str
    kind: EnvironmentKind
    created_at: datetime
    title: str = ""
    caption_languages: tuple[str, ...] | None = None

    @property
    def shown_name(self) -> str:
        """The name that people see."""
        return self.title or self.name


def is_environment_title(text: str) -> bool:
    """Return whether a text may be an environment's title: one line, not too long."""
    return len(text) <= MAX_TITLE_CHARS and one_line(text) == text
