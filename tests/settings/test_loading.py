"""
Settings: sources, their order, and what is said of mistakes.
"""

import stat
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from sqlalchemy.engine import make_url

from hvcore.errors import ConfigError
from hvcore.hookspecs import other_options
from hvcore.settings import (
    Loaded,
    Settings,
    is_secret,
    known_names,
    load,
    structure_options,
)
from hvcore.settings.tree import SECTIONS


def loaded(tmp_path: Path, toml: str | None = None, **environ: str) -> Loaded:
    config = None
    if toml is not None:
        config = tmp_path / "hv.toml"
        config.write_text(toml)
    return load(config_path=config, environ=environ, data_dir=tmp_path / "data")


def test_without_any_source_everything_has_a_default(tmp_path: Path) -> None:
    settings = loaded(tmp_path).settings

    assert settings.limits.api_per_hour == 10_000
    assert settings.queue.backend == "rq"
    assert settings.database.url == f"sqlite:///{tmp_path}/data/hvcore.sqlite3"
    assert settings.storage.options["url"] == f"file://{tmp_path}/data/storage"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        '[limits]\nenabled = false\napi_per_hour = 5\n[queue]\nbackend = "x"',
        HV_LIMITS__API_PER_HOUR="7",
    )

    assert found.settings.limits.api_per_hour == 7
    assert not found.settings.limits.enabled
    assert found.settings.queue.backend == "x"
    assert found.origins == {
        "limits.enabled": str(tmp_path / "hv.toml"),
        "limits.api_per_hour": "HV_LIMITS__API_PER_HOUR",
        "queue.backend": str(tmp_path / "hv.toml"),
    }


