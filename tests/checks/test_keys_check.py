"""
hv doctor tells of keys that nobody can open.
"""

from pathlib import Path

import pytest

from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS
from hvcore.domain.health_findings import BROKEN, OK
from hvcore_checks.settings_checks import keys
from tests.support.stores.published import migrate, services_of

OTHER_SECRET = {"HV_SIGN_IN__SECRET": "0123456789abcdef" * 3}


def test_a_service_without_a_database_yet_has_keys(tmp_path: Path) -> None:
    with services_of({"HV_DATA": str(tmp_path)}) as services:
        assert [one.state for one in keys(services)] == [OK]


@pytest.mark.parametrize("purpose", [PLAYBACK, UPLOADS])
def test_keys_that_were_sealed_with_another_secret_are_named_with_the_fix(
    tmp_path: Path, purpose: str
) -> None:
    environ = {"HV_DATA": str(tmp_path)}
    migrate(environ)
    with services_of(environ) as services:
        services.key_rotations[purpose].replace_now()
        assert [one.state for one in keys(services)] == [OK]

    with services_of({**environ, **OTHER_SECRET}) as services:
        [found] = keys(services)
        assert found.state == BROKEN
        assert found.fix == f"Run hv keys rotate-signing --for {purpose}."

        # The fix works.
        services.key_rotations[purpose].replace_now()
        assert [one.state for one in keys(services)] == [OK]
