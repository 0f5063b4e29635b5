"""
The compose file: what it starts exists, and what it names is there.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from hvcore import __version__
from hvcore.settings import load
from hvcore_edge.config import EdgeConfig
from tests.deploy.deployments import (
    FOLDER,
    compose,
    load_settings,
    make_secrets,
    parse_command,
    placed,
    unknown_settings,
)

FILE = compose()
SERVICES = FILE["services"]
OURS = {
    name: service
    for name, service in SERVICES.items()
    if placed(service["image"], FOLDER).startswith("hvcore:")
}
RUN_HV = {n: s for n, s in OURS.items() if "entrypoint" not in s}


def sources(service: Mapping[str, Any]) -> set[str]:
    return {mount.partition(":")[0] for mount in service.get("volumes", [])}


def test_every_process_of_the_service_runs() -> None:
    started = {" ".join(service["command"][:3]) for service in RUN_HV.values()}

    assert started >= {
        "migrate",
        "api --host 0.0.0.0",
        "delivery --host 0.0.0.0",
        "worker --lane encode",
        "worker --lane light",
        "sweep",
        "edge nginx --out",
        "edge ingest",
    }
    assert SERVICES["worker"]["deploy"]["replicas"] == 2


@pytest.mark.parametrize("name", RUN_HV)
def test_a_command_is_one_of_hv(name: str) -> None:
    parse_command(RUN_HV[name]["command"])


@pytest.mark.parametrize(
    "words",
    [
        ["apis"],
        ["api", "--hots", "x"],
        ["worker", "--lane", "heavy"],
        ["edge", "apache"],
    ],
)
def test_a_command_that_hv_has_not_is_found(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parse_command(words)


@pytest.mark.parametrize("name", RUN_HV)
def test_the_settings_of_a_process_can_be_used(name: str, tmp_path: Path) -> None:
    environ = RUN_HV[name]["environment"]

    assert unknown_settings(environ) == []
    load_settings(environ, secrets=make_secrets(tmp_path / "s"), data=tmp_path / "d")


def test_a_setting_that_is_none_is_found() -> None:
    wrong = ["HV_DATABASE__URI", "HV_PUBLIC__API_URL_FILE", "HV_EDGE__LISTEN__PORT"]

    assert (
        unknown_settings(dict.fromkeys([*wrong, "HV_DATABASE__URL_FILE"], "")) == wrong
    )


def test_what_services_name_is_there() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= SERVICES.keys()
        assert sources(service) <= FILE["volumes"].keys()
        assert set(service.get("secrets", [])) <= FILE["secrets"].keys()
        assert set(service.get("networks", [])) <= FILE["networks"].keys()


def test_nothing_is_defined_that_nobody_uses() -> None:
    for kind in ("volumes", "secrets", "networks"):
        used = {
            name
            for service in SERVICES.values()
            for name in (
                sources(service) if kind == "volumes" else service.get(kind, [])
            )
        }
        assert used == FILE[kind].keys()


def test_who_waits_for_health_waits_for_someone_who_tells_it() -> None:
    for service in SERVICES.values():
        for other, wanted in service.get("depends_on", {}).items():
            needed = SERVICES[other]
            if wanted["condition"] == "service_healthy":
                assert needed["healthcheck"]["test"][0] == "CMD"
            else:
                assert wanted["condition"] == "service_completed_successfully"
                assert needed["restart"] == "no"


def test_a_process_waits_for_the_migration() -> None:
    waiting = {
        name
        for name, service in OURS.items()
        if "migrate" in service["depends_on"] or "edge-config" in service["depends_on"]
    }

    assert waiting == OURS.keys() - {"migrate"}


def test_images_have_versions() -> None:
    for name, service in SERVICES.items():
        _, _, tag = placed(service["image"], FOLDER).partition(":")
        assert tag not in {"", "latest"}, name
    for name, service in OURS.items():
        assert placed(service["image"], FOLDER) == f"hvcore:{__version__}", name


def test_no_container_may_write_but_where_it_must() -> None:
    assert [n for n, service in SERVICES.items() if not service["read_only"]] == []
    for service in OURS.values():
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]


def test_only_the_edge_is_reached_from_outside_and_only_from_this_machine() -> None:
    published = {n: s["ports"] for n, s in SERVICES.items() if "ports" in s}

    assert list(published) == ["edge"]
    assert all(port.startswith("127.0.0.1:") for port in published["edge"])


def test_api_and_delivery_believe_their_edge_alone() -> None:
    (subnet,) = FILE["networks"]["edge"]["ipam"]["config"]

    for name in ("api", "delivery"):
        assert SERVICES[name]["environment"]["HV_EDGE__PROXIES"] == subnet["subnet"]
    members = {n for n, s in SERVICES.items() if "edge" in s.get("networks", [])}
    assert members == {"api", "delivery", "edge"}


def test_viewers_behind_a_proxy_of_this_machine_are_told_apart(tmp_path: Path) -> None:
    (subnet,) = FILE["networks"]["outside"]["ipam"]["config"]
    environ = {**SERVICES["edge-config"]["environment"]}
    told = {k: v for k, v in environ.items() if k.startswith("HV_EDGE__")}
    settings = load(
        config_path=None,
        environ={name: placed(value, tmp_path) for name, value in told.items()},
        data_dir=tmp_path,
    ).settings

    config = EdgeConfig(
        settings=settings, folder=tmp_path, scripts=tmp_path, storage=None
    ).config()

    assert f"set_real_ip_from {subnet['subnet']};" in config
    # Whoever publishes the ports to everybody has nobody speak for others.
    assert "${HV_EDGE__PROXIES-" in environ["HV_EDGE__PROXIES"]
    nobody = {**told, "HV_EDGE__PROXIES": ""}
    assert load(
        config_path=None, environ=nobody, data_dir=tmp_path
    ).settings.edge.proxies in {(), ("",)}


def test_no_container_takes_all_memory_or_fills_the_disk_with_its_log() -> None:
    for name, service in SERVICES.items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}


def test_a_process_of_ours_that_hangs_is_started_again() -> None:
    for name, service in OURS.items():
        if service["restart"] == "no":
            assert service["healthcheck"] == {"disable": True}
            continue
        kind, program, what = service["healthcheck"]["test"]
        assert (kind, program) == ("CMD", "hv-healthy"), name
        assert (FOLDER / program).stat().st_mode & 0o111
        # Its process is not the first one, which cannot be killed from within.
        assert service.get("entrypoint", ["tini"])[0] == "tini"
        if what.startswith("/"):
            assert service["environment"]["HV_SERVER__HEARTBEAT_PATH"] == what
            assert str(Path(what).parent) in service["tmpfs"]


def test_secrets_are_made_once(tmp_path: Path) -> None:
    folder = make_secrets(tmp_path / "s")
    before = {path.name: path.read_text() for path in folder.iterdir()}
    make_secrets(folder)

    assert {path.name: path.read_text() for path in folder.iterdir()} == before
    assert before.keys() == FILE["secrets"].keys()
    assert before["database-password"] in before["database-url"]
    assert len(set(before.values())) == len(before)
    assert folder.stat().st_mode & 0o077 == 0


def test_no_secret_stands_in_the_file() -> None:
    assert {s["file"] for s in FILE["secrets"].values()} == {
        f"secrets/{name}" for name in FILE["secrets"]
    }
    ignored = (FOLDER.parents[1] / ".gitignore").read_text(encoding="utf-8").split()
    assert "contrib/deploy/secrets/" in ignored
