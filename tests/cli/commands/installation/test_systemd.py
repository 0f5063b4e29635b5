"""
``hv systemd``: units that systemd takes, for what the settings ask for.
"""

import os
import pwd
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from hvcore_cli.commands.installation.systemd import read_environment_file
from hvcore_cli.commands.installation.systemd_units import UnitFiles
from tests.cli.conftest import Hv
from tests.deploy.deployments import compose, parse_command, unknown_settings

USER: Final = "daemon"
ALWAYS: Final = {
    *("hv.target", "hv-migrate.service", "hv-api.service", "hv-delivery.service"),
    *("hv-worker@.service", "hv-worker-light@.service", "hv-sweep.service"),
    "hv-worker-reserve.service",
}
WITH_EDGE: Final = ("hv-edge.service", "hv-edge-ingest.service")
STARTS_FFMPEG: Final = {"hv-api", "hv-delivery", "hv-worker@", "hv-worker-light@"} | {
    "hv-worker-reserve"
}
MOST_EXPOSED: Final = 35
"""Of a hundred, by systemd's own count; what starts ffmpeg has 31, the others below 20."""


def units(**changed: object) -> UnitFiles:
    made: dict[str, object] = {
        "program": Path("/usr/bin/true"),
        "interpreter": Path("/usr/bin/python3"),
        "environ": {"HV_DATA": "/srv/hv"},
        "environment_file": Path("/etc/hvcore/hv.env"),
        "user": USER,
        "data": Path("/srv/hv"),
        "host": "127.0.0.1",
        "port": 8080,
        "encoders": 2,
        "light_workers": 1,
        "has_reserve": True,
        "notifies": True,
        "nginx": Path("/usr/bin/true"),
    }
    return UnitFiles(**{**made, **changed})  # type: ignore[arg-type]  # by name


def test_a_timer_makes_a_backup_each_night() -> None:
    texts = units(backups=Path("/srv/backups")).texts()

    service, timer = texts["hv-backup.service"], texts["hv-backup.timer"]
    assert values(service, "Type") == ["oneshot"]
    (command,) = values(service, "ExecStart")
    assert command.split()[1:] == ["backup", "--keep", "7", "/srv/backups"]
    assert values(service, "ReadWritePaths") == ["/srv/hv /srv/backups"]
    assert values(timer, "OnCalendar") == ["*-*-* 03:00:00"]
    assert values(timer, "WantedBy") == ["timers.target"]
    wanted = values(texts["hv.target"], "Wants")[0].split()
    assert "hv-backup.timer" in wanted
    assert "hv-backup.service" not in wanted
    # Nothing else may write there.
    assert values(texts["hv-api.service"], "ReadWritePaths") == ["/srv/hv"]


def values(text: str, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def systemd_analyze(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *words],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:/lib/systemd/system"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def complaints(folder: Path, names: Sequence[str]) -> list[str]:
    """
    Return systemd's complaints about the units of a folder alone.
    """
    paths = [str(folder / name).replace("@.", "@1.") for name in names]
    done = systemd_analyze(folder, "verify", *paths)
    return [
        line for line in done.stderr.splitlines() if str(folder) in line or "hv" in line
    ]


def test_systemd_has_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    texts = units(backups=Path("/srv/backups")).texts()

    expected = {*ALWAYS, *WITH_EDGE, "hv-notify.service"}
    assert texts.keys() == expected | {"hv-backup.service", "hv-backup.timer"}
    assert complaints(written(tmp_path / "units", texts), list(texts)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("NoNewPrivileges=yes", "NoNewPrivilege=yes"),
        ("TimeoutStopSec=15", "TimeoutStopSec=soon"),
        ("ExecStart=/usr/bin/true", "ExecStart=/usr/bin/none"),
        ("SystemCallFilter=@system-service", "SystemCallFilter=@service"),
    ],
)
def test_a_unit_that_systemd_refuses_is_found(
    before: str, after: str, tmp_path: Path
) -> None:
    text = units().texts()["hv-api.service"]
    assert before in text
    folder = written(
        tmp_path / "units", {"hv-api.service": text.replace(before, after)}
    )

    assert complaints(folder, ["hv-api.service"]) != []