def test_options_reach_the_backend_without_naming_it(tmp_path: Path) -> None:
    settings = loaded(tmp_path, HV_STORAGE__OPTIONS__URL="memory://x").settings

    assert settings.storage.backend == "fsspec"
    assert settings.storage.options == {"url": "memory://x"}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HV_LIMIT__ENABLED", "true", "did you mean limits"),
        ("HV_LIMITS__ENABLE", "true", "did you mean limits.enabled?"),
        ("HV_QUEUE__BAKEND", "x", "did you mean queue.backend?"),
        ("HV_EDGE__PURGERS", "http", "edge.purgers is now edge.cache_invalidators"),
        ("HV_LIMITS__ENABLED", "perhaps", "true or false"),
        ("HV_LIMITS__API_PER_HOUR", "many", "a whole number.* not 'many'"),
        ("HV_LIMITS__API_PER_HOUR", "-1", "from 1 to 1,000,000,000"),
        ("HV_LIMITS__API_PER_HOUR", "0", "HV_LIMITS__ENABLED=false"),
        ("HV_LIMITS__KEY_OPERATIONS_PER_HOUR", "9" * 20, "from 1 to"),
        ("HV_LIMITS__KEY_OPERATIONS_PER_HOUR", "9" * 5000, "a whole number"),
        ("HV_ANALYTICS__OPTIONS__SQK__X", "1", "analytics.options.sqk is for no sink"),
        ("HV_ANALYTICS__OPTIONS__SQL", "1", "analytics.options.sql must be a section"),
        ("HV_ANALYTICS__MINUTES_RETENTION_DAYS", "0", "_days must be from 1 to 3660"),
        ("HV_ANALYTICS__COUNTRY_HEADER", "X-Geo", "country_header must be"),
        ("HV_ANALYTICS__COUNTRY_HEADER", "X-Country: DE", "not 'X-Country: DE'"),
        ("HV_DASHBOARD__BIN_HOURS", "-1", "bin_hours must be from 0"),
        ("HV_SHARES__UPLOADS_OF_ONE", "0", "uploads_of_one must be a whole"),
        ("HV_UPLOADS__DIRECT", "always", "direct must be off, auto, on"),
        ("HV_DASHBOARD__SESSION_IDLE_S", "0", "session_idle_s must be from 1 to"),
        ("HV_DATABASE__SCHEMA", "pg_x", "must not begin with pg_: not 'pg_x'"),
        ("HV_DATABASE__SCHEMA", "a" * 41, "up to 40 small letters"),
        ("HV_DATABASE__TIMEOUT_S", "0", "timeout_s must be between 1 and 600"),
        ("HV_LOG__FORMAT", "xml", "must be text or json, not 'xml'"),
        ("HV_MAIL__SENDER", "me", "must be an address such as videos@example.com"),
        ("HV_METRICS__LISTEN", "0", "must be a port, or an address and a port"),
        ("HV_NOTIFY__PUBSUB_EMAIL", "a@b", "pubsub_email: set both, or none"),
        ("HV_NOTIFY__PUBSUB_KEYS_URL", "", "must be an address, not ''"),
        ("HV_NOTIFY__SNS_TOPICS", "a,b", "must name topics .*, not 'a'"),
        ("HV_NOTIFY__SNS_URL", "x", "sns_url must be an address, not 'x'"),
        ("HV_NOTIFY__SQS_SECRET", "secret", "sqs_secret: set both, or none"),
        ("HV_NOTIFY__SQS_URL", "x", "must be the queue's address"),
        ("HV_NOTIFY__TOKEN", "secret", "must have at least 32 random"),
        ("HV_PLAYBACK__SIGNING_KEY", "secret", "playback.signing_key is too weak"),
        ("HV_SERVER__SHUTDOWN_DELAY_S", "-1", "must be between 0 and 300"),
        ("HV_SIGN_IN__ATTEMPTS_PER_MINUTE", "0", "_minute must be from 1 to"),
        ("HV_SIGN_IN__SECRET", "secret", "must have at least 32 random"),
        ("HV_TRANSCODER__ROUTES", "x if", "transcoder.routes: "),
        ("HV_TRANSCRIBER__GENERATE", "EN", "'EN' is neither a language"),
        ("HV_TRANSCRIBER__GENERATE", ",".join(["en"] * 11), "at most 10 languages"),
        ("HV_TRANSCRIBER__MIN_CONFIDENCE", "2", "2.0 is not from 0 to 1"),
        ("HV_UPLOADS__SIGNING_KEY", "secret", "uploads.signing_key is too weak"),
        ("HV_PLAYBACK__SIGNING_KEY_FILE", "/nowhere", "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_its_fix(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")) as refused:
        loaded(tmp_path, **{name: value})

    assert "secret'" not in str(refused.value)


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="setting foo") as caught:
        loaded(tmp_path, HV_A__B="1", HV_LIMITS__X="1", HV_FOO__BAR="1")

    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize(
    "name",
    ["HV_DATA", "HV_CONFIG", "HV_API_URL", "HV_API_KEY", "HV_ANYTHING", "HV_LIMITS"],
)
def test_a_name_without_two_underscores_is_no_setting(
    tmp_path: Path, name: str
) -> None:
    found = loaded(tmp_path, **{name: "1"})

    assert found.settings == loaded(tmp_path).settings
    assert found.origins == {}


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        ("limits = 3", "limits must be a section"),
        ("[limits", r"hv\.toml is not TOML"),
        ("[limits]\nenabled = 3", r"must be true or false.* limits\.enabled"),
    ],
)
def test_a_bad_file_is_an_error_and_no_traceback(
    tmp_path: Path, toml: str, why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        loaded(tmp_path, toml)


def test_a_settings_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(ConfigError, match=f"^{path} cannot be read: [NI]"):
            load(config_path=path, environ={}, data_dir=tmp_path / "data")


def test_a_list_may_be_given_with_commas(tmp_path: Path) -> None:
    settings = loaded(tmp_path, HV_PUBLIC__CORS_ORIGINS="https://a, https://b").settings

    assert settings.public.cors_origins == ("https://a", "https://b")


@pytest.mark.parametrize(
    "bad",
    [
        *("app.example.com", "https://", "ftp://a", "*", "null", "https://*.a"),
        *("https://a/path", "https://a?b", "https://a#b", "https://u:p@a"),
        *("https://a:0", "https://a:99999", "https://a b", "https://[::1"),
    ],
)
def test_what_is_no_origin_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ConfigError, match=r"origins such as.*public\.cors_origins"):
        loaded(tmp_path, HV_PUBLIC__CORS_ORIGINS=f"https://a,{bad}")


