"""
Broken plugins in real processes: a command ends, and a service starts or says why not.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.hostile.strangers import ask, connect, head
from tests.plugin_faults.broken_plugins import STORAGE, BrokenPlugin, storage
from tests.plugin_faults.faults_at_work import HANGING_PROVIDER
from tests.plugin_faults.faults_of_building import BUILDING
from tests.plugin_faults.faults_of_loading import LOADING
from tests.plugin_faults.planting import OTHERS, Plant, Planted
from tests.support.hv_processes import HV
from tests.support.live import LiveService, free_ports, live_service

REAL = (*OTHERS, "hvcore_queue_rq.plugin", "hvcore_transcoder_ffmpeg.plugin")
MOST_S = 60
"""Of a busy machine: on one that has time, it is less than 20 s."""
READ_WITHIN_S = 40
"""The promise is 10 s, on a machine that has time; without it, a minute."""
NEVER_ENDS = """\
import threading
threading.Thread(target=threading.Event().wait).start()
threading.Event().wait()
"""
CLIENTS = 64
PREPARE = "prepare, which tries the plugins and makes the tables, does not start."


def hv(planted: Planted, *words: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    return subprocess.run(
        [*HV, "--data", str(planted.settings.data_dir), *words],
        env={**inherited, **planted.environ, "PYTHONPATH": path_of(planted.file)},
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )


def path_of(file: Path) -> str:
    return f"{file.parent}{os.pathsep}{Path(__file__).parents[2]}"


@pytest.mark.cases(1)
@pytest.mark.parametrize("command", ["plugins", "doctor"])
def test_a_command_ends_whatever_a_plugin_leaves_running(
    plant: Plant, command: str
) -> None:
    planted = plant(BrokenPlugin(code=NEVER_ENDS, environ={}, said=(), fix=""))

    done = hv(planted, command, "--json")

    assert planted.file.stem in done.stdout
    assert "loading it has not come back" in done.stdout
    assert json.loads(done.stdout)
    assert "Traceback" not in done.stderr


@pytest.mark.services
def test_a_service_is_not_ready_with_a_backend_that_cannot_be_built(
    plant: Plant,
) -> None:
    planted = plant(BUILDING["a cache invalidator that cannot be made"])

    done = hv(planted, "up", "--port", str(free_ports()))

    assert done.returncode == 1
    planted.assert_told([done.stderr.partition("Error: ")[2]])
    assert "hv is ready" not in done.stdout
    assert "Traceback" not in done.stderr


HANGS = """\
import threading
class Bad(Store):
    def ping(self):
        threading.Thread(target=threading.Event().wait).start()
        threading.Event().wait()  # here
"""
RAISES = """\
class Bad(Store):
    def ping(self): raise RuntimeError("no bucket")  # here
"""
REFUSES = """\
class Bad(Store):
    def ping(self): raise UnavailableError("The bucket is gone.")
"""
_MAKES = "def build(options, context): return Bad()\n"


@pytest.mark.cases(1)
@pytest.mark.services
@pytest.mark.parametrize(
    ("ping", "said"),
    [
        (HANGS, ("the ping of the storage backend 'acme' has not come back",)),
        (RAISES, ("storage backend 'acme' has raised RuntimeError: no bucket",)),
        (REFUSES, ("the storage backend 'acme' cannot serve: The bucket is gone.",)),
    ],
    ids=["hangs", "raises", "refuses"],
)
def test_a_service_whose_storage_cannot_serve_says_so_soon_and_ends(
    plant: Plant, ping: str, said: tuple[str, ...]
) -> None:
    broken = BrokenPlugin(
        code=storage(ping + _MAKES), environ=STORAGE, said=said, fix=""
    )
    planted = plant(broken)
    began_s = time.monotonic()

    done = hv(planted, "up", "--port", str(free_ports()))

    assert time.monotonic() - began_s < READ_WITHIN_S
    assert done.returncode == 1
    planted.assert_told([done.stderr.partition("Error: ")[2]])
    assert f"Plugin {planted.file.stem} (HV_PLUGINS)" in done.stderr
    assert "Traceback" not in done.stderr
    data = str(planted.settings.data_dir)
    assert [
        one for one in psutil.process_iter(["cmdline"]) if data in _words(one)
    ] == []


def _words(process: psutil.Process) -> list[str]:
    return process.info["cmdline"] or []


@pytest.mark.services
def test_a_missing_library_is_a_line_of_its_own_with_the_command_at_its_end(
    plant: Plant,
) -> None:
    planted = plant(BUILDING["a library of its factory that is not there"])

    done = hv(planted, "up", "--port", str(free_ports()))

    first, reason, see = done.stderr.partition("Error: ")[2].splitlines()
    assert first == PREPARE
    assert reason.startswith("The storage backend 'acme' needs no_such_library (")
    assert reason.endswith("). Run: pip install no_such_library")
    assert see.startswith("See ")


@pytest.mark.services
def test_each_wrong_option_has_a_line_of_its_own(tmp_path: Path) -> None:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    wrong = {
        "HV_AUTH__PROVIDERS": "api-key,oidc",
        "HV_AUTH__OPTIONS__OIDC__ISSUR": "https://id.example.com",
    }

    done = subprocess.run(
        [*HV, "--data", str(tmp_path), "up", "--port", str(free_ports())],
        env={**environ, **wrong},
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )

    first, typo, *missing, see = done.stderr.partition("Error: ")[2].splitlines()
    assert first == PREPARE
    assert typo.endswith("did you mean auth.options.oidc.issuer?")
    assert len(missing) == 2
    assert see.startswith("See ")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[LiveService]:
    """
    A service with a provider that hangs, and a plugin that is broken and not chosen.

    One for each test: what hangs stays.
    """
    folder = tmp_path / "faults"
    folder.mkdir()
    (folder / "acme_slow.py").write_text(HANGING_PROVIDER)
    (folder / "acme_unused.py").write_text(LOADING["an exception at import"].code)
    with live_service(
        folder,
        HV_PLUGINS=",".join(("acme_slow", "acme_unused", *REAL)),
        HV_AUTH__PROVIDERS="acme,api-key",
        PYTHONPATH=path_of(folder / "acme_slow.py"),
    ) as running:
        yield running


@pytest.mark.services
@pytest.mark.long
def test_a_broken_plugin_that_is_not_chosen_is_logged_once(
    service: LiveService,
) -> None:
    logs = [path.read_text() for path in (service.data / "logs").glob("*.log")]

    assert service.call("GET", "/v1/whoami").status == 200
    assert sum(text.count("no licence") for text in logs) == 1


@pytest.mark.services
@pytest.mark.long
def test_authentications_that_hang_hold_up_no_monitor(service: LiveService) -> None:
    hanging = head("GET", "/v1/whoami", "X-Acme: yes")
    with ExitStack() as sockets:
        for number in range(CLIENTS):
            # Clients of their own, so that none is refused for another's sake.
            client = connect(service.port, f"127.0.1.{number + 1}")
            sockets.enter_context(client).sendall(hanging)
        # No thread is left for anybody else.
        assert ask(service.port, "/v1/whoami").status == 503
        with ThreadPoolExecutor(4) as monitors:
            until = time.monotonic() + 3
            while time.monotonic() < until:
                asked = [
                    monitors.submit(ask, service.port, "/health/live") for _ in range(4)
                ]
                answers = [one.result() for one in asked]
                assert {one.status for one in answers} == {200}
                assert max(one.took_s for one in answers) < 1
