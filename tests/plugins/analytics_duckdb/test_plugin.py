"""
What the settings of the analytics store ``duckdb`` may be.
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.errors import ConfigError
from hvcore.settings import load
from hvcore_analytics_duckdb.backend import DuckdbAnalytics

ROOT = Path(__file__).parents[3]
BASE = {
    "HV_PLUGINS": "hvcore_analytics_duckdb.plugin",
    "HV_ANALYTICS__SINKS": "duckdb",
    "HV_ANALYTICS__STORE": "duckdb",
}


def store_of(data: Path, **options: str) -> DuckdbAnalytics:
    prefix = "HV_ANALYTICS__OPTIONS__DUCKDB__"
    environ = {**BASE, **{f"{prefix}{name}": options[name] for name in options}}
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        made = services.flusher.sinks["duckdb"]
    assert isinstance(made, DuckdbAnalytics)
    return made


def spilling(store: DuckdbAnalytics, data: Path) -> list[Path]:
    """
    Make DuckDB write to its folder for the moment; return what lies there.
    """
    cursor = store._engine._cursor()
    cursor.execute("SET memory_limit = '48MB'")
    cursor.execute(
        "CREATE TEMP TABLE much AS SELECT md5(n::VARCHAR) FROM range(2_000_000) t(n)"
    )
    return sorted((data / "work").glob("duckdb*/*"))


@pytest.mark.parametrize(
    "options", [{}, {"MEMORY_MB": "128"}, {"MEMORY_MB": "256", "THREADS": "4"}]
)
def test_it_is_chosen_by_its_name(tmp_path: Path, options: dict[str, str]) -> None:
    assert not store_of(tmp_path, **options).is_prepared()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"THREADS": "0"}, "threads"),
        ({"THREADS": "many"}, "threads"),
        ({"MEMORY_MB": "127"}, "memory_mb"),
        ({"MEMORY_MB": "255", "THREADS": "4"}, "memory_mb"),
    ],
)
def test_a_wrong_option_is_named(
    tmp_path: Path, options: dict[str, str], name: str
) -> None:
    with pytest.raises(ConfigError, match=name):
        store_of(tmp_path, **options)


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.plugins.analytics_duckdb.test_plugin import spilling, store_of
data = Path(sys.argv[1])
store = store_of(data)
assert spilling(store, data)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_killed_processes_had_no_memory_for_goes(tmp_path: Path) -> None:
    words = [sys.executable, "-c", KILLED, str(tmp_path)]
    ended = subprocess.run(words, cwd=ROOT, check=False)
    left = sorted((tmp_path / "work").glob("duckdb*/*"))

    store = store_of(tmp_path)
    now = spilling(store, tmp_path)
    store.close()

    assert ended.returncode == -signal.SIGKILL
    assert left
    assert now
    assert not set(left) & set(now)


def test_living_processes_keep_what_they_have_no_memory_for(tmp_path: Path) -> None:
    first = store_of(tmp_path)
    of_first = spilling(first, tmp_path)

    # As in a container with the same host name, where it has the same number.
    second = store_of(tmp_path)
    of_both = spilling(second, tmp_path)
    first.close()
    of_second = sorted((tmp_path / "work").glob("duckdb*/*"))
    second.close()

    assert set(of_first) < set(of_both)
    assert of_second == sorted(set(of_both) - set(of_first))
    assert not list((tmp_path / "work").glob("duckdb*/*"))
