"""
Check a published HLS video against the standards, from its bytes alone.

The check is a second opinion: it shares no code with the parts of hvcore that encode,
measure and write playlists. It accepts files of unknown origin and never raises because
of their content: each fault becomes a finding of the report.
"""

from hvcore.conformance.check import check
from hvcore.conformance.report import CheckReport, Finding
from hvcore.conformance.rule import Level, Rule
from hvcore.conformance.rules import RULES
from hvcore.conformance.source import Piece, Source, UnreadableError

__all__ = [
    "RULES",
    "CheckReport",
    "Finding",
    "Level",
    "Piece",
    "Rule",
    "Source",
    "UnreadableError",
    "check",
]
