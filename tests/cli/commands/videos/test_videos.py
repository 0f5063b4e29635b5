"""
hv videos, hv tasks, hv doctor and hv upload, without a running service.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hvcore.settings import load
from hvcore_cli.addresses import as_running
from hvcore_cli.data_folder import DataFolder
from tests.cli.conftest import Hv
from tests.support.tried_ffmpeg import tried_ffmpeg


@pytest.fixture
def local(prepared: Hv, tmp_path: Path) -> Iterator[Hv]:
    with tried_ffmpeg(tmp_path / "hv-data"):
        yield prepared


def test_prepare_keeps_one_key_for_each_environment(local: Hv, tmp_path: Path) -> None:
    keys = tmp_path / "hv-data" / "first-keys.json"
    before = keys.read_text()

    assert local("prepare").status == 0

    assert keys.read_text() == before
    assert keys.stat().st_mode & 0o777 == 0o600
    found = json.loads(before)
    assert found["orgID"] == "org_local"
    assert found["live"]["apiKey"].startswith("hv_live_")
    assert found["dev"]["apiKey"].startswith("hv_test_")


def test_lost_first_keys_are_made_anew(local: Hv, tmp_path: Path) -> None:
    keys = tmp_path / "hv-data" / "first-keys.json"
    before = keys.read_text()
    keys.unlink()

    assert local("prepare").status == 0

    assert keys.read_text() != before


def test_an_empty_environment_has_no_videos(local: Hv) -> None:
    outcome = local("videos", "list", "--json")

    assert json.loads(outcome.stdout) == {"videos": [], "total": 0}


def test_an_unknown_environment_is_named(local: Hv) -> None:
    outcome = local("videos", "list", "--env", "staging")

    assert outcome.status == 1
    assert "staging" in outcome.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--tag", "a,b"),
        ("--metadata", "no sign"),
        ("--metadata", "=value"),
        ("--metadata", "key="),
    ],
)
def test_labels_of_another_form_are_wrong_usage(
    local: Hv, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"1")

    outcome = local("upload", "clip.mp4", *words)

    assert outcome.status == 2
    assert words[0] in outcome.stderr


@pytest.mark.parametrize("word", ["show", "delete", "retry"])
def test_an_unknown_video_is_a_message(local: Hv, word: str) -> None:
    outcome = local("videos", word, "vid_" + "0" * 22)

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: ")
    assert "bug" not in outcome.stderr


def test_tasks_is_empty_at_first(local: Hv) -> None:
    outcome = local("tasks", "--state", "failed", "--json")

    assert json.loads(outcome.stdout) == {"tasks": []}


def test_an_upload_without_a_service_says_what_to_set(local: Hv) -> None:
    outcome = local("upload", "clip.mp4")

    assert outcome.status == 1
    assert "HV_API_URL" in outcome.stderr


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda _: None, "cannot be read"),
        (lambda path: path.mkdir(), "is not a file"),
        (lambda path: path.touch(), "is empty"),
    ],
    ids=["missing", "folder", "empty"],
)
def test_a_bad_file_is_refused_before_anything_is_sent(
    local: Hv, tmp_path: Path, make: object, why: str
) -> None:
    assert callable(make)
    make(tmp_path / "clip.mp4")
    nobody = {"HV_API_URL": "http://127.0.0.1:9", "HV_API_KEY": "hv_live_x"}

    for words, environ in ((["upload"], nobody), (["demo"], {})):
        outcome = local(*words, "clip.mp4", **environ)

        assert outcome.status == 1
        assert why in outcome.stderr


def test_doctor_finds_secrets_that_others_can_read(local: Hv, tmp_path: Path) -> None:
    path = tmp_path / "hv-data" / "secrets.json"
    path.chmod(0o644)

    outcome = local("doctor", "--json")

    assert outcome.status == 1
    (finding,) = (
        c for c in json.loads(outcome.stdout)["checks"] if c["check"] == "secrets"
    )
    assert finding["state"] == "broken"
    assert finding["fix"] == f"Run: chmod 600 {path}"


def test_doctor_finds_a_database_that_is_not_migrated(hv: Hv) -> None:
    outcome = hv("doctor", "--json")

    assert outcome.status == 1
    checks = {c["check"]: c for c in json.loads(outcome.stdout)["checks"]}
    assert checks["database"]["fix"] == (
        "Run: hv migrate (hv up does so by itself). If it is not the service's database, "
        "set HV_DATA to the service's data folder."
    )
    assert checks["edge"]["found"] == "none is configured"


def test_doctor_finds_counts_that_an_older_version_has_written(
    local: Hv, tmp_path: Path
) -> None:
    before = checks(local)["analytics"]
    with closing(sqlite3.connect(tmp_path / "hv-data" / "hvcore.sqlite3")) as database:
        # It knows nothing of the tables beside this one.
        database.execute(
            "INSERT INTO hv_analytics_video_days "
            "VALUES ('org_local', 'env_1', '2026-01-02', 'vid_1', 720, 1, 0, 0)"
        )
        database.commit()

    found = checks(local)["analytics"]
    local("migrate")

    assert found["state"] == "broken"
    assert found["fix"].endswith("run: hv migrate")
    assert before["state"] == checks(local)["analytics"]["state"] == "ok"


def test_doctor_tells_of_bad_settings(hv: Hv) -> None:
    outcome = hv("doctor", HV_DATABASE__URI="x")

    assert outcome.status == 1
    assert "database.uri" in outcome.stdout


BAD_PEM = "-----BEGIN PRIVATE KEY-----\nx"


def checks(hv: Hv, **environ: str) -> dict[str, dict[str, str]]:
    found = json.loads(hv("doctor", "--json", **environ).stdout)["checks"]
    return {check["check"]: check for check in found}


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("check", "name", "value"),
    [
        ("auth", "HV_AUTH__PROVIDERS", "nobody"),
        ("keys", "HV_PLAYBACK__RETIRED_KEYS", BAD_PEM),
        ("keys", "HV_PLAYBACK__RETIRED_KEYS", "short"),
        ("limits", "HV_LIMITS__STORE", "nope"),
        ("limits", "HV_LIMITS__OPTIONS__URL", "http://x"),
        ("limits", "HV_LIMITS__OPTIONS__URL", "redis://127.0.0.1:9/0"),
        ("analytics", "HV_ANALYTICS__SINKS", "sql,nope"),
        ("analytics", "HV_ANALYTICS__STORE", "nope"),
        ("fetch", "HV_FETCH__ALLOWED_HOSTS", "10.0.0.0/33"),
        ("spool", "HV_ANALYTICS__SPOOL_DIR", "/proc/x"),
    ],
)
def test_doctor_finds_what_would_keep_the_servers_from_starting(
    local: Hv, check: str, name: str, value: str
) -> None:
    found = checks(local, **{name: value})

    assert found[check]["state"] == "broken"
    assert name in found[check]["fix"]


def test_doctor_finds_an_option_that_the_store_of_limits_has_not(local: Hv) -> None:
    found = checks(local, HV_LIMITS__OPTIONS__ULR="redis://x")["limits"]

    assert found["state"] == "broken"
    assert "did you mean limits.options.url" in found["found"]


def test_limits_that_are_switched_off_need_no_store(local: Hv) -> None:
    off = {"HV_LIMITS__ENABLED": "false", "HV_LIMITS__STORE": "nope"}

    assert checks(local, **off)["limits"]["state"] == "ok"


def test_doctor_warns_of_a_disabled_plugin_that_is_not_there(local: Hv) -> None:
    found = checks(local, HV_PLUGIN__DISABLED="nope")["plugins"]

    assert found["state"] == "warning"
    assert "nope" in found["found"]
    assert "HV_PLUGIN__DISABLED" in found["fix"]


@pytest.mark.parametrize(
    ("command", "environ", "said"),
    [
        ("api", {"HV_LIMITS__STORE": "nope"}, "moving-window"),
        ("api", {"HV_LIMITS__OPTIONS__URL": "http://x"}, "limits.options.url"),
        ("api", {"HV_LIMITS__OPTIONS__ULR": "x"}, "did you mean limits.options.url"),
        ("api", {"HV_FETCH__ALLOWED_HOSTS": "10.0.0.0/33"}, "fetch.allowed_hosts"),
        ("api", {"HV_ANALYTICS__STORE": "nope"}, "analytics.store"),
        ("api", {"HV_PLAYBACK__RETIRED_KEYS": "short"}, "at least 32"),
        ("api", {"HV_PLAYBACK__RETIRED_KEYS": BAD_PEM}, "Error"),
        ("delivery", {"HV_ANALYTICS__SINKS": "sql,nope"}, "analytics.sinks"),
        ("delivery", {"HV_ANALYTICS__SPOOL_DIR": "/proc/x"}, "analytics.spool_dir"),
    ],
)
def test_a_server_refuses_bad_settings_before_it_listens(
    local: Hv, command: str, environ: dict[str, str], said: str
) -> None:
    outcome = local(command, "--port", "1", **environ)

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: ")
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_relative_spool_folder_lies_in_the_data_folder(
    local: Hv, tmp_path: Path
) -> None:
    found = checks(local, HV_ANALYTICS__SPOOL_DIR="counts")["spool"]

    assert found["found"] == str(tmp_path / "hv-data" / "counts")


def test_doctor_believes_the_lock_and_not_what_a_crash_left(
    local: Hv, tmp_path: Path
) -> None:
    folder = DataFolder(tmp_path / "hv-data")
    folder.make()
    folder.write_addresses({"apiURL": "http://127.0.0.1:9"})

    assert checks(local)["ports"]["found"] != "the service runs"
    with folder.locked():
        assert checks(local)["ports"]["found"] == "the service runs"


def test_doctor_says_what_to_do_about_a_full_storage(local: Hv) -> None:
    found = checks(local, HV_STORAGE__OPTIONS__MIN_FREE_BYTES=str(2**62))

    assert "Free some space" in found["storage"]["fix"]


def test_addresses_are_those_of_the_running_service(local: Hv, tmp_path: Path) -> None:
    del local
    loaded = load(
        config_path=None,
        environ={"HV_PUBLIC__PLAYER_URL": "https://player.example"},
        data_dir=tmp_path / "hv-data",
    )
    found = {"workerURL": "http://127.0.0.1:9001", "playerURL": "http://127.0.0.1:9001"}

    public = as_running(loaded, found)

    assert public.worker_url == "http://127.0.0.1:9001"
    assert public.player_url == "https://player.example"
    assert public.api_url == loaded.settings.public.api_url


def test_doctor_needs_no_terminal_and_no_service(local: Hv) -> None:
    outcome = local("doctor", "--json", PATH=os.environ["PATH"])

    checks = json.loads(outcome.stdout)["checks"]
    assert {c["check"] for c in checks} == {
        *(
            "python",
            "database",
            "storage",
            "disk",
            "queue",
            "transcoder",
            "transcriber",
        ),
        *("jobs", "notify", "clock"),
        *("sandbox", "player", "dashboard", "secrets", "ports", "auth", "keys", "edge"),
        *("limits", "analytics", "fetch", "spool", "plugins", "search", "mail"),
        "invalidators",
        "jobs",
        "sign-in",
    }
    # Those of pages are fetched by ./hv setup.
    broken = {c["check"] for c in checks if c["state"] == "broken"}
    broken -= {"player", "dashboard"}
    assert broken == set()


def test_what_is_no_cancellation_is_not_given_up(local: Hv) -> None:
    outcome = local("tasks", "--give-up", "task_unknown")

    assert outcome.status == 1
    assert "hv tasks --kind transcode.cancel" in outcome.stderr
