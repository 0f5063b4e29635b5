"""
A new plugin is green from its first minute, and an installed one is checked.
"""

import json
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hvcore_cli.commands.plugins.new import KINDS, next_breaking, write_plugin
from tests.cli.conftest import Hv
from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import live_service, until

HV = [sys.executable, "-m", "hvcore_cli"]
WORKING = ("cache_invalidation", "limits", "queue", "transcoder")
"""Those that one service can use beside its own: it makes a video with them."""


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def importing(folder: Path) -> dict[str, str]:
    """
    Return the variable with which Python imports from a folder, too.
    """
    others = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [others])])}


def install(target: Path, *folders: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    options = ["--no-build-isolation", "--target", str(target)]
    done = run(target.parent, *pip, *options, *map(str, folders))
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    One of each that the service can use at once, installed together.
    """
    folder = tmp_path_factory.mktemp("plugins")
    install(folder / "installed", *(write_plugin(k, "acme", folder) for k in WORKING))
    return folder / "installed"


class Purges(BaseHTTPRequestHandler):
    def do_PURGE(self) -> None:
        self.server.seen.append(self.path)  # type: ignore[attr-defined]  # see cache
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """
        Print nothing.
        """


@contextmanager
def cache() -> Iterator[tuple[str, list[str]]]:
    """
    Run an HTTP cache; give its address and what it was told to forget.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), Purges) as server:
        seen: list[str] = []
        server.seen = seen  # type: ignore[attr-defined]  # for its handlers
        threading.Thread(target=server.serve_forever, args=(0.02,)).start()
        yield f"http://127.0.0.1:{server.server_port}", seen
        server.shutdown()


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "kind",
    [
        # It makes videos for a quarter of a minute.
        pytest.param(kind, marks=pytest.mark.long if kind == "transcoder" else ())
        for kind in KINDS
    ],
)
def test_its_tests_pass_as_they_were_written(hv: Hv, tmp_path: Path, kind: str) -> None:
    written = hv("plugins", "new", kind, "acme", "--into", str(tmp_path / "new"))
    (folder,) = (tmp_path / "new").iterdir()

    done = run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:randomly")

    assert (written.status, done.returncode) == (0, 0), written.stderr + done.stdout
    assert str(folder) in written.stdout
    assert " passed" in done.stdout
    texts = [p.read_text() for p in folder.rglob("*") if p.suffix in {".md", ".toml"}]
    assert not any("$" in text for text in texts)


