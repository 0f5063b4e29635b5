"""The end of an upgrade, as a host program brings it about."""

import pytest

from hvcore.embedding import ConfigError
from hvcore.persistence import presence
from hvcore.persistence.engine import writing
from hvcore.persistence.schema_version import NEWEST_EXPAND, set_versions
from tests.embedding.conftest import Host


@pytest.fixture(name="expanded")
def _expanded(host: Host) -> Host:
    """A host whose database still has what only an older version needs."""
    with writing(host.hv._process.services.engine) as connection:
        set_versions(connection, [NEWEST_EXPAND])
        connection.commit()
    return host


def test_a_migration_contracts_only_when_it_is_asked_to(expanded: Host) -> None:
    services = expanded.hv._process.services

    expanded.hv.migrate()
    assert services.awaits_contract()

    expanded.hv.migrate(contract=True)
    expanded.hv.migrate(contract=True)
    assert not services.awaits_contract()
    assert expanded.hv.is_migrated()


def test_no_contract_is_made_beside_a_process_of_an_older_version(
    expanded: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = expanded.hv._process.services
    with monkeypatch.context() as older:
        older.setattr(presence, "SCHEMA", "0001")
        services.beat("worker")

    with pytest.raises(ConfigError, match=r"1 processes of an older version .* worker"):
        expanded.hv.migrate(contract=True)
    assert services.awaits_contract()

    services.forget_process("worker")
    expanded.hv.migrate(contract=True)
    assert not services.awaits_contract()
