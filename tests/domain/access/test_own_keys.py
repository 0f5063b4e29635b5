"""
The choice of the key that signs, among the service's own ones.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import attrs
import pytest

from hvcore.domain.access.own_keys import OwnKeys
from hvcore.domain.access.service_keys import PLAYBACK, ServiceKey
from hvcore.errors import ConfigError

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@attrs.frozen
class KeyRows:
    """
    Stands for the rows of keys, some of them sealed with a secret that was replaced.
    """

    rows: Sequence[ServiceKey]
    opened: Mapping[str, str]

    def all(self, *, at_once: bool = False) -> Sequence[ServiceKey]:
        return self.rows

    def open(self, stored: ServiceKey) -> str | None:
        return self.opened.get(stored.id)


def row(kid: str, age: timedelta) -> ServiceKey:
    return ServiceKey(
        id=kid,
        purpose=PLAYBACK,
        material=b"sealed",
        created_at=NOW - age,
        signs_from=NOW - age,
    )


SETTLED = attrs.evolve(row("settled", timedelta(days=3)), believed_until=NOW)
"""The settings' key, whose time is over."""
ROWS = [SETTLED, row("older", timedelta(days=2)), row("latest", timedelta(days=1))]


def keys(opened: Mapping[str, str]) -> OwnKeys[str]:
    return OwnKeys(
        purpose=PLAYBACK, settings={"settled": "s"}, rotated=KeyRows(ROWS, opened)
    )


def test_the_latest_key_that_can_be_opened_signs() -> None:
    both = {"older": "o", "latest": "l"}

    assert keys(both).signing(NOW) == ("latest", "l")
    assert keys({"older": "o"}).signing(NOW) == ("older", "o")


def test_a_service_without_a_key_that_opens_names_the_rotation() -> None:
    with pytest.raises(ConfigError, match="hv keys rotate-signing --for playback"):
        keys({}).signing(NOW)
