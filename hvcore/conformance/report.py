"""The findings of a check of a video."""

from collections import Counter
from typing import Final

import attrs

from hvcore.conformance.rule import Level, Rule
from hvcore.conformance.rules import RULES

MOST_OF_A_KIND: Final = 5
"""Findings of one rule in one file; a film has thousands of segments."""
MOST_FINDINGS: Final = 500
_MOST_CHARACTERS: Final = 300


@attrs.frozen(kw_only=True)
class Finding:
    """
    A rule that is broken.

    Attributes:
        file: As the playlists name it, without its query, which may be secret.
        place: Where in the file: a line, a box; may be empty.
        message: What is wrong there, for a person.
    """

    rule: Rule
    file: str
    place: str
    message: str


@attrs.frozen(kw_only=True)
class CheckReport:
    """
    The outcome of a check.

    Attributes:
        findings: What MUST be fixed first.
        unlisted: Findings beyond the first of their kind.
        playlists: How many were examined.
        segments: Likewise, init segments included.
    """

    findings: tuple[Finding, ...]
    unlisted: int
    playlists: int
    segments: int
    read_bytes: int

    @property
    def is_conformant(self) -> bool:
        """Whether every MUST is kept."""
        return self.count(Level.MUST) == 0

    def count(self, level: Level) -> int:
        """Return the number of listed findings of a level."""
        return sum(finding.rule.level is level for finding in self.findings)


class CheckLog:
    """Records findings, and what was examined, during a check."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._unlisted = 0
        self._failed: set[str] = set()
        self.playlists = 0
        self.segments = 0
        self.read_bytes = 0

    def add(self, rule: str, file: str, message: str, place: str = "") -> None:
        """
        Record a finding.

        Args:
            rule: Its id.
            file: With its query, if it has one.
        """
        found = RULES[rule]
        shown = clean(file)
        self._kinds[rule, shown] += 1
        is_many = self._kinds[rule, shown] > MOST_OF_A_KIND
        # The first of each MUST is always listed: without it the verdict would
        # change, also of who excuses some of them.
        decides = found.level is Level.MUST and rule not in self._failed
        if is_many or (len(self._findings) >= MOST_FINDINGS and not decides):
            self._unlisted += 1
            return
        if found.level is Level.MUST:
            self._failed.add(rule)
        self._findings.append(
            Finding(rule=found, file=shown, place=place, message=_plain(message))
        )

    def report(self) -> CheckReport:
        """Return the outcome."""
        return CheckReport(
            findings=tuple(
                sorted(self._findings, key=lambda f: f.rule.level is not Level.MUST)
            ),
            unlisted=self._unlisted,
            playlists=self.playlists,
            segments=self.segments,
            read_bytes=self.read_bytes,
        )


def clean(address: str) -> str:
    """Return an address of a playlist as it may be shown: its query may be a token."""
    return _plain(address.partition("?")[0].partition("#")[0])


def _plain(text: str) -> str:
    # Names come out of strangers' playlists and end on a terminal.
    visible = "".join(c if c.isprintable() else "?" for c in text)
    if len(visible) <= _MOST_CHARACTERS:
        return visible
    return visible[: _MOST_CHARACTERS - 1] + "…"
