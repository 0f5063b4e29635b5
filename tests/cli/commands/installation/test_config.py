"""
hv config and hv plugins.
"""

import json
from pathlib import Path

from tests.cli.conftest import Hv


def test_an_unknown_setting_names_the_nearest_known_one(hv: Hv) -> None:
    outcome = hv("config", "show", HV_DATABASE__URI="sqlite:////tmp/x")

    assert outcome.status == 1
    assert "database.uri" in outcome.stderr
    assert "database.url" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_every_problem_of_the_settings_is_told_at_once(hv: Hv) -> None:
    outcome = hv("config", "show", HV_LIMTS__ENABLED="no", HV_QUEUE__BAKEND="rq")

    assert outcome.status == 1
    assert "limts" in outcome.stderr
    assert "queue.bakend" in outcome.stderr


def test_a_file_that_is_no_toml_is_a_message(hv: Hv, tmp_path: Path) -> None:
    (tmp_path / "hv.toml").write_text("[database")

    outcome = hv("config", "show", "--config", "hv.toml")

    assert outcome.status == 1
    assert "hv.toml is not TOML" in outcome.stderr


def test_the_origin_of_each_setting_is_shown(hv: Hv, tmp_path: Path) -> None:
    (tmp_path / "hv.toml").write_text("[limits]\napi_per_hour = 5\n")

    outcome = hv(
        *("config", "show", "--json", "--config", "hv.toml"),
        HV_PUBLIC__API_URL="https://api.example",
    )

    found = {s["setting"]: s for s in json.loads(outcome.stdout)["settings"]}
    assert found["limits.api_per_hour"]["value"] == 5
    assert found["limits.api_per_hour"]["origin"].endswith("hv.toml")
    assert found["public.api_url"]["origin"] == "HV_PUBLIC__API_URL"
    assert found["limits.enabled"]["origin"] == "default"


def test_secrets_are_masked(hv: Hv) -> None:
    password, key = "correct-horse-battery", "x" * 40

    outcome = hv(
        *("config", "show"),
        HV_DATABASE__URL=f"postgresql://hv:{password}@db/hv",
        HV_PLAYBACK__SIGNING_KEY=key,
        HV_PLAYBACK__RETIRED_KEYS="y" * 40,
        HV_STORAGE__OPTIONS__URL="memory://",
        HV_STORAGE__OPTIONS__SECRET=password,
    )

    assert outcome.status == 0
    for secret in (password, key, "y" * 40):
        assert secret not in outcome.stdout


def test_plugins_lists_what_is_found_and_active(hv: Hv) -> None:
    outcome = hv("plugins", "--json")

    found = json.loads(outcome.stdout)["plugins"]
    active = {(plugin["kind"], plugin["name"]) for plugin in found if plugin["active"]}
    assert active == {
        ("analytics", "sql"),
        ("auth", "api-key"),
        ("limits", "moving-window"),
        ("queue", "rq"),
        ("sign_in", "link"),
        ("storage", "fsspec"),
        ("transcoder", "ffmpeg"),
    }
    assert all(plugin["missing"] is None for plugin in found)


def test_plugins_shows_options_by_their_variables_and_what_backends_can_do(
    hv: Hv,
) -> None:
    found = json.loads(hv("plugins", "--json").stdout)["plugins"]

    by_name = {(plugin["kind"], plugin["name"]): plugin for plugin in found}
    assert by_name["queue", "rq"]["options"] == [
        {
            "name": "url",
            "type": "str",
            "default": None,
            "required": True,
            "set": False,
            "variable": "HV_QUEUE__OPTIONS__URL",
        },
        {
            "name": "prefix",
            "type": "str",
            "default": "'hvcore'",
            "required": False,
            "set": False,
            "variable": "HV_QUEUE__OPTIONS__PREFIX",
        },
    ]
    stream = {one["name"]: one for one in by_name["analytics", "redis"]["options"]}
    assert stream["url"]["variable"] == "HV_ANALYTICS__OPTIONS__REDIS__URL"
    assert "SupportsLocalPath" in by_name["storage", "fsspec"]["abilities"]
    # It needs a server that signs.
    assert "SupportsPresignedRead" not in by_name["storage", "fsspec"]["abilities"]
    assert by_name["transcoder", "google"]["abilities"] is None
    assert all(plugin["fails"] is None for plugin in found)


def test_plugins_is_a_table_for_people(hv: Hv) -> None:
    shown = hv("plugins").stdout

    assert "FAILS" in shown.splitlines()[0]
    assert "HV_STORAGE__OPTIONS__URL" in shown
    assert "required (is set)" in shown


def test_a_store_is_not_active_while_limits_are_switched_off(hv: Hv) -> None:
    outcome = hv("plugins", "--json", HV_LIMITS__ENABLED="false")

    found = json.loads(outcome.stdout)["plugins"]
    (store,) = (plugin for plugin in found if plugin["kind"] == "limits")
    assert not store["active"]


def test_a_plugin_that_cannot_be_imported_is_named(hv: Hv) -> None:
    outcome = hv("plugins", HV_PLUGINS="no_such_module")

    assert outcome.status == 0
    assert "No module named 'no_such_module'" in outcome.stdout
    assert "Correct its name in HV_PLUGINS" in outcome.stdout
    assert "Traceback" not in outcome.stderr
