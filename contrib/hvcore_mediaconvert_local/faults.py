"""Produce the errors and delays that tests order, in a job's metadata or by a control request."""

import threading
import time
from collections.abc import Mapping
from typing import Any, Final

import attrs

from hvcore_mediaconvert_local.errors import (
    ERROR_CODES,
    STATUS_OF,
    MediaConvertError,
    bad_request,
)
from hvcore_mediaconvert_local.jobs import OrderedFault

PREFIX: Final = "hv-"
"""The prefix of keys in a job's user metadata that order a fault."""
_MOST_DELAY_S: Final = 7 * 24 * 3600
_MOST_ANSWER_DELAY_S: Final = 60
_MOST_TIMES: Final = 1000
_ALL: Final = 100


@attrs.frozen(kw_only=True)
class AnswerFault:
    """
    Describe a fault that a test has ordered for the next calls of an operation.

    Attributes:
        operation: The name of the operation; ``*`` for all operations.
        error: The type of the error, a key of STATUS_OF; "" for the usual answer.
        times: The number of calls with the fault.
        delay_s: The seconds by which the answer is late.
        is_afterwards: Whether the operation is carried out before the fault; then only its
            answer is replaced.
    """

    operation: str
    error: str = ""
    message: str = "Ordered by a test"
    times: int = 1
    delay_s: float = 0.0
    is_afterwards: bool = False


class FaultBook:
    """Keep the faults that tests have ordered; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: list[AnswerFault] = []
        self._jobs: list[OrderedFault] = []

    def order_answers(self, fault: AnswerFault) -> None:
        """Order a fault for the next calls of an operation."""
        with self._lock:
            self._answers.append(fault)

    def order_jobs(self, fault: OrderedFault, times: int) -> None:
        """Order a fault for the given number of new jobs."""
        with self._lock:
            self._jobs += [fault] * times

    def forget(self) -> None:
        """Remove all ordered faults."""
        with self._lock:
            self._answers.clear()
            self._jobs.clear()

    def for_job(self, metadata: Mapping[str, Any]) -> OrderedFault:
        """
        Return the fault for a new job: from its own metadata, or the next ordered one.

        Raises:
            MediaConvertError: The metadata order an unknown fault.
        """
        if any(name.startswith(PREFIX) for name in metadata):
            own = {
                name.removeprefix(PREFIX): value
                for name, value in metadata.items()
                if name.startswith(PREFIX)
            }
            return fault_of(own)
        with self._lock:
            return self._jobs.pop(0) if self._jobs else OrderedFault()

    def answer_of(self, operation: str) -> AnswerFault | None:
        """Return the fault for this call of an operation, and count it; None if none."""
        with self._lock:
            for number, fault in enumerate(self._answers):
                if fault.operation in {operation, "*"}:
                    left = attrs.evolve(fault, times=fault.times - 1)
                    self._answers[number : number + 1] = [left] if left.times else []
                    return fault
        return None


def apply_fault(fault: AnswerFault) -> None:
    """Wait for the delay of a fault that a test has ordered, and raise its error if it has one."""
    if fault.delay_s:
        time.sleep(fault.delay_s)
    if fault.error:
        raise MediaConvertError(fault.error, fault.message)


def fault_of(found: Mapping[str, Any]) -> OrderedFault:
    """
    Return a job's fault, from the keys that order it.

    Args:
        found: The values by ``delay-seconds``, ``error-code``, ``error-message`` and
            ``error-at-percent``.

    Raises:
        MediaConvertError: A key or an error code is unknown, or a value is no number.
    """
    known = {"delay-seconds", "error-code", "error-message", "error-at-percent"}
    for name in found:
        if name not in known:
            raise bad_request(
                f"{PREFIX}{name} orders nothing; known are {', '.join(sorted(known))}"
            )
    code = int(_number(found, "error-code", 9999))
    if code and code not in ERROR_CODES:
        raise bad_request(f"error-code {code} is none of {sorted(ERROR_CODES)}")
    return OrderedFault(
        delay_s=_number(found, "delay-seconds", _MOST_DELAY_S),
        error_code=code,
        error_message=str(found.get("error-message", "")),
        at_percent=int(_number(found, "error-at-percent", _ALL)),
    )


def answer_fault_of(found: Mapping[str, Any]) -> AnswerFault:
    """
    Return a fault of answers, from the JSON of a control request.

    Args:
        found: The values by ``operation``, ``error``, ``message``, ``times``,
            ``delay-seconds`` and ``afterwards``.

    Raises:
        MediaConvertError: The type of the error is unknown, or a value is no number.
    """
    error = str(found.get("error", ""))
    if error and error not in STATUS_OF:
        raise bad_request(f"error must be one of {', '.join(STATUS_OF)}")
    return AnswerFault(
        operation=str(found.get("operation", "*")),
        error=error,
        message=str(found.get("message", "Ordered by a test")),
        times=times_of(found),
        delay_s=_number(found, "delay-seconds", _MOST_ANSWER_DELAY_S),
        is_afterwards=found.get("afterwards") is True,
    )


def times_of(found: Mapping[str, Any]) -> int:
    """
    Return the number of times that an ordered fault happens; 1 if none is given.

    Raises:
        MediaConvertError: The value is no number from 1 to 1000.
    """
    times = int(_number({"times": 1, **found}, "times", _MOST_TIMES))
    if times < 1:
        raise bad_request("times must be at least 1")
    return times


def _number(found: Mapping[str, Any], name: str, most: float) -> float:
    try:
        number = float(found.get(name, 0))
    except (TypeError, ValueError):
        raise bad_request(f"{name} must be a number") from None
    if not 0 <= number <= most:
        raise bad_request(f"{name} must be from 0 to {most}")
    return number
