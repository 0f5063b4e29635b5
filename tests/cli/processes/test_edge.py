"""
``hv edge``: what it prints, what it writes, and who may read that.
"""

import fcntl
import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Final

import pytest

from hvcore.playback_tokens import TokenKey
from hvcore.settings import EdgeSettings, Settings
from hvcore_edge.config import EdgeConfig
from hvcore_edge.requirements import missing
from tests.cli.conftest import Hv
from tests.support.hv_processes import HV

LISTEN: Final = {"HV_EDGE__LISTEN": "127.0.0.1:9999"}
ED25519: Final = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----"""


def secrets_of(folder: Path) -> list[str]:
    return list(json.loads((folder / "secrets.json").read_text()).values())


def test_the_configuration_is_whole_and_holds_no_secret(hv: Hv, tmp_path: Path) -> None:
    outcome = hv("edge", "nginx", **LISTEN)

    assert outcome.status == 0
    assert "listen 127.0.0.1:9999;" in outcome.stdout
    assert f'alias "{tmp_path}/hv-data/storage/$hv_path";' in outcome.stdout
    assert "@" not in re.sub("@(service|unavailable|patient)", "", outcome.stdout)
    for secret in secrets_of(tmp_path / "hv-data"):
        assert secret not in outcome.stdout + outcome.stderr


def test_secrets_are_written_for_their_owner_alone(hv: Hv, tmp_path: Path) -> None:
    key = "0123456789abcdef" * 3
    out = tmp_path / "out"
    out.mkdir()
    # A file that was there, for everybody to read.
    (out / "secrets.json").write_text("{}")
    (out / "secrets.json").chmod(0o644)

    outcome = hv(
        "edge", "nginx", "--out", "out", HV_PLAYBACK__SIGNING_KEY=key, **LISTEN
    )

    assert outcome.status == 0
    assert key not in outcome.stdout + outcome.stderr
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()}
    assert modes.pop("secrets.json") == 0o600
    assert set(modes.values()) == {0o644}
    assert {"nginx.conf", "hv_edge.lua", "hv_edge_tokens.lua"} <= modes.keys()
    for path in out.iterdir():
        assert key not in path.read_text()
    made = json.loads((out / "secrets.json").read_text())
    assert [one["algorithm"] for one in made["keys"]] == ["HS256"]


def test_what_root_makes_belongs_to_whom_the_service_runs_as(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    if os.geteuid() == 0:
        # A user whom nobody has given a name.
        os.chown(data, 54_321, 54_321)
    settings = Settings(data_dir=data, edge=EdgeSettings(listen="127.0.0.1:9999"))
    edge = EdgeConfig(
        settings=settings, folder=data / "edge", scripts=tmp_path / "out", storage=None
    )

    config = edge.write([TokenKey.load(b"0123456789abcdef" * 3)])

    owner = data.stat().st_uid
    made = [data / "edge", *(data / "edge").iterdir(), tmp_path / "out/secrets.json"]
    assert {path.name for path in made} == {
        *("edge", "temp", "cache", "changes", "secrets.json")
    }
    assert {path.stat().st_uid for path in made} == {owner}
    assert ("user 54321;" in config.read_text()) is (os.geteuid() == 0)


def test_of_a_key_pair_the_edge_gets_the_public_half(hv: Hv, tmp_path: Path) -> None:
    outcome = hv(
        *("edge", "nginx", "--out", "out"), HV_PLAYBACK__SIGNING_KEY=ED25519, **LISTEN
    )

    assert outcome.status == 0
    made = json.loads((tmp_path / "out" / "secrets.json").read_text())
    assert [one["algorithm"] for one in made["keys"]] == ["EdDSA"]
    assert "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=" not in json.dumps(made)


@pytest.mark.parametrize(
    ("environ", "algorithm"),
    [({}, "HS256"), ({"HV_PLAYBACK__SIGNING_KEY": ED25519}, "EdDSA")],
)
def test_a_rotated_key_is_written_and_it_is_said_that_nginx_must_read_it(
    migrated: Hv, tmp_path: Path, environ: dict[str, str], algorithm: str
) -> None:
    def kids() -> list[tuple[str, str]]:
        made = json.loads((tmp_path / "out" / "secrets.json").read_text())
        return [(one["kid"], one["algorithm"]) for one in made["keys"]]

    write = ("edge", "nginx", "--out", "out")
    assert migrated(*write, **environ, **LISTEN).status == 0
    [own] = kids()
    # Of upload addresses the edge knows nothing.
    of_uploads = ("keys", "rotate-signing", "--for", "uploads", "--now")
    assert migrated(*of_uploads, **environ).status == 0
    rotated = migrated("keys", "rotate-signing", "--now", **environ)

    written = migrated(*write, **environ, **LISTEN)

    assert own[1] == algorithm
    assert kids() == [(rotated.stdout.strip(), algorithm)]
    assert f"nginx -c {tmp_path}/out/nginx.conf -s reload" in written.stderr


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "HV_EDGE__LISTEN"),
        ({"HV_EDGE__LISTEN": "80; root /"}, "listen"),
        ({**LISTEN, "HV_EDGE__SERVICE": "x y"}, "service"),
        ({**LISTEN, "HV_EDGE__PROXIES": "192.0.2.1,a cdn"}, "HV_EDGE__PROXIES"),
        ({**LISTEN, "HV_EDGE__PROXIES": "192.0.2.0/99"}, "HV_EDGE__PROXIES"),
        ({**LISTEN, "HV_EDGE__TLS_KEY": "/k"}, "HV_EDGE__TLS_CERTIFICATE"),
        (
            {
                **LISTEN,
                "HV_EDGE__TLS_CERTIFICATE": '/c"; include /x; #',
                "HV_EDGE__TLS_KEY": "/k",
            },
            "HV_EDGE__TLS_CERTIFICATE",
        ),
        (
            {
                **LISTEN,
                "HV_EDGE__TLS_CERTIFICATE": "/c",
                "HV_EDGE__TLS_KEY": "/$host.key",
            },
            "HV_EDGE__TLS_KEY",
        ),
        ({**LISTEN, "HV_STORAGE__OPTIONS__URL": "file:///a%20b"}, "storage"),
    ],
)
def test_what_cannot_be_written_is_refused(
    hv: Hv, environ: dict[str, str], said: str
) -> None:
    outcome = hv("edge", "nginx", **environ)

    assert outcome.status == 1
    assert outcome.stdout == ""
    assert said in outcome.stderr


def test_tls_is_configured_where_a_certificate_is(hv: Hv) -> None:
    outcome = hv(
        *("edge", "nginx"),
        HV_EDGE__LISTEN="443",
        HV_EDGE__TLS_CERTIFICATE="/c.pem",
        HV_EDGE__TLS_KEY="/k.pem",
    )

    assert "listen 443 ssl;" in outcome.stdout
    assert 'ssl_certificate_key "/k.pem";' in outcome.stdout


def test_files_that_stay_open_leave_room_for_connections(tmp_path: Path) -> None:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}

    made = subprocess.run(
        ["sh", "-c", 'ulimit -n 1024 && exec "$@"', "sh", *HV, "edge", "nginx"],
        env={**environ, **LISTEN, "HV_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert "worker_rlimit_nofile 1024;" in made.stdout
    assert "open_file_cache max=256 " in made.stdout


def test_counting_without_an_edge_says_what_to_do(migrated: Hv) -> None:
    outcome = migrated("edge", "ingest", "--once")

    assert outcome.status == 1
    assert "hv edge nginx --out" in outcome.stderr


def test_two_do_not_count_one_folder(migrated: Hv, tmp_path: Path) -> None:
    from hvcore.spool import the_only_reader  # noqa: PLC0415 - of this test alone

    assert migrated("edge", "nginx", "--out", "out", **LISTEN).status == 0
    with the_only_reader(tmp_path / "hv-data" / "edge") as is_alone:
        assert is_alone
        outcome = migrated("edge", "ingest", "--once")

    assert outcome.status == 1
    assert "already" in outcome.stderr
    assert migrated("edge", "ingest", "--once").status == 0


def test_who_counts_once_is_told_that_something_was_left(
    migrated: Hv, tmp_path: Path
) -> None:
    assert migrated("edge", "nginx", "--out", "out", **LISTEN).status == 0
    file = tmp_path / "hv-data" / "edge" / f"edge-{'0' * 32}.tally"
    file.symlink_to(file.name)

    outcome = migrated("edge", "ingest", "--once")

    assert outcome.status == 1
    assert "a file with counts was left" in outcome.stderr
    assert "run this again" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_doctor_speaks_of_nginx_where_an_edge_is_configured(hv: Hv) -> None:
    checks = json.loads(hv("doctor", "--json", **LISTEN).stdout)["checks"]

    (found,) = [one for one in checks if one["check"] == "edge"]
    assert found["found"] != "none is configured"


def said_of_the_edge(hv: Hv) -> list[dict[str, str]]:
    checks = json.loads(hv("doctor", "--json", **LISTEN).stdout)["checks"]
    return [one for one in checks if one["check"] == "edge"]


@pytest.mark.services
def test_doctor_warns_of_counts_that_nobody_reads(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data" / "edge"
    folder.mkdir(parents=True)
    young, old, counting = (folder / f"edge-{name * 32}.tally" for name in "012")
    for path in (young, old, counting):
        path.touch()
    for path in (old, counting):
        os.utime(path, (0, 0))

    with counting.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (warning,) = said_of_the_edge(hv)
        old.unlink()
        (fine,) = said_of_the_edge(hv)

    assert warning["state"] == "warning"
    assert "files: 1" in warning["found"]
    assert "hv edge ingest" in warning["fix"]
    assert fine["state"] == "ok"


@pytest.mark.services
def test_doctor_warns_of_a_folder_in_which_nothing_can_be_counted(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hv-data" / "edge"
    folder.mkdir(parents=True)
    # As it is for everybody but root, who may run this.
    monkeypatch.setattr(os, "access", lambda path, _: path != folder)

    (warning,) = said_of_the_edge(hv)

    assert warning["state"] == "warning"
    assert f"{folder} cannot be written" in warning["found"]


def test_what_an_edge_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing(tmp_path) == ["nginx", "its Lua module", "cjson for Lua"]

    for name in (
        "usr/sbin/nginx",
        "usr/lib/nginx/modules/ngx_http_lua_module.so",
        "usr/lib/aarch64-linux-gnu/lua/5.1/cjson.so",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert missing(tmp_path) == []