@pytest.mark.cases(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_service_takes_it(hv: Hv, tmp_path: Path, kind: str) -> None:
    hv("plugins", "new", kind, "acme", "--into", str(tmp_path))
    source = tmp_path / f"hvcore-{kind.replace('_', '-')}-acme" / "src"

    listed = run(
        tmp_path,
        *(*HV, "plugins", "--json"),
        HV_PLUGINS=f"hvcore_{kind}_acme.plugin",
        **importing(source),
    )

    assert f'"plugin": "hvcore_{kind}_acme.plugin"' in listed.stdout, listed.stderr
    assert '"name": "acme"' in listed.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_names_the_versions_that_it_was_written_for(
    tmp_path: Path, kind: str
) -> None:
    folder = write_plugin(kind, "acme", tmp_path)

    about = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    (plugin,) = folder.rglob("plugin.py")

    assert about["project"]["dependencies"] == ["hvcore>=0.1.0,<0.2"]
    assert 'requires="0.1",' in plugin.read_text("utf-8")


@pytest.mark.parametrize(
    ("version", "bound"), [("0.1.0", "0.2"), ("0.9.3", "0.10"), ("2.3.1", "3")]
)
def test_a_new_plugin_excludes_the_next_hvcore_that_may_break_it(
    version: str, bound: str
) -> None:
    assert next_breaking(version) == bound


def test_what_is_written_has_no_lint(tmp_path: Path) -> None:
    """
    By the rules that are usual, wherever ruff is run.
    """
    ruff = str(Path(sys.executable).with_name("ruff"))
    check = [ruff, "check", "--no-cache", "--output-format", "concise"]
    folders = [write_plugin(kind, "acme", tmp_path) for kind in KINDS]

    above = run(tmp_path, *check, "--extend-select", "I,RUF,F403", ".")
    inside = run(folders[0], *check, "--extend-select", "I,RUF", ".")
    formatted = run(tmp_path, ruff, "format", "--no-cache", "--check", ".")

    assert above.returncode == 0, above.stdout + above.stderr
    assert inside.returncode == 0, inside.stdout + inside.stderr
    assert formatted.returncode == 0, formatted.stdout + formatted.stderr


@pytest.mark.long
def test_an_installed_plugin_is_checked_with_its_kit(hv: Hv, tmp_path: Path) -> None:
    hv("plugins", "new", "sign_in", "acme", "--into", str(tmp_path))
    folder, target = tmp_path / "hvcore-sign-in-acme", tmp_path / "installed"
    install(target, folder)
    path = importing(target)

    good = run(tmp_path, *HV, "plugins", "check", "hvcore-sign-in-acme", **path)
    backend = target / "hvcore_sign_in_acme" / "backend.py"
    judged = " or not hmac.compare_digest(code, wanted)"
    assert judged in backend.read_text()
    backend.write_text(backend.read_text().replace(judged, ""))
    bad = run(tmp_path, *HV, "plugins", "check", "hvcore-sign-in-acme", **path)
    by_backend = run(tmp_path, *HV, "plugins", "check", "acme", **path)
    unknown = run(tmp_path, *HV, "plugins", "check", "acne", **path)

    assert good.returncode == 0, good.stderr
    assert "0 broken" in good.stdout
    assert bad.returncode == 1, bad.stdout
    assert "  broken       test_" in bad.stdout
    assert bad.stdout.partition(":")[2] == by_backend.stdout.partition(":")[2]
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "there are: hvcore-sign-in-acme." in unknown.stderr


def test_a_backend_that_several_kits_try_is_not_guessed(
    installed: Path, tmp_path: Path
) -> None:
    done = run(tmp_path, *HV, "plugins", "check", "acme", **importing(installed))

    assert done.returncode == 1
    assert (
        "choose one of: hvcore-cache-invalidation-acme, hvcore-limits-acme"
        in done.stderr
    )


@pytest.mark.parametrize(
    "kind",
    [
        "cache_invalidation",
        # Their kits run above, by pytest itself.
        *(pytest.param(kind, marks=pytest.mark.long) for kind in WORKING[1:]),
    ],
)
def test_the_check_of_a_new_plugin_is_green(
    installed: Path, tmp_path: Path, kind: str
) -> None:
    name = f"hvcore-{kind.replace('_', '-')}-acme"

    done = run(tmp_path, *HV, "plugins", "check", name, **importing(installed))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 declared not to be, 0 broken" in done.stdout


@pytest.mark.services
def test_a_service_works_with_new_plugins(installed: Path, tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=7, size="640x360")
    chosen = {
        "HV_EDGE__CACHE_INVALIDATORS": "acme",
        "HV_LIMITS__STORE": "acme",
        "HV_QUEUE__BACKEND": "acme",
        "HV_TRANSCODER__BACKEND": "acme",
    }

    with (
        cache() as (url, purged),
        live_service(
            tmp_path,
            **chosen,
            HV_EDGE__OPTIONS__ACME__URL=url,
            **importing(installed),
        ) as service,
    ):
        listed = json.loads(service.hv("plugins", "--json").stdout)["plugins"]
        video = service.made(clip)
        complaints = ffmpeg_complaints(service.public_url(video["id"]))
        deleted = service.call("DELETE", f"/v1/videos/{video['id']}")
        until(lambda: any(video["id"] in one for one in purged), within_s=30)

    active = [one for one in listed if one["active"] and one["name"] == "acme"]
    assert len(active) == len(WORKING)
    assert video["status"]["ready"], video
    assert (complaints, deleted.status) == ("", 200)
    assert next(service.data.rglob("acme-limits.sqlite3")).stat().st_size > 0
    assert next(service.data.rglob("acme-queue")).is_dir()


KIT = """
import pytest
from hvcore.testing.deviations import DeclaresDeviations

class TestAcme(DeclaresDeviations):
    deviations = {"test_b": "b costs too much"}

    def test_a(self):
        pass

    def test_b(self):
        assert False

    def test_c(self):
        pytest.skip("it does not carry out SupportsCopy")
"""


def test_what_a_plugin_does_not_offer_is_not_called_declared(tmp_path: Path) -> None:
    (tmp_path / "acme_kit.py").write_text(KIT)
    about = tmp_path / "acme-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[hvcore.kits]\nacme = acme_kit\n")

    done = run(tmp_path, *HV, "plugins", "check", "acme", **importing(tmp_path))

    assert done.stdout.splitlines() == [
        "acme: 1 promises kept, 1 declared not to be, 0 broken, 1 not offered.",
        "  not offered  test_c: it does not carry out SupportsCopy",
        "  declared     test_b: b costs too much",
    ], done.stderr


@pytest.mark.parametrize("name", ["Acme", "acme_one", "-acme", "1st", "acme-one", ""])
def test_a_name_that_no_backend_may_have_is_refused(hv: Hv, name: str) -> None:
    done = hv("plugins", "new", "analytics", "--", name)

    assert done.status == 1
    assert "lower-case" in done.stderr


def test_a_folder_that_is_there_is_left_alone(hv: Hv, tmp_path: Path) -> None:
    words = ("plugins", "new", "analytics", "acme", "--into", str(tmp_path))
    hv(*words)

    again = hv(*words)

    assert again.status == 1
    assert "is there already" in again.stderr


def test_an_unknown_kind_is_refused_with_those_that_there_are(hv: Hv) -> None:
    done = hv("plugins", "new", "queues", "acme")

    assert (done.status, done.stderr.count("\n")) == (1, 1)
    assert all(kind in done.stderr for kind in KINDS)


def test_every_kind_is_in_the_help(hv: Hv) -> None:
    help_text = hv("plugins", "new", "--help").stdout

    assert all(kind in help_text for kind in KINDS)


@pytest.mark.parametrize("into", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_told_in_one_line(
    hv: Hv, tmp_path: Path, into: str
) -> None:
    (tmp_path / "file").touch()

    done = hv("plugins", "new", "queue", "acme", "--into", str(tmp_path / into))

    assert done.status != 0
    assert "--into" in done.stderr
    assert "bug" not in done.stderr


def test_a_name_whose_package_is_installed_is_refused(hv: Hv) -> None:
    done = hv("plugins", "new", "transcoder", "ffmpeg")

    assert (done.status, done.stderr.count("\n")) == (1, 1)
    assert "hvcore_transcoder_ffmpeg" in done.stderr
