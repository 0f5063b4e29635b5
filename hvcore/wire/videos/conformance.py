"""The answer with the findings of a published video's conformance check."""

from typing import Final

from hvcore.domain.processing.conformance_reports import (
    ConformanceReport,
    FindingLevel,
    ReportFinding,
)
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    BOOLEAN,
    COUNT,
    STRING,
    TIMESTAMP,
    array,
    record,
    words_of,
)

_FINDING: Final = record(
    "ConformanceFinding",
    {
        "rule": STRING,
        "level": words_of(FindingLevel),
        "says": STRING,
        "source": STRING,
        "file": STRING,
        "place": STRING,
        "message": STRING,
    },
    {"chosenBy": STRING},
)
CONFORMANCE: Final = record(
    "ConformanceReport",
    {
        "conformant": BOOLEAN,
        "checkedAt": TIMESTAMP,
        "must": COUNT,
        "should": COUNT,
        "warnings": COUNT,
        "unlisted": COUNT,
        "findings": array(_FINDING),
        "playlists": COUNT,
        "segments": COUNT,
        "readBytes": COUNT,
    },
)


def conformance(report: ConformanceReport) -> Payload:
    """Return the JSON payload of the report of a video's conformance check."""
    return {
        "conformant": report.is_conformant,
        "checkedAt": timestamp(report.checked_at),
        "must": report.count(FindingLevel.MUST),
        "should": report.count(FindingLevel.SHOULD),
        "warnings": report.count(FindingLevel.WARNING),
        "unlisted": report.unlisted,
        "findings": [_finding(one) for one in report.findings],
        "playlists": report.playlists,
        "segments": report.segments,
        "readBytes": report.read_bytes,
    }


def _finding(found: ReportFinding) -> Payload:
    payload: Payload = {
        "rule": found.rule,
        "level": found.level.value,
        "says": found.says,
        "source": found.source,
        "file": found.file,
        "place": found.place,
        "message": found.message,
    }
    return payload | ({"chosenBy": found.chosen_by} if found.chosen_by else {})
