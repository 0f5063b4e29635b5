"""
What the settings of the analytics sink ``redis`` may be.
"""

from pathlib import Path

import pytest

from hv_events_redis.backend import RedisStream
from hvcore.assembly import build
from hvcore.errors import ConfigError
from hvcore.settings import load

URL = "redis://counting:hunter2-secret@127.0.0.1:1/0"
BASE = {
    "HV_PLUGINS": "hv_events_redis.plugin,hv_analytics_sql.plugin",
    "HV_ANALYTICS__SINKS": "sql,redis",
    "HV_ANALYTICS__OPTIONS__REDIS__URL": URL,
}


def sinks_of(data: Path, **more: str) -> object:
    environ = {**BASE, **{f"HV_ANALYTICS__{name}": more[name] for name in more}}
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        return services.drain.sinks["redis"]


def test_it_is_chosen_by_its_name(tmp_path: Path) -> None:
    assert isinstance(sinks_of(tmp_path), RedisStream)


def test_it_cannot_be_the_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot answer questions"):
        sinks_of(tmp_path, STORE="redis")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_ENTRIES", "0"),
        ("MAX_ENTRIES", "many"),
        ("STREAM", ""),
        ("STREAM", "{a}b"),
        ("URL", "nonsense"),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name.lower()) as refused:
        sinks_of(tmp_path, **{f"OPTIONS__REDIS__{name}": value})

    assert "hunter2" not in str(refused.value)
