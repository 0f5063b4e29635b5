"""
What the settings of the analytics sink ``redis`` may be.
"""

from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.errors import ConfigError, UnavailableError
from hvcore.settings import load
from hvcore_analytics_redis.backend import RedisStream

URL = "redis://counting:hunter2-secret@127.0.0.1:1/0"
BASE = {
    "HV_PLUGINS": "hvcore_analytics_redis.plugin,hvcore_analytics_sql.plugin",
    "HV_ANALYTICS__SINKS": "sql,redis",
    "HV_ANALYTICS__OPTIONS__REDIS__URL": URL,
}


def sinks_of(data: Path, **more: str) -> object:
    environ = {**BASE, **{f"HV_ANALYTICS__{name}": more[name] for name in more}}
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        return services.flusher.sinks["redis"]


def test_it_is_chosen_by_its_name(tmp_path: Path) -> None:
    assert isinstance(sinks_of(tmp_path), RedisStream)


def test_what_is_missing_is_named_as_it_is_set(tmp_path: Path) -> None:
    environ = {n: v for n, v in BASE.items() if not n.endswith("URL")}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings

    with (
        pytest.raises(
            ConfigError, match="set HV_ANALYTICS__OPTIONS__REDIS__URL"
        ) as said,
        build(settings, rings=False) as services,
    ):
        assert services.flusher

    assert "analytics.options.redis.url is required" in str(said.value)


def test_it_cannot_be_the_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot answer questions"):
        sinks_of(tmp_path, STORE="redis")


def test_a_host_that_can_be_none_is_away() -> None:
    url = f"redis://{'a' * 70}:1/0"

    with pytest.raises(UnavailableError, match="idna"):
        RedisStream(url=url, stream="counts", max_entries=1).ping()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_ENTRIES", "0"),
        ("MAX_ENTRIES", "many"),
        ("STREAM", ""),
        ("STREAM", "{a}b"),
        ("URL", "nonsense"),
        ("URL", f"{URL}?timeout=5"),
        ("URL", f"{URL}?ssl_ca_certs=ca.pem"),
        ("URL", f"{URL}?max_connections=few"),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name.lower()) as refused:
        sinks_of(tmp_path, **{f"OPTIONS__REDIS__{name}": value})

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("option", ["retry=3", "retry_on_error=x", "parser_class=x"])
def test_an_option_that_no_address_can_say_is_named(
    tmp_path: Path, option: str
) -> None:
    name = option.partition("=")[0]

    with pytest.raises(ConfigError, match=f"{name} is not allowed") as refused:
        sinks_of(tmp_path, OPTIONS__REDIS__URL=f"{URL}?{option}")

    assert "remove it" in str(refused.value)
    assert "hunter2" not in str(refused.value)
