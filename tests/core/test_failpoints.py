"""
Failpoints fail where, how and as often as a test says.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.failpoints import FailpointError, arm, failpoint

ONE, OTHER = "part.stored", "webhook.sent"


@pytest.fixture(autouse=True)
def _disarmed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("HV_FAILPOINTS_DIR", raising=False)
    yield
    arm("")


def fails(point: str) -> bool:
    try:
        failpoint(point)
    except FailpointError as error:
        return str(error) == point
    return False


@pytest.mark.parametrize(
    "text", [f"{ONE}=raise", f" ; {ONE}=raise ;", f"{OTHER}=hang*0; {ONE}=raise"]
)
def test_a_point_that_is_named_fails_and_no_other(text: str) -> None:
    arm(text)

    assert [fails(ONE) for _ in range(3)] == [True] * 3
    assert not fails(OTHER)


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize("shares", [False, True])
def test_a_point_fails_so_many_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, *, shares: bool
) -> None:
    if shares:
        monkeypatch.setenv("HV_FAILPOINTS_DIR", str(tmp_path))
    arm(f"{ONE}=raise*{times}; {OTHER}=raise*1")

    assert [fails(ONE) for _ in range(4)] == [True] * times + [False] * (4 - times)
    assert fails(OTHER)

    # Another process, which knows of the first by the folder alone.
    arm(f"{ONE}=raise*{times}")
    assert fails(ONE) == (times > 0 and not shares)


@pytest.mark.parametrize(
    ("action", "number"), [("kill", signal.SIGKILL), ("hang", signal.SIGSTOP)]
)
def test_a_process_is_killed_or_stopped(
    monkeypatch: pytest.MonkeyPatch, action: str, number: int
) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *of_process: sent.append(of_process))
    arm(f"{ONE}={action}*1")

    failpoint(ONE)
    failpoint(ONE)

    assert sent == [(os.getpid(), number)]


@pytest.mark.parametrize(
    "text",
    ["x=raise", ONE, f"{ONE}=", f"{ONE}=stop", f"{ONE}=raise*", f"{ONE}=raise*x"],
)
def test_an_unknown_failpoint_or_failure_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a failpoint") as refused:
        arm(f"{OTHER}=raise; {text}")

    assert OTHER in str(refused.value)