def test_an_origin_has_no_slash_at_its_end(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path, HV_PUBLIC__CORS_ORIGINS="https://A.example:8443/,http://[::1]:3000"
    ).settings

    assert settings.public.cors_origins == (
        "https://A.example:8443",
        "http://[::1]:3000",
    )


def test_a_switch_takes_the_usual_words_with_spaces_around(tmp_path: Path) -> None:
    def is_on(word: str) -> bool:
        return loaded(tmp_path, HV_LIMITS__ENABLED=word).settings.limits.enabled

    assert all(is_on(word) for word in ("true", "Yes", "on", " 1 "))
    assert not any(is_on(word) for word in ("false", "NO", "off", " 0 "))


def test_secrets_are_made_once_and_for_their_owner_only(tmp_path: Path) -> None:
    first = loaded(tmp_path).settings.playback.signing_key
    path = tmp_path / "data" / "secrets.json"

    assert loaded(tmp_path).settings.playback.signing_key == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(first) >= 32


def test_each_purpose_has_a_secret_of_its_own_unless_one_is_set(tmp_path: Path) -> None:
    made = loaded(tmp_path).settings
    given = loaded(
        tmp_path, HV_UPLOADS__SIGNING_KEY="u" * 32, HV_PLAYBACK__SIGNING_KEY="p" * 32
    ).settings

    keys = {made.uploads.signing_key, made.playback.signing_key}
    assert len(keys) == 2
    assert min(map(len, keys)) >= 32
    assert given.uploads.signing_key == "u" * 32
    assert given.playback.signing_key == "p" * 32


@pytest.mark.parametrize("order", [1, -1])
def test_variables_mean_the_same_in_any_order(tmp_path: Path, order: int) -> None:
    (tmp_path / "key").write_text("f" * 40)
    environ = {
        "HV_PLAYBACK__SIGNING_KEY": "v" * 40,
        "HV_PLAYBACK__SIGNING_KEY_FILE": str(tmp_path / "key"),
        "HV_LIMITS__API_PER_HOUR": "7",
        "HV_LIMITS__api_per_hour": "8",
    }

    found = loaded(tmp_path, **dict([*environ.items()][::order]))

    assert found.settings.playback.signing_key == "f" * 40
    assert found.settings.limits.api_per_hour == 8
    assert found.origins["limits.api_per_hour"] == "HV_LIMITS__api_per_hour"


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k" * 40 + "\n")

    settings = loaded(
        tmp_path, HV_PLAYBACK__SIGNING_KEY_FILE=str(tmp_path / "key")
    ).settings

    assert settings.playback.signing_key == "k" * 40


def _file_settings() -> list[str]:
    """Return the names of variables that name files with settings."""
    single = {
        f"{section}.{field.name}"
        for section, cls in SECTIONS.items()
        for field in attrs.fields(cls)
        if not field.repr and field.name not in {"options", "oidc"}
    }
    inside = {
        "storage.options.secret",
        "queue.options.url",
        "transcoder.options.secret_key",
        "sign_in.oidc.client_secret",
        "sign_in.options.saml.password",
    }
    return [f"HV_{n.upper().replace('.', '__')}_FILE" for n in sorted(single | inside)]


@pytest.mark.parametrize("name", _file_settings())
@pytest.mark.parametrize(
    "content", [b"", b" \n", b"\xff", None], ids=["empty", "blank", "no text", "none"]
)
def test_a_setting_of_a_file_that_is_empty_or_missing_is_an_error_that_names_both(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    path = tmp_path / "setting"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigError, match="which ") as caught:
        loaded(tmp_path, **{name: str(path)})

    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{name} names {path}, which ")
    assert not (tmp_path / "data").exists()


def test_a_variable_that_names_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="HV_DATABASE__URL_FILE is empty"):
        loaded(tmp_path, HV_DATABASE__URL_FILE="")


def test_a_secret_in_the_place_of_its_files_name_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="HV_DATABASE__URL_FILE") as caught:
        loaded(tmp_path, HV_DATABASE__URL_FILE="postgresql://u:s3cret@h/d")

    assert "s3cret" not in str(caught.value)


