"""
Each alert fires when it should and stays silent else, as Prometheus evaluates it.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from hvcore.incoming.disk_space import FREE_RESERVE_BYTES, FREE_RESERVE_SHARE

FOLDER: Final = Path(__file__).parents[2] / "docs" / "monitoring"
ALERTS: Final = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
TESTS: Final = yaml.safe_load((FOLDER / "alerts_test.yaml").read_text())
RULES: Final[dict[str, Any]] = {
    rule["alert"]: rule for group in ALERTS["groups"] for rule in group["rules"]
}
NAMES: Final = [one["name"] for one in TESTS["tests"]]


def promtool(folder: Path) -> subprocess.CompletedProcess[str]:
    """
    Run the tests of the alerts of a folder; a promtool that is missing fails them.
    """
    return subprocess.run(
        ["promtool", "test", "rules", "alerts_test.yaml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(scope="module")
def failed_when_negated(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """
    Return the names of the tests that fail when each alert fires if it should not.
    """
    folder = tmp_path_factory.mktemp("negated")
    shutil.copy(FOLDER / "alerts_test.yaml", folder)
    negated = [
        {**rule, "expr": f"vector(1) unless on () ({rule['expr']})"}
        for rule in RULES.values()
    ]
    group = {"name": "negated", "rules": negated}
    (folder / "alerts.yaml").write_text(yaml.safe_dump({"groups": [group]}))

    done = promtool(folder)

    assert done.returncode == 1, done.stderr
    return set(re.findall(r"^\s*name: (.+?),?$", done.stderr, re.MULTILINE))


def test_every_alert_fires_when_it_should_and_stays_silent_else() -> None:
    done = promtool(FOLDER)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("alert", RULES)
@pytest.mark.parametrize("how", ["fires", "stays silent"])
def test_a_test_of_an_alert_fails_when_its_rule_is_negated(
    alert: str, how: str, failed_when_negated: set[str]
) -> None:
    assert f"{alert} {how}" in failed_when_negated


def test_no_test_is_of_an_alert_that_is_gone() -> None:
    wanted = [f"{alert} {how}" for alert in RULES for how in ("fires", "stays silent")]

    assert wanted == NAMES


def test_a_disk_is_full_for_the_alert_when_it_is_for_uploads() -> None:
    expr = RULES["HvDiskFull"]["expr"]

    assert re.findall(r"< ([\d.]+)", expr) == [
        str(FREE_RESERVE_BYTES),
        str(FREE_RESERVE_SHARE),
    ]
