"""
A plugin of pytest that imports our packages once, and forks for each planted fault.

The process is asked and answers by two pipes, a line of JSON each; their file descriptors
are in ``MUTATION_PIPES``. A fork replaces the code of the functions that are in memory,
collects the tests that it was asked for, and runs them until one fails.
"""

import gc
import importlib
import json
import os
import select
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

import pytest

WARM: Final = ("hvcore", "plugins", "contrib", "apps", "tests/support")
"""Folders below the working directory whose modules are imported before any fork."""
LEFT_OUT: Final = ("__main__", "migrations", "templates", "conftest", "stores")
"""What runs or fails when it is imported; servers of stores bring eventlet, which minds forks."""
FUNCTIONS: defaultdict[str, list[FunctionType]] = defaultdict(list)
"""The functions in memory, by the path of their file."""
ASKED_AND_ANSWERS: Final = [int(n) for n in os.environ["MUTATION_PIPES"].split(",")]
FAILED: Final[list[str]] = []
"""The id of the test that failed first, or of the file that could not be collected."""
ANSWERED: Final[list[int]] = []
"""In a fork: the pipe on which it answers."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Fork for each question; only forks come back from here, to collect and to run."""
    for module in _modules():
        # What an extra or a system lacks is imported by no test either.
        with suppress(BaseException):
            importlib.import_module(module)
    # The command line freezes what it has imported; get_objects() leaves that out.
    gc.unfreeze()
    gc.collect()
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            FUNCTIONS[one.__code__.co_filename].append(one)
    gc.freeze()
    asked, answers = ASKED_AND_ANSWERS
    os.write(answers, b"ready\n")
    with os.fdopen(asked, encoding="utf-8") as lines:
        for line in lines:
            question = json.loads(line)
            mine, of_fork = os.pipe()
            pid = os.fork()
            if not pid:
                os.setpgid(0, 0)
                ANSWERED.append(of_fork)
                if question["code"]:
                    _replace_code(question["code"])
                session.config.args[:] = question["tests"]
                return
            os.close(of_fork)
            answer = _answer_of(pid, mine, question["limit_s"], asked)
            os.write(answers, f"{json.dumps(answer)}\n".encode())
    os._exit(0)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that cannot be imported."""
    if report.failed:
        FAILED.append(report.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the test that fails."""
    if report.failed:
        FAILED.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    """Answer, and end at once: there is nothing to tell in the terminal."""
    if ANSWERED:
        _answer({"failed": FAILED[0] if FAILED else None, "exit": int(exitstatus)})


def _modules() -> Iterator[str]:
    for folder in WARM:
        above = Path("tests/..") if folder.startswith("tests") else Path(folder)
        for path in sorted(Path(folder).rglob("*.py")):
            of = (
                path
                if folder in {"hvcore", "tests/support"}
                else path.relative_to(above)
            )
            if not any(part in path.as_posix() for part in LEFT_OUT):
                yield ".".join(of.with_suffix("").parts).removesuffix(".__init__")


def _replace_code(asked: dict[str, str]) -> None:
    """Give functions in memory the code of the planted fault, or answer that some keep theirs."""
    path = str(Path(asked["file"]).resolve())
    sound, planted = (
        compile(asked[text], path, "exec", dont_inherit=True)
        for text in ("sound", "planted")
    )
    changed = {
        was: becomes for was, becomes in _pairs(sound, planted) if was != becomes
    }
    replaced = not changed or not FUNCTIONS[path]
    for function in FUNCTIONS[path]:
        becomes = changed.get(function.__code__)
        if becomes is not None:
            # Code that needs other names from around it is refused.
            with suppress(ValueError):
                function.__code__ = becomes
                replaced = True
    if not replaced:
        _answer({"error": "unplanted"})


def _pairs(sound: CodeType, planted: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code of each function with the fault and without, where both are alike in shape."""
    within = [
        [c for c in code.co_consts if isinstance(c, CodeType)]
        for code in (sound, planted)
    ]
    if [one.co_name for one in within[0]] == [one.co_name for one in within[1]]:
        for was, becomes in zip(*within, strict=True):
            yield was, becomes
            yield from _pairs(was, becomes)


def _answer(answer: dict[str, Any]) -> None:
    os.write(ANSWERED[0], json.dumps(answer).encode())
    os._exit(0)


def _answer_of(pid: int, pipe: int, limit_s: float, asked: int) -> dict[str, Any]:
    """Wait for a fork, and end all that it has started."""
    until = time.monotonic() + limit_s
    answer: dict[str, Any] = {"error": "late"}
    while time.monotonic() < until:
        ready, _, _ = select.select([pipe, asked], [], [], 0.5)
        if pipe in ready:
            text = os.read(pipe, 100_000)
            answer = json.loads(text) if text else {"failed": None, "exit": -1}
            break
        if asked in ready:
            # Nobody asks while it waits for an answer: whoever asked has ended.
            limit_s = 0
            break
        if os.waitpid(pid, os.WNOHANG) != (0, 0):
            answer = {"failed": None, "exit": -1}
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
    os.close(pipe)
    if not limit_s:
        os._exit(1)
    return answer