def test_no_secret_is_in_the_text_of_the_settings(tmp_path: Path) -> None:
    settings = loaded(tmp_path, HV_DATABASE__URL="postgresql://u:pass@h/d").settings

    assert "pass@" not in repr(settings)
    assert settings.playback.signing_key not in repr(settings)
    assert is_secret("database.url")
    assert is_secret("queue.options.url")
    assert not is_secret("limits.enabled")


@pytest.mark.parametrize(
    "name",
    [
        "database.url",
        "storage.backend",
        "storage.options",
        "queue.backend",
        "queue.options",
        "transcoder.backend",
        "limits.enabled",
        "fetch.allowed_hosts",
        "public.api_url",
        "public.worker_url",
        "public.player_url",
        "public.upload_url",
        "public.cors_origins",
        *(
            f"limits.{limit}"
            for limit in (
                "api_per_hour",
                "upload_url_per_hour",
                "upload_url_per_minute_and_key",
                "video_operations_per_hour",
                "analytics_per_hour",
                "thumbnails_per_hour",
                "key_operations_per_hour",
            )
        ),
    ],
)
def test_every_setting_that_scripts_rely_on_is_known(name: str) -> None:
    assert name in known_names()


def test_every_section_is_an_attrs_class() -> None:
    assert all(
        attrs.has(type(getattr(Settings(data_dir=Path()), n.split(".")[0])))
        for n in known_names()
    )


@attrs.frozen(kw_only=True)
class Passing:
    url: str
    rest: Mapping[str, object] = other_options()


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("storage.options", "HV_STORAGE__OPTIONS__URL"),
        # No shell takes a variable of such a name.
        (
            "storage.options.my-own",
            "url below [storage.options.my-own] in the settings",
        ),
    ],
)
def test_a_missing_option_is_told_with_where_to_set_it(path: str, where: str) -> None:
    with pytest.raises(ConfigError, match="url is required") as seen:
        structure_options({}, Passing, path=path)

    assert f"{path}.url is required; set {where}" in f"{seen.value}"


def test_options_without_a_field_go_where_the_backend_takes_them() -> None:
    made = structure_options(
        {"url": "x", "key": "k", "rest": {"a": 1}}, Passing, path="storage.options"
    )

    assert made == Passing(url="x", rest={"key": "k", "a": 1})


@pytest.mark.parametrize(
    "content", ["{}", "[]", "null", "{", '{"playback": "x", "uploads": "y"}']
)
def test_damaged_secrets_are_named_and_never_replaced(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "secrets.json"
    path.write_text(content)

    with pytest.raises(ConfigError, match="restore it from a backup"):
        loaded(tmp_path)
    assert path.read_text() == content


def test_a_file_that_is_no_text_is_an_error_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "hv.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match=r"hv\.toml"):
        load(config_path=tmp_path / "hv.toml", environ={}, data_dir=tmp_path / "d")
    with pytest.raises(ConfigError, match="UTF-8"):
        loaded(tmp_path, HV_PLAYBACK__SIGNING_KEY_FILE=str(tmp_path / "hv.toml"))


@pytest.mark.parametrize("name", ["pc%20y", "q?z", "a b#c@d", "ä"])
def test_any_folder_holds_its_own_database(tmp_path: Path, name: str) -> None:
    settings = load(config_path=None, environ={}, data_dir=tmp_path / name).settings

    assert make_url(settings.database.url).database == str(
        tmp_path / name / "hvcore.sqlite3"
    )


def test_public_addresses_are_roots(tmp_path: Path) -> None:
    settings = loaded(tmp_path, HV_PUBLIC__WORKER_URL="https://cdn.example/").settings

    assert settings.public.worker_url == "https://cdn.example"
    for bad in ("nonsense", "ftp://x", "https://", "https://x/?a=b"):
        with pytest.raises(ConfigError, match="https://host"):
            loaded(tmp_path, HV_PUBLIC__API_URL=bad)


def test_an_empty_list_of_plugins_means_the_installed_ones(tmp_path: Path) -> None:
    assert loaded(tmp_path, HV_PLUGINS="").settings.plugin_modules is None
