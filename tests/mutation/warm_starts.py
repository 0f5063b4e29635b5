"""
A process that has started pytest and imported our packages, for many faults one after another.
"""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Final

import attrs

ONE_TEST_S: Final = 20
"""A test hangs that takes longer: none of the chosen takes more than half as long."""
OPTIONS: Final = (
    *("-n0", "-x", "-q", "--no-header", "--tb=no", f"--timeout={ONE_TEST_S}"),
    *("-p", "no:randomly", "-p", "no:cacheprovider"),
)


class NoForkError(Exception):
    """The fault can be looked for by a new start alone."""


@attrs.frozen
class PlantedCode:
    """The text of a file without a fault and with it."""

    file: str
    """Path below the root."""
    sound: str
    planted: str


@attrs.define
class WarmProcess:
    """A pytest that has imported our packages, and forks for each fault."""

    _process: subprocess.Popen[bytes]
    _asks: IO[str]
    _answers: IO[str]

    @classmethod
    def started_in(cls, root: Path, environ: dict[str, str]) -> "WarmProcess":
        """Start a process in a copy of the tree, and return once all is imported, without a fault."""
        its_asked, asks = os.pipe()
        answers, its_answers = os.pipe()
        command = [sys.executable, "-m", "pytest", *OPTIONS]
        plugin = ["-p", "tests.mutation.warm_process"]
        process = subprocess.Popen(
            [*command, *plugin, f"--basetemp={root / '.mutation-tmp'}"],
            cwd=root,
            env=environ | {"MUTATION_PIPES": f"{its_asked},{its_answers}"},
            pass_fds=(its_asked, its_answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(its_asked)
        os.close(its_answers)
        started = cls(process, os.fdopen(asks, "w"), os.fdopen(answers))
        started._answers.readline()
        return started

    def first_failure(
        self, tests: list[str], code: PlantedCode | None, limit_s: float
    ) -> str | None:
        """
        Run tests in a fork until one fails; return its id, or None where all pass.

        Raises:
            NoForkError: The functions in memory cannot be given that code.
            TimeoutError: The tests were not through in time, and were ended.
            EOFError: The process has ended.
        """
        asked = attrs.asdict(code) if code else None
        question = {"code": asked, "tests": tests, "limit_s": limit_s}
        try:
            self._asks.write(f"{json.dumps(question)}\n")
            self._asks.flush()
        except BrokenPipeError:
            raise EOFError from None
        line = self._answers.readline()
        if not line:
            raise EOFError
        answer = json.loads(line)
        match answer:
            case {"error": "late"}:
                raise TimeoutError
            case {"error": "unplanted"}:
                raise NoForkError
            case {"exit": 0}:
                return None
        return answer["failed"] or f"exit {answer['exit']}"

    def stop(self) -> None:
        """End the process and its fork; both end as the pipe does."""
        with contextlib.suppress(BrokenPipeError):
            self._asks.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()
