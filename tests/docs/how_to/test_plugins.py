"""The examples of the pages for plugin authors work as they stand there."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hvcore import plugin_api
from hvcore.assembly import Services, build
from hvcore.domain.access.rate_limits import Bucket, RateLimit, RateLimitRule
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.analytics.segments import ServedCount
from hvcore.plugin_api import (
    BatchId,
    BatchRefusedError,
    Credentials,
    EnvId,
    Lane,
    OrgId,
    SegmentPlace,
    ServedBatch,
    TaskId,
    VideoId,
    hash_key,
)
from hvcore.registry import HOOKS
from hvcore.settings import load
from hvcore.testing.analytics import AnalyticsSinkConformance
from hvcore.testing.leftovers import KINDS
from hvcore.testing.storage import StorageConformance
from tests.conftest import IS_LONG
from tests.support.databases.migrated import lay_database

FOLDER = Path(__file__).parents[3] / "docs" / "how-to"
FIRST_PAGE = (FOLDER / "plugins.md").read_text(encoding="utf-8")
PAGES = {
    path.name: path.read_text("utf-8")
    for path in sorted((FOLDER / "plugins").glob("*.md"))
}
TEXT = "\n".join([FIRST_PAGE, *PAGES.values()])
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
MODULE = re.compile(r"# (\w+\.py)\n")
KIT_TESTS = 140
"""Of all kits that the pages' examples inherit from, at least."""
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """
    A folder with the pages' modules, on the path of imports.
    """
    folder = tmp_path / "examples"
    folder.mkdir()
    for code in CODE:
        if named := MODULE.match(code):
            (folder / named[1]).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in list(sys.modules):
        if name.startswith("acme_"):
            sys.modules.pop(name)


def services_with(data: Path, environ: Mapping[str, str]) -> Services:
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    return build(settings, rings=False)


def test_the_store_of_rate_limits_counts(examples: Path, tmp_path: Path) -> None:
    assert (examples / "acme_limits.py").is_file()
    environ = {"HV_PLUGINS": "acme_limits", "HV_LIMITS__STORE": "acme"}
    few, many = (
        RateLimitRule(
            limit=RateLimit(bucket=bucket, requests=requests, window_s=60),
            subject="org_a",
        )
        for bucket, requests in ((Bucket.UPLOAD_URL, 2), (Bucket.API, 9))
    )

    with services_with(tmp_path / "data", environ) as services:
        store = services.rate_limit_store
        states = [store.hit([few, many]) for _ in range(3)]
        (last,) = store.hit([many])

    assert [state[0].is_allowed for state in states] == [True, True, False]
    assert last.remaining == 6


def test_storage_and_authentication_are_chosen_by_the_settings(
    examples: Path, tmp_path: Path
) -> None:
    tokens = examples / "tokens.json"
    known = {"id": "t1", "org": "org_a", "env": "live", "until": 4e9}
    tokens.write_text(json.dumps({hash_key("a-token"): known}))
    environ = {
        "HV_PLUGINS": "acme_files,acme_tokens",
        "HV_STORAGE__BACKEND": "acme",
        "HV_STORAGE__OPTIONS__FOLDER": "videos",
        "HV_AUTH__PROVIDERS": "acme",
        "HV_AUTH__OPTIONS__ACME__FILE": str(tokens),
    }
    sent = Credentials(headers={"authorization": "Bearer a-token"})

    with services_with(tmp_path / "data", environ) as services:
        services.storage.write("a/b", io.BytesIO(b"data"), content_type="video/mp4")
        lay_database(services.settings)
        services.tenants.create_organization("org_a")
        live = services.tenants.create_environment(
            "org_a", "live", EnvironmentKind.PRODUCTION
        )
        caller = services.access.authenticate(sent)

    assert (tmp_path / "data/state/videos/objects/a/b").read_bytes() == b"data"
    assert (caller.key_id, caller.org_id, caller.env_id) == ("t1", "org_a", live.id)


def test_the_sink_counts_once(examples: Path, tmp_path: Path) -> None:
    assert (examples / "acme_counts.py").is_file()
    environ = {
        "HV_PLUGINS": "acme_counts,hvcore_analytics_sql.plugin",
        "HV_ANALYTICS__SINKS": "sql,acme",
        "HV_ANALYTICS__OPTIONS__ACME__FILE": "x.sqlite3",
    }
    place = SegmentPlace(
        org_id=OrgId("o"), env_id=EnvId("e"), video_id=VideoId("v"), height_px=720
    )
    count = ServedCount(
        place=place, day=date(2026, 1, 2), segments=3, first_at=NOW, last_at=NOW
    )
    batch = ServedBatch(id=BatchId(file="f", start=0, end=10), counts=(count,))
    gap = ServedBatch(id=BatchId(file="f", start=20, end=30), counts=())

    with services_with(tmp_path / "data", environ) as services:
        before = services.is_migrated()
        services.migrate()
        sink = services.flusher.sinks["acme"]
        sink.write(batch)
        sink.write(batch)
        with pytest.raises(BatchRefusedError):
            sink.write(gap)

        assert (before, services.is_migrated()) == (False, True)
        assert sink.position("f") == 10
        sink.forget("f")
        assert sink.position("f") == 0
    assert (tmp_path / "data" / "state" / "x.sqlite3").is_file()


