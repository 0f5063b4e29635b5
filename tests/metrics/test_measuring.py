"""
What is measured adds up, and never harms what is measured.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from hvcore.settings.observing import MetricsSettings

SCRIPT = """
import sys
from pathlib import Path
from hvcore.metrics import write_to
from hvcore.metrics.declared import HTTP_REQUESTS, TASK_RUN_DURATION
folder = Path(sys.argv[1])
write_to(folder)
{before}
for _ in range(3):
    HTTP_REQUESTS.add("api", "/x", "GET", "200")
    TASK_RUN_DURATION.observe("light", "video.purge", amount=0.2)
{after}
"""
SUM = """
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector
registry = CollectorRegistry()
MultiProcessCollector(registry, path=str(folder))
labels = {"app": "api", "route": "/x", "method": "GET", "status": "200"}
print(registry.get_sample_value("hv_http_requests_total", labels))
runs = {"lane": "light", "kind": "video.purge"}
print(registry.get_sample_value("hv_task_run_duration_seconds_count", runs))
"""


def measured(folder: Path, before: str = "", after: str = "") -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before, after=after), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [*done.stdout.split(), *done.stderr.splitlines()]


def test_processes_add_up_also_those_that_are_gone(tmp_path: Path) -> None:
    for _ in range(3):
        measured(tmp_path)

    assert measured(tmp_path, after=SUM) == ["12.0", "12.0"]


def test_the_files_of_many_that_ended_become_one_and_the_sum_stays(
    tmp_path: Path,
) -> None:
    join = "from hvcore.metrics.process_files import join_ended; join_ended(folder, most=1)"
    for _ in range(3):
        measured(tmp_path)

    assert measured(tmp_path, after=f"{join}\n{SUM}") == ["12.0", "12.0"]
    # Those of the process that has joined them, too.
    names = sorted(path.stem.partition("_")[0] for path in tmp_path.glob("*.db"))
    assert names == ["counter", "counter", "histogram", "histogram"]
    assert measured(tmp_path, after=f"{join}\n{SUM}") == ["15.0", "15.0"]


def test_what_a_fork_measures_is_its_own(tmp_path: Path) -> None:
    fork = "import os\nif os.fork() == 0: os._exit(0 if not HTTP_REQUESTS.add('api', '/x', 'GET', '200') else 1)\nos.wait()"

    assert measured(tmp_path, after=f"{fork}\n{SUM}") == ["4.0", "3.0"]


def test_a_thread_is_measured_again_after_a_block_that_is_not(tmp_path: Path) -> None:
    block = (
        "from hvcore.metrics.measuring import unmeasured\n"
        "with unmeasured(): HTTP_REQUESTS.add('api', '/x', 'GET', '200')"
    )

    assert measured(tmp_path, before=block, after=SUM) == ["3.0", "3.0"]


def test_a_full_disk_ends_no_process_and_is_said_once(tmp_path: Path) -> None:
    full = (
        "import errno, os\n"
        "def fallocate(*_): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "os.posix_fallocate = fallocate"
    )

    (said,) = measured(tmp_path, before=full)

    assert said == "not everything is measured"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_only_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert measured(tmp_path / "file" / "metrics") == ["nothing is measured"]


def test_the_bytes_of_a_file_are_the_disks_before_they_are_written(
    tmp_path: Path,
) -> None:
    many = "[HTTP_REQUESTS.add('api', f'/{n}', 'GET', '200') for n in range(900)]"

    measured(tmp_path, after=many)

    for path in tmp_path.glob("*.db"):
        found = path.stat()
        assert found.st_blocks * 512 >= found.st_size


@pytest.mark.parametrize("listen", ["", "x", "0", "70000", "host:", ":::"])
def test_an_address_is_checked(listen: str) -> None:
    if listen:
        with pytest.raises(ValueError, match="must be a port"):
            MetricsSettings(listen=listen)
    else:
        assert MetricsSettings(listen=listen).listen == ""


def test_a_port_alone_is_of_this_machine_only() -> None:
    assert MetricsSettings(listen="9464").address == ("127.0.0.1", 9464)
    assert MetricsSettings(listen="[::1]:9464").address == ("::1", 9464)