def test_units_are_confined_by_systemds_own_count(tmp_path: Path) -> None:
    texts = units().texts()
    folder = written(tmp_path / "units", texts)
    paths = [
        str(folder / name)
        for name in texts
        if name.endswith(".service") and "@" not in name
    ]
    words = ("security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager")

    done = systemd_analyze(folder, *words, *paths)

    assert done.returncode == 0, done.stdout


def test_nothing_keeps_bubblewrap_from_its_work() -> None:
    hindering = re.compile(
        r"^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProcSubset"
        r"|ProtectProc|PrivateUsers)=",
        re.MULTILINE,
    )
    for name, text in units().texts().items():
        is_free = hindering.search(text) is None
        stem = name.removesuffix(".service")
        assert is_free == (stem in STARTS_FFMPEG or name == "hv.target"), name
        if stem in STARTS_FFMPEG:
            assert "AF_NETLINK" in values(text, "RestrictAddressFamilies")[0]
            assert values(text, "SystemCallFilter") == ["@system-service @mount"]


def test_a_process_that_hangs_is_started_again() -> None:
    for name, text in units().texts().items():
        is_watched = values(text, "ExecStart") != [] and name not in {
            "hv-migrate.service",
            # nginx tells systemd nothing; its master watches over its workers.
            "hv-edge.service",
        }
        assert values(text, "WatchdogSec") == (["180"] if is_watched else []), name
        if is_watched:
            assert values(text, "Restart") == ["on-failure"]
            assert values(text, "NotifyAccess") == ["main"]


def test_a_unit_has_the_limit_of_memory_of_its_container() -> None:
    limits = {
        str(one["command"]): one["mem_limit"].upper()
        for one in compose()["services"].values()
        if "command" in one
    }

    for name, command in (
        ("hv-worker@", ["worker", "--lane", "encode"]),
        ("hv-worker-light@", ["worker", "--lane", "light"]),
        ("hv-sweep", ["sweep"]),
        ("hv-edge-ingest", ["edge", "ingest"]),
    ):
        text = units().texts()[f"{name}.service"]
        assert values(text, "MemoryMax") == [limits[str(command)]], name
    for name, text in units().texts().items():
        goes_on = "Restart=" in text
        assert bool(values(text, "MemoryMax")) == goes_on, name
        assert values(text, "OOMPolicy") == (["continue"] if goes_on else [])


def test_the_target_starts_every_process() -> None:
    texts = units(encoders=3, light_workers=2).texts()

    (wanted,) = values(texts["hv.target"], "Wants")

    assert set(wanted.split()) == {
        *(f"hv-worker@{number}.service" for number in (1, 2, 3)),
        *(f"hv-worker-light@{number}.service" for number in (1, 2)),
        *(name for name in texts if "@" not in name),
    } - {"hv.target", "hv-migrate.service"}


def test_what_they_start_are_commands_of_hv() -> None:
    program = "/opt/hv/bin/hv"
    texts = units(program=Path(program), port=9080).texts()
    started = [
        line.split()[1:]
        for text in texts.values()
        for line in re.findall(r"^Exec\w+=(.*)$", text, re.MULTILINE)
        if line.startswith(program)
    ]

    assert ["api", "--host", "127.0.0.1", "--port", "9080"] in started
    assert ["delivery", "--host", "127.0.0.1", "--port", "9081"] in started
    for words in started:
        parse_command(words)


def test_paths_may_have_blanks_and_percent_signs(tmp_path: Path) -> None:
    data = Path("/srv/my 100% data")
    texts = units(data=data, environ={"HV_DATA": str(data)}).texts()

    assert complaints(written(tmp_path / "units", texts), ["hv-api.service"]) == []
    text = texts["hv-api.service"]
    assert values(text, "Environment") == ['"HV_DATA=/srv/my 100%% data"']
    assert values(text, "ReadWritePaths") == ['"/srv/my 100%% data"']