def test_the_kits_find_nothing_wrong(examples: Path) -> None:
    # Their own backends are tried by all tests of the kits.
    step = 1 if IS_LONG else 3
    chosen = (
        f"def pytest_collection_modifyitems(items):\n    items[:] = items[::{step}]"
    )
    (examples / "conftest.py").write_text(chosen)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "no:randomly", *map(str, sorted(examples.glob("test_*.py")))],
        cwd=examples,
        capture_output=True,
        text=True,
        check=False,
        timeout=170,
    )

    assert done.returncode == 0, done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout
    assert int(passed[1]) >= KIT_TESTS // step, done.stdout


def test_the_queue_is_chosen_by_the_settings(examples: Path, tmp_path: Path) -> None:
    environ = {
        "HV_PLUGINS": "acme_queue,hvcore_analytics_sql.plugin",
        "HV_QUEUE__BACKEND": "acme",
        "HV_QUEUE__OPTIONS__FOLDER": str(tmp_path / "queue"),
    }

    with services_with(tmp_path / "data", environ) as services:
        services.queue.put(TaskId("task_1"), kind="test", lane=Lane.LIGHT)
        assert services.queue.depth(Lane.LIGHT) == 1

    assert (tmp_path / "queue" / "light" / "task_1").is_file()


def test_the_way_to_sign_in_is_chosen_by_the_settings(
    examples: Path, tmp_path: Path
) -> None:
    badges = examples / "badges.json"
    badges.write_text('{"7": {"name": "Ann", "org": "org_a", "role": "editor"}}')
    environ = {
        "HV_PLUGINS": "acme_badge,hvcore_analytics_sql.plugin,hvcore_ratelimit.plugin",
        "HV_SIGN_IN__BACKEND": "badge",
        "HV_SIGN_IN__OPTIONS__BADGE__GATE": "https://gate.example.com",
        "HV_SIGN_IN__OPTIONS__BADGE__FILE": str(badges),
        "HV_SIGN_IN__OPTIONS__BADGE__SECRET": "s",
    }

    with services_with(tmp_path / "data", environ) as services:
        services.migrate()
        begun = services.sign_ins.begin(return_to="", client_address="192.0.2.7")

    assert begun.address.startswith("https://gate.example.com?state=")


def test_the_embedding_program_runs(examples: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(examples / "embedded.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    made = "EmbeddedEnvironment(org_id='acme', name='main')\n"
    assert (done.stdout, done.stderr) == (made, "")


def test_the_options_of_a_store_are_read_as_the_page_writes_them(
    tmp_path: Path,
) -> None:
    (shell,) = re.findall(r"```sh\n(HV_ANALYTICS__SINKS=.*?)```", TEXT, re.DOTALL)
    (toml,) = re.findall(r"```toml\n(\[analytics\].*?)```", TEXT, re.DOTALL)
    environ = dict(line.split("=", 1) for line in shell.splitlines())
    config = tmp_path / "hv.toml"
    config.write_text(toml)

    by_variables = load(config_path=None, environ=environ, data_dir=tmp_path)
    by_file = load(config_path=config, environ={}, data_dir=tmp_path)

    for loaded, name in ((by_variables, "acme"), (by_file, "acme-store")):
        analytics = loaded.settings.analytics
        assert analytics.sinks == ("sql", name)
        assert analytics.store == name
        assert analytics.options[name] == {"file": "counts.sqlite3"}


def test_a_partial_class_fits_its_kit() -> None:
    names: dict[str, Any] = {
        "__name__": __name__,
        "AnalyticsSinkConformance": AnalyticsSinkConformance,
        "StorageConformance": StorageConformance,
    }
    for code in CODE:
        if not MODULE.match(code):
            exec(code, names)  # noqa: S102 - a block of our own page

    assert issubclass(names["AcmeCounts"], plugin_api.SupportsReports)
    assert set(names["TestAcmeCounts"].deviations) <= {*dir(AnalyticsSinkConformance)}
    assert set(names["TestAcmeBoxes"].leftovers) <= {*KINDS}


def test_a_list_replaces_the_default_one(tmp_path: Path) -> None:
    environ = {"HV_AUTH__PROVIDERS": "acme"}

    given = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    usual = load(config_path=None, environ={}, data_dir=tmp_path).settings

    assert (usual.auth.providers, usual.analytics.sinks) == (("api-key",), ("sql",))
    assert given.auth.providers == ("acme",)


@pytest.mark.parametrize("hook", HOOKS.values())
def test_every_hook_is_on_the_first_page(hook: str) -> None:
    assert f"`{hook}`" in FIRST_PAGE


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_named_by_the_first_page(name: str) -> None:
    assert f"](plugins/{name})" in FIRST_PAGE


def test_the_examples_import_what_plugins_may() -> None:
    module: ModuleType = plugin_api
    for names in re.findall(
        r"from hvcore\.plugin_api import \((.*?)\)", TEXT, re.DOTALL
    ):
        for name in names.replace(",", " ").split():
            assert name in module.__all__
