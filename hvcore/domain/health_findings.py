"""The findings of checks of an installation, and their remedies."""

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
    A finding of a check, and its remedy.

    Attributes:
        fix: What to do; empty if nothing.
    """

    state: str
    check: str
    found: str
    fix: str = ""

    def as_record(self) -> Mapping[str, object]:
        """Return the finding as one record of the output."""
        return attrs.asdict(self)


@attrs.frozen(kw_only=True)
class Examination:
    """The findings of all checks at a moment."""

    findings: Sequence[HealthFinding]
    at: datetime


def healthy(check: str, found: str) -> HealthFinding:
    """Return a finding that needs no action."""
    return HealthFinding(state=OK, check=check, found=found)


def broken(check: str, found: str, fix: str) -> HealthFinding:
    """Return a finding without which the service does not work."""
    return HealthFinding(state=BROKEN, check=check, found=found, fix=fix)


def ambiguous(
    check: str, sentences: Sequence[str], fix: str
) -> Sequence[HealthFinding]:
    """Return a finding for each sentence about settings that may be meant otherwise."""
    return [
        HealthFinding(state=WARNING, check=check, found=sentence, fix=fix)
        for sentence in sentences
    ]