def test_a_home_is_seen_only_if_something_of_ours_is_in_it() -> None:
    def homes(**changed: object) -> list[str]:
        return values(units(**changed).texts()["hv-api.service"], "ProtectHome")

    assert homes() == ["yes"]
    assert homes(interpreter=Path("/home/ann/python")) == ["read-only"]
    assert homes(writable=[Path("/home/ann/videos")]) == ["read-only"]
    assert homes(plugins=[Path("/home/ann/acme.py")]) == ["read-only"]


def test_a_unit_sees_a_plugin_file_below_tmp(hv: Hv, data: Path) -> None:
    named = "/tmp/acme.py,/srv/acme_limits.py"  # noqa: S108 - what units hide

    done = hv("--data", str(data), "systemd", "--user", USER, HV_EXTRA_PLUGINS=named)

    assert done.status == 0, done.stderr
    assert set(values(done.stdout, "BindReadOnlyPaths")) == {"/tmp/acme.py"}  # noqa: S108 - see above


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "hv-data"
    folder.mkdir()
    return folder


def test_the_units_fit_the_settings_of_the_environment_file(
    hv: Hv, data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "hv.env"
    file.write_text(
        '# settings\nHV_QUEUE__BACKEND=sql\nHV_NOTIFY__SQS_URL="https://sqs.eu-west-1.'
        'amazonaws.com/1/q"\nHV_EDGE__LISTEN=9443\nHV_EDGE__FOLDER=/var/cache/hv\n'
        "HV_STORAGE__OPTIONS__URL=file:///srv/videos\n"
        "HV_DATABASE__URL=sqlite:////srv/records/hv.sqlite3\nHV_SHARES__ENCODERS_RESERVED=0\n"
    )
    assert unknown_settings(read_environment_file(file)) == []

    outcome = hv(
        *("systemd", "--environment-file", str(file), "--user", USER),
        *("--output", "units", "--workers", "3"),
    )

    assert outcome.status == 0, outcome.stderr
    folder = tmp_path / "units"
    made = {path.name: path.read_text() for path in folder.iterdir()}
    assert made.keys() == {*ALWAYS, *WITH_EDGE, "hv-notify.service"} - {
        "hv-worker-reserve.service"
    }
    assert "hv-worker@3.service" in made["hv.target"]
    api = made["hv-api.service"]
    assert values(api, "User") == [USER]
    assert values(api, "EnvironmentFile") == [str(file)]
    assert values(api, "Environment") == [f'"HV_DATA={data}"']
    assert values(api, "ReadWritePaths") == [
        f"{data} /var/cache/hv /srv/records /srv/videos"
    ]
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o644"}
    assert "systemctl enable --now hv.target" in outcome.stderr
    if os.geteuid() == 0:
        # What root has made here is the services'.
        assert (data / "secrets.json").stat().st_uid == pwd.getpwnam(USER).pw_uid


@pytest.mark.usefixtures("data")
def test_without_a_folder_they_are_printed(hv: Hv) -> None:
    outcome = hv("systemd", "--user", USER, "--environment-file", "none.env")

    assert outcome.status == 0
    for name in ALWAYS:
        assert f"# {name}\n" in outcome.stdout
    assert "hv-edge" not in outcome.stdout
    assert "hv-notify" not in outcome.stdout


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--user", "root"), "would run as root"),
        (("--user", "no-such-user"), "There is no user no-such-user"),
        (("--data", "elsewhere"), "There is no data folder"),
        (("--user", USER, "--output", "/proc/units"), "cannot be written"),
        (("--user", USER, "--environment-file", "."), "is a directory"),
    ],
)
def test_what_cannot_be_written_is_said(
    words: tuple[str, ...], told: str, hv: Hv
) -> None:
    outcome = hv("systemd", *words)

    assert outcome.status in {1, 2}
    assert told in outcome.stderr
    assert outcome.stdout == ""
