"""
Commands with a URL that names a primary and its standby, of which one is away.
"""

from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy.engine import make_url

from tests.cli.conftest import Hv
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services
PASSWORD = "correct-horse-battery"


@pytest.fixture
def url(postgresql: PostgresqlServer, tmp_path: Path) -> str:
    there = make_url(postgresql.new_database())
    hosts = (str(tmp_path / "gone"), str(there.query["host"]))
    named = ",".join(quote(host, safe="") for host in hosts)
    return f"postgresql://postgres:{PASSWORD}@{named}/{there.database}"


def test_every_command_takes_several_hosts_and_shows_no_password(
    hv: Hv, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated = hv("migrate", "--to", url)
    assert migrated.status == 1, "the own database has no tables yet"
    monkeypatch.setenv("HV_DATABASE__URL", url)

    for words in (
        ("migrate",),
        ("orgs", "create", "org_acme"),
        ("backup", "backup.tar"),
        ("config", "show"),
        ("doctor", "--json"),
        ("systemd", "--output", "units", "--user", "root"),
    ):
        outcome = hv(*words)
        text = outcome.stdout + outcome.stderr
        assert PASSWORD not in text
        assert "Traceback" not in text
        # What else is there may be broken for hv doctor, such as a port.
        assert outcome.status == 0 or words[0] in {"doctor", "systemd"}, text
        if words[0] == "doctor":
            assert '"check": "database"' in text
    elsewhere = hv("restore", "backup.tar", "--data", "other")
    assert "has records of a service already" in elsewhere.stderr


def test_nobody_answers_is_a_message(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = quote(str(tmp_path / "gone"), safe="")
    monkeypatch.setenv(
        "HV_DATABASE__URL", f"postgresql://u:{PASSWORD}@{gone},{gone}/hv"
    )

    outcome = hv("migrate")

    assert outcome.status == 1
    assert "The database does not answer" in outcome.stderr
    assert PASSWORD not in outcome.stderr
