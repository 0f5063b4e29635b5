"""
The Helm chart, as helm itself renders it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore import __version__
from hvcore_upload.app import RESUMABLE_PREFIX
from tests.deploy.deployments import (
    CHART,
    load_settings,
    make_secrets,
    parse_command,
    rendered_chart,
    run_helm,
    unknown_settings,
)

EVERYTHING: Final = (
    "ingress.enabled=true",
    "ingress.tlsSecret=tls",
    "ingress.className=nginx",
    "encode.keda.enabled=true",
    "notify.enabled=true",
    "edge.enabled=true",
    "backup.enabled=true",
    "backup.claim=backups",
    "serviceAccount.name=hv",
    "imagePullSecrets[0].name=pull",
)


@pytest.fixture(scope="module")
def usual() -> list[Any]:
    return rendered_chart()


@pytest.fixture(scope="module")
def whole() -> list[Any]:
    return rendered_chart(*EVERYTHING)


def of_kind(objects: list[Any], kind: str) -> dict[str, Any]:
    return {o["metadata"]["name"]: o for o in objects if o["kind"] == kind}


def pods(objects: list[Any]) -> Iterator[tuple[str, Any]]:
    for one in objects:
        if one["kind"] in {"Deployment", "Job"}:
            yield one["metadata"]["name"], one["spec"]["template"]["spec"]
        if one["kind"] == "CronJob":
            job = one["spec"]["jobTemplate"]["spec"]
            yield one["metadata"]["name"], job["template"]["spec"]


def containers(objects: list[Any]) -> Iterator[tuple[str, Any]]:
    for name, pod in pods(objects):
        for one in (*pod.get("initContainers", ()), *pod["containers"]):
            yield name, one


def test_helm_finds_nothing_wrong() -> None:
    done = run_helm("lint", "--strict", str(CHART))

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_process_has_a_deployment_and_the_migration_comes_first(
    usual: list[Any],
) -> None:
    assert of_kind(usual, "Deployment").keys() == {
        f"service-{name}" for name in ("api", "delivery", "encode", "light", "sweep")
    }
    (migration,) = of_kind(usual, "Job").values()
    (settings,) = of_kind(usual, "ConfigMap").values()
    for one in (migration, settings):
        hooks = one["metadata"]["annotations"]["helm.sh/hook"]
        assert hooks == "pre-install,pre-upgrade"
    assert int(settings["metadata"]["annotations"]["helm.sh/hook-weight"]) < 0


def test_commands_are_those_of_hv(whole: list[Any]) -> None:
    commands = [one["args"] for _, one in containers(whole) if "args" in one]

    assert len(commands) == 10
    for words in commands:
        parse_command(words)


def test_a_backup_is_made_each_night_into_a_volume(whole: list[Any]) -> None:
    ((name, job),) = of_kind(whole, "CronJob").items()
    pod = dict(pods(whole))[name]

    assert job["spec"]["schedule"] == "0 3 * * *"
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
    assert pod["containers"][0]["args"] == ["backup", "--keep", "7", "/backups"]
    mounts = {m["name"]: m["mountPath"] for m in pod["containers"][0]["volumeMounts"]}
    assert mounts["backups"] == "/backups"
    claims = [v.get("persistentVolumeClaim") for v in pod["volumes"]]
    assert {"claimName": "backups"} in claims


def test_the_settings_can_be_used(whole: list[Any], tmp_path: Path) -> None:
    (settings,) = of_kind(whole, "ConfigMap").values()
    secrets = make_secrets(tmp_path / "s")
    for _, container in containers(whole):
        if "args" not in container:
            continue
        files = {one["name"]: one["value"] for one in container["env"]}
        environ = {**settings["data"], **files}

        assert unknown_settings(environ) == []
        load_settings(environ, secrets=secrets, data=tmp_path / "d")


def test_secrets_are_files_and_nothing_else(whole: list[Any]) -> None:
    keys = ("database-url", "playback-key", "uploads-key", "store-key", "store-secret")
    name_files = {f"/run/secrets/hvcore/{key}" for key in keys}
    assert of_kind(whole, "Secret") == {}
    for _, container in containers(whole):
        mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
        environ = {one["name"]: one["value"] for one in container.get("env", ())}
        secrets = {name for name, value in environ.items() if value in name_files}
        assert secrets == {n for n in environ if n.endswith("_FILE")}
        assert not secrets or mounts["secrets"] == "/run/secrets/hvcore"


def test_no_pod_may_do_more_than_it_must(whole: list[Any]) -> None:
    for _, pod in pods(whole):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
        assert not pod["automountServiceAccountToken"]
    for _, container in containers(whole):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]
        mounted = {one["mountPath"] for one in container["volumeMounts"]}
        mounted -= {"/edge", "/backups"}
        assert mounted <= {"/data", "/tmp", "/run/secrets/hvcore"}  # noqa: S108 - of a pod


def test_bubblewrap_works_only_where_it_is_asked_for() -> None:
    unmasked = {
        name
        for name, pod in pods(rendered_chart("confinement=unmasked"))
        if pod["containers"][0]["securityContext"].get("procMount") == "Unmasked"
        and pod["hostUsers"] is False
        and pod["securityContext"]["seccompProfile"]["type"] == "Unconfined"
    }

    assert unmasked == {f"service-{n}" for n in ("api", "delivery", "encode", "light")}


def test_selectors_find_their_pods(whole: list[Any]) -> None:
    labels = {
        name: one["spec"]["template"]["metadata"]["labels"]
        for name, one in of_kind(whole, "Deployment").items()
    }
    for kind in ("Service", "PodDisruptionBudget", "Deployment"):
        for name, one in of_kind(whole, kind).items():
            chosen = one["spec"]["selector"]
            chosen = chosen.get("matchLabels", chosen)
            matching = {n for n, own in labels.items() if chosen.items() <= own.items()}
            assert matching == {name}


def test_servers_are_asked_whether_they_live_and_are_ready(usual: list[Any]) -> None:
    for name, port in (("service-api", 8080), ("service-delivery", 8081)):
        pod = of_kind(usual, "Deployment")[name]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert container["ports"] == [{"name": "http", "containerPort": port}]
        assert str(port) in container["args"]
        assert container["livenessProbe"]["httpGet"]["path"] == "/health/live"
        assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"
        assert of_kind(usual, "Service")[name]["spec"]["ports"][0]["port"] == port


def test_every_container_that_hangs_is_started_again(whole: list[Any]) -> None:
    for name, one in containers(whole):
        probe = one.get("livenessProbe")
        if name in {"service-migrate", "service-backup"} or one["name"] == "config":
            assert probe is None
            continue
        environ = {entry["name"]: entry["value"] for entry in one.get("env", ())}
        words = " ".join(probe.get("exec", {}).get("command", ()))
        asks = "httpGet" in probe or "hv-healthy" in words
        assert asks or environ["HV_SERVER__HEARTBEAT_PATH"] in words, name


def test_an_edge_serves_viewers_and_asks_delivery(whole: list[Any]) -> None:
    edge = of_kind(whole, "Deployment")["service-edge"]["spec"]["template"]["spec"]
    config, nginx, ingest = *edge["initContainers"], *edge["containers"]
    environ = {entry["name"]: entry["value"] for entry in config["env"]}
    host, _, port = environ["HV_EDGE__SERVICE"].partition(":")

    assert of_kind(whole, "Service")[host]["spec"]["ports"][0]["port"] == int(port)
    assert nginx["ports"][0]["containerPort"] == int(environ["HV_EDGE__LISTEN"])
    assert nginx["command"][-1] == f"{config['args'][-1]}/nginx.conf"
    # It waits for the end of nginx, whose last counts are to be read.
    pid = f"{environ['HV_EDGE__FOLDER']}/nginx.pid"
    for one in (nginx, ingest):
        assert pid in one["lifecycle"]["preStop"]["exec"]["command"][-1]
    of_ingest = {entry["name"]: entry["value"] for entry in ingest["env"]}
    assert environ.items() <= of_ingest.items()


def test_all_requests_of_a_resumable_upload_reach_one_pod(whole: list[Any]) -> None:
    ingresses = of_kind(whole, "Ingress")
    uploads = ingresses["service-uploads"]
    (path,) = uploads["spec"]["rules"][0]["http"]["paths"]
    chosen = "nginx.ingress.kubernetes.io/upstream-hash-by"

    assert path["path"] == RESUMABLE_PREFIX
    # An edge in between would choose another pod for each request.
    assert path["backend"]["service"]["name"] == "service-delivery"
    assert uploads["metadata"]["annotations"][chosen] == "$uri"
    assert chosen not in ingresses["service"]["metadata"]["annotations"]
    assert ingresses["service"]["metadata"]["annotations"].items() < (
        uploads["metadata"]["annotations"].items()
    )


def test_an_image_can_be_pinned_by_its_digest() -> None:
    digest = f"sha256:{'0' * 64}"
    pinned = rendered_chart("edge.enabled=true", f"image.digest={digest}")

    images = {one["image"] for _, one in containers(pinned)}

    assert images == {f"hvcore:{__version__}@{digest}"}
    assert {one["image"] for _, one in containers(rendered_chart())} == {
        f"hvcore:{__version__}"
    }


def test_each_process_tells_prometheus_what_it_does(usual: list[Any]) -> None:
    quiet = rendered_chart("metrics.enabled=false")

    def listens(objects: list[Any]) -> dict[str, str]:
        return {
            name: entry["value"]
            for name, pod in pods(objects)
            for entry in pod["containers"][0]["env"]
            if entry["name"] == "HV_METRICS__LISTEN"
        }

    deployments = of_kind(usual, "Deployment")
    assert listens(usual) == dict.fromkeys(deployments, "0.0.0.0:9464")
    for one in deployments.values():
        told = one["spec"]["template"]["metadata"]["annotations"]
        assert told["prometheus.io/scrape"] == "true"
        assert told["prometheus.io/port"] == "9464"
    assert listens(quiet) == {}


def test_the_ingress_leads_to_services_that_exist(whole: list[Any]) -> None:
    ingresses = of_kind(whole, "Ingress").values()
    backends = [
        path["backend"]["service"]["name"]
        for ingress in ingresses
        for rule in ingress["spec"]["rules"]
        for path in rule["http"]["paths"]
    ]

    assert sorted(backends) == sorted(of_kind(whole, "Service"))


def test_keda_decides_how_many_encode(whole: list[Any], usual: list[Any]) -> None:
    (scaled,) = of_kind(whole, "ScaledObject").values()
    target = scaled["spec"]["scaleTargetRef"]["name"]
    (trigger,) = scaled["spec"]["triggers"]

    assert "replicas" not in of_kind(whole, "Deployment")[target]["spec"]
    assert of_kind(usual, "Deployment")[target]["spec"]["replicas"] == 2
    assert "hv_encode_waiting_minutes" in trigger["metadata"]["query"]
    # Kubernetes takes only texts there.
    assert all(isinstance(value, str) for value in trigger["metadata"].values())


def test_a_node_can_be_drained(usual: list[Any]) -> None:
    budgets = of_kind(usual, "PodDisruptionBudget")

    assert budgets.keys() == of_kind(usual, "Deployment").keys()
    assert {b["spec"]["maxUnavailable"] for b in budgets.values()} == {1}


@pytest.mark.parametrize(
    "wrong",
    [
        "image.tag=latest",
        "image.digest=latest",
        "api.replicas=0",
        "confinement=none",
        "encode.keda.minutesOfOne=0",
        "worker.replicas=2",
        "settings.DATABASE_URL=x",
    ],
)
def test_values_that_cannot_be_used_are_refused(wrong: str) -> None:
    done = run_helm("template", "service", str(CHART), "--set", wrong)

    assert done.returncode != 0
    assert "schema" in done.stderr
