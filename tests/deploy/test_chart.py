"""
The Helm chart, as helm itself renders it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

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
    commands = [pod["containers"][0]["args"] for _, pod in pods(whole)]

    assert len(commands) == 8
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
    for _, pod in pods(whole):
        (container,) = pod["containers"]
        files = {one["name"]: one["value"] for one in container["env"]}
        environ = {**settings["data"], **files}

        assert unknown_settings(environ) == []
        load_settings(environ, secrets=secrets, data=tmp_path / "d")


def test_secrets_are_files_and_nothing_else(whole: list[Any]) -> None:
    assert of_kind(whole, "Secret") == {}
    for _, pod in pods(whole):
        (container,) = pod["containers"]
        mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
        secrets = [e for e in container["env"] if e["name"] != "HV_METRICS__LISTEN"]
        for one in secrets:
            assert one["name"].endswith("_FILE")
            assert one["value"].startswith(mounts["secrets"])


def test_no_pod_may_do_more_than_it_must(usual: list[Any]) -> None:
    for _, pod in pods(usual):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
        assert not pod["automountServiceAccountToken"]
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounted = {one["mountPath"] for one in container["volumeMounts"]}
        assert mounted == {"/data", "/tmp", "/run/secrets/hvcore"}  # noqa: S108 - of a pod


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
    (ingress,) = of_kind(whole, "Ingress").values()
    backends = [
        path["backend"]["service"]["name"]
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
