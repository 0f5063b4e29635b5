"""
Files that share a server run where it runs.
"""

from typing import Final

import pytest

from tests.support.runs.scheduling import HOMES, home_of, next_file

SHARES: Final = "tests/e2e/test_pages.py"
OWN: Final = "tests/e2e/processes/test_up.py"
OTHER: Final = "tests/signing/test_sealing.py"


def test_files_that_share_a_service_run_in_one_process() -> None:
    assert home_of(SHARES) == home_of("tests/e2e/player/test_player.py") == 0
    assert home_of(OWN) is None
    assert home_of(OTHER) is None


@pytest.mark.parametrize(
    ("process", "waiting", "chosen"),
    [
        (0, [SHARES, OTHER], SHARES),
        (0, [OTHER, SHARES], OTHER),
        (1, [SHARES, OWN, OTHER], OWN),
        # Rather a second service than three processes that wait for one.
        (1, [SHARES, "tests/e2e/player/test_player.py"], SHARES),
    ],
)
def test_a_process_leaves_files_to_the_one_that_has_their_service(
    process: int, waiting: list[str], chosen: str
) -> None:
    assert next_file(waiting, process, 4) == chosen


def test_fewer_processes_share_the_homes() -> None:
    assert next_file(["tests/plugins/transcoder_ffmpeg/x.py", OTHER], 1, 2) != OTHER


def test_what_has_a_home_is_there(pytestconfig: pytest.Config) -> None:
    root = pytestconfig.rootpath

    assert [begin for begin in HOMES if not list(root.glob(f"{begin}*"))] == []
