"""Hold the arguments of ``assembly.build``: settings, work folder and overrides."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore.settings import Settings

OVERRIDE_OF_KIND: Final = {
    "storage": "storage",
    "transcoder": "transcoder",
    "transcriber": "transcriber",
    "queue": "queue",
    "limits": "rate_limit_store",
    "auth": "auth_providers",
    "analytics": "analytics_store",
    "edge": "cache_invalidators",
    "sign_in": "sign_in_providers",
}
"""Kinds of backends, and what is given in the place of the chosen ones."""
GROUPS: Final = frozenset(
    {
        "analytics_sinks",
        "auth_providers",
        "cache_invalidators",
        "further_auth_providers",
        "further_subscribers",
        "sign_in_providers",
    }
)
"""Overrides that are several objects; an empty one is none."""
OVERRIDABLE: Final = GROUPS | {
    *OVERRIDE_OF_KIND.values(),
    *("clock", "engine", "mailer", "outbound"),
}


def _given(overrides: Mapping[str, Any]) -> Mapping[str, Any]:
    # A single object may be falsy: a storage that has a length, and no object yet.
    return {
        name: value
        for name, value in overrides.items()
        if (value if name in GROUPS else value is not None)
    }


@attrs.frozen(kw_only=True)
class Recipe:
    """
    The arguments of ``assembly.build``, from which services are made.

    Attributes:
        overrides: The given overrides by name; None and empty groups are left out.
    """

    settings: Settings
    work_dir: Path
    overrides: Mapping[str, Any] = attrs.field(converter=_given)
    rings: bool
    connections: int
    answers_requests: bool

    def in_place_of(self, kind: str) -> Sequence[object]:
        """Return the overrides that replace the chosen backends of a kind; empty if none do."""
        name = OVERRIDE_OF_KIND.get(kind, "")
        given = self.overrides.get(name)
        if given is None:
            return ()
        if name not in GROUPS:
            return (given,)
        return tuple(given.values() if isinstance(given, Mapping) else given)
