"""
The whole service on settings that a server cannot use: it says so and ends.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.hv_processes import HV
from tests.support.live import free_ports


@pytest.mark.cases(1)
@pytest.mark.services
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HV_ANALYTICS__SPOOL_DIR", "/proc/x", "analytics.spool_dir"),
        ("HV_LIMITS__STORE", "nope", "limits.store"),
    ],
)
def test_bad_settings_end_the_service(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    own_environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}

    done = subprocess.run(
        [*HV, "--data", str(tmp_path / "data"), "up", "--port", str(free_ports())],
        env={**own_environ, name: value},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 1
    assert said in done.stderr.partition("Error: ")[2]
