"""Health findings: what the checks of an installation found, and the remedies."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs

OK: Final = "ok"
WARNING: Final = "warning"
BROKEN: Final = "broken"


@attrs.frozen(kw_only=True)
class HealthFinding:
    """
    Describe the result of one check of an installation, and the remedy.

    Attributes:
        state: The severity: ``ok``, ``warning`` or ``broken``.
        check: The name of the check.
        found: What the check found, in words for operators.
        fix: What an operator has to do; "" if nothing.
    """

    state: str
    check: str
    found: str
    fix: str = ""

    def as_record(self) -> Mapping[str, object]:
        """Return the finding as a mapping of its fields, for printing."""
        return attrs.asdict(self)


@attrs.frozen(kw_only=True)
class Examination:
    """Hold the findings of all checks at a moment."""

    findings: Sequence[HealthFinding]
    at: datetime


def healthy(check: str, found: str) -> HealthFinding:
    """
    Return a finding with the state ``ok``, which needs no action.

    Args:
        check: The name of the check.
        found: What the check found, in words for operators.
    """
    return HealthFinding(state=OK, check=check, found=found)


def broken(check: str, found: str, fix: str) -> HealthFinding:
    """
    Return a finding with the state ``broken``.

    The service does not work until the finding is fixed.

    Args:
        check: The name of the check.
        found: What the check found, in words for operators.
        fix: What an operator has to do.
    """
    return HealthFinding(state=BROKEN, check=check, found=found, fix=fix)


def ambiguous(
    check: str, sentences: Sequence[str], fix: str
) -> Sequence[HealthFinding]:
    """
    Return a warning for each sentence.

    A sentence is about a setting that can be understood in two ways.

    Args:
        check: The name of the check.
        fix: What an operator has to do.
    """
    return [
        HealthFinding(state=WARNING, check=check, found=sentence, fix=fix)
        for sentence in sentences
    ]
