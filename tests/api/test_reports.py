"""
Reports as files: CSV and NDJSON of every analytics route, in both families.
"""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import Permission
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.wire.analytics import schemas as answers
from tests.services.analytics.served import A_ENV, NOW, NOW_TEXT, A, serve
from tests.services.analytics.test_live import ignore, watch
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of

CSV = "text/csv"
NDJSON = "application/x-ndjson"
REPORTS = [
    ("usage", "usage", answers.USAGE),
    ("daily", "dailyUsage", answers.DAILY),
    ("storage", "storage", answers.STORAGE),
    ("resolution-distribution", "distribution", answers.DISTRIBUTION),
]
by_report = pytest.mark.parametrize(
    ("name", "member", "schema"), REPORTS, ids=[name for name, _, _ in REPORTS]
)


def ask(api: World, path: str, query: str = "", accept: str | None = None) -> Result:
    headers = {} if accept is None else {"Accept": accept}
    return api.call("GET", path, query=query, headers=headers)


def rows_of(result: Result) -> list[list[str]]:
    assert result.status_code == 200, result.text
    assert result.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    return list(csv.reader(io.StringIO(result.content.decode(), newline="")))


def records_of(result: Result) -> list[dict[str, Any]]:
    assert result.status_code == 200, result.text
    assert result.headers["Content-Type"] == NDJSON
    lines = result.content.decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def documented(schema: Any, member: str) -> list[str]:  # noqa: ANN401 - JSON
    found = schema["properties"][member]
    return list(found.get("items", found)["required"])


def as_cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@by_report
@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_a_report_is_the_same_in_every_format(
    api: World, root: str, name: str, member: str, schema: object
) -> None:
    serve(api, api.ready(), times=3)
    path = f"{root}/analytics/{name}"
    found = body_of(api.get(path))[member]
    expected = found if isinstance(found, list) else [found]

    header, *rows = rows_of(ask(api, path, accept=CSV))
    lines = records_of(ask(api, path, accept=NDJSON))

    assert expected
    assert lines == expected
    assert header == documented(schema, member)
    assert rows == [[as_cell(record[column]) for column in header] for record in lines]


@by_report
def test_the_query_asks_for_a_format_too(
    api: World, name: str, member: str, schema: object
) -> None:
    path = f"/v1/analytics/{name}"

    assert rows_of(ask(api, path, "format=csv"))
    assert isinstance(records_of(ask(api, path, "format=ndjson")), list)
    # It is stronger than the header.
    assert member in body_of(ask(api, path, "format=json", accept=CSV))
    assert rows_of(ask(api, path, "format=csv", accept=NDJSON))


@by_report
@pytest.mark.parametrize("value", ["xml", "", "CSV", "csv,json"])
def test_an_unknown_format_is_refused(
    api: World, name: str, member: str, schema: object, value: str
) -> None:
    result = ask(api, f"/v1/analytics/{name}", f"format={value}")

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == ["query.format"]
    assert "json, csv, ndjson" in document["detail"]


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", None),
        ("image/png", "application/json"),
        ("no media type", "application/json"),
        ("application/json, text/csv", "application/json"),
        ("application/*", "application/json"),
        ("text/csv;q=0.5, application/json;q=0.4", CSV),
        ("text/*", CSV),
        ("TEXT/CSV", CSV),
        ("text/csv; charset=utf-8", CSV),
        ("application/x-ndjson, */*;q=0.1", NDJSON),
    ],
)
def test_json_is_the_default_and_accept_says_otherwise(
    api: World, accept: str | None, content_type: str | None
) -> None:
    result = ask(api, "/v1/analytics/storage", accept=accept)

    assert result.status_code == 200
    found = result.headers["Content-Type"].split(";")[0]
    assert found == (content_type or "application/json")


def test_json_has_no_headers_of_a_file(api: World) -> None:
    result = api.get("/v1/analytics/usage")

    assert "Content-Disposition" not in result.headers
    assert result.text.startswith('{"body":{"usage":[{"idpOrgId":')


@pytest.mark.parametrize("ending", ["csv", "ndjson"])
def test_a_file_has_a_safe_name_and_nobody_keeps_it(api: World, ending: str) -> None:
    video = api.ready(name='"; filename="evil.exe')
    paths = {
        "/v1/analytics/usage": "usage",
        "/v1/analytics/daily": "daily",
        "/v1/analytics/storage": "storage",
        "/v1/analytics/resolution-distribution": "resolution-distribution",
        f"/v1/videos/{video}/analytics/resolution": f"resolutions-{video}",
    }

    for path, name in paths.items():
        result = ask(api, path, f"format={ending}")
        wanted = f'attachment; filename="{name}.{ending}"'
        assert result.headers["Content-Disposition"] == wanted
        assert result.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("root", [f"{A}/videos", "/v1/videos"])
def test_a_videos_file_has_its_heights_or_its_summary(api: World, root: str) -> None:
    video = api.ready(name='Ünïted, "1"\nline')
    serve(api, video, 720, times=2)
    serve(api, video, 360)
    path = f"{root}/{video}/analytics/resolution"
    body = body_of(api.get(path))

    header, *rows = rows_of(ask(api, path, accept=CSV))
    (summary,) = records_of(ask(api, path, "records=summary&format=ndjson"))
    columns, values = rows_of(ask(api, path, "records=summary&format=csv"))

    assert header == documented(answers.VIDEO_RESOLUTION, "resolutions")
    assert [row[header.index("resolutionHeight")] for row in rows] == ["360", "720"]
    assert {row[header.index("vidName")] for row in rows} == {'Ünïted, "1"\nline'}
    assert rows[1][header.index("lastServed")] == NOW_TEXT
    assert rows[1][header.index("lastServedValid")] == "true"
    assert summary == body["summary"]
    assert columns == documented(answers.VIDEO_RESOLUTION, "summary")
    assert values == [as_cell(summary[column]) for column in columns]
    # What a file holds is no matter to JSON.
    assert body_of(api.get(path, "records=summary")) == body


@pytest.mark.parametrize("root", [f"{A}/videos", "/v1/videos"])
def test_an_explanations_file_has_a_row_for_each_reason(api: World, root: str) -> None:
    video = api.ready()
    ignore(api, video, IgnoredReason.HEAD, times=2)
    path = f"{root}/{video}/analytics/explain"
    result = ask(api, path, "date=2026-01-02&format=csv")

    header, *rows = rows_of(result)
    lines = records_of(ask(api, path, accept=NDJSON))

    assert header == ["reason", "meaning", "requests"]
    assert [row[0] for row in rows] == [reason.value for reason in IgnoredReason]
    assert {row[0]: row[2] for row in rows}["head"] == "2"
    assert lines == body_of(api.get(path))["ignored"]
    name = f'attachment; filename="explanation-{video}.csv"'
    assert result.headers["Content-Disposition"] == name


@pytest.mark.parametrize("root", [A, A_ENV, "/v1", "/v1/videos/{}", f"{A}/videos/{{}}"])
def test_a_file_of_now_has_one_record_or_the_minutes(api: World, root: str) -> None:
    video = api.ready()
    watch(api, video, "a", "b")
    serve(api, video, at=NOW - timedelta(minutes=1))
    path = f"{root.format(video)}/analytics/viewers"
    body = body_of(api.get(path))

    columns, values = rows_of(ask(api, path, accept=CSV))
    (line,) = records_of(ask(api, path, "format=ndjson"))
    header, *rows = rows_of(ask(api, path, "format=csv&records=minutes"))
    minutes = records_of(ask(api, path, "format=ndjson&records=minutes"))

    assert columns == documented(answers.VIEWERS, "viewers")
    assert values[:2] == ["2", "true"]
    assert line == body["viewers"]
    assert header == ["minute", "segmentsServed"]
    assert (len(rows), rows[-1][1]) == (60, "1")
    assert minutes == body["minutes"]


def test_other_records_are_refused(api: World) -> None:
    result = ask(api, f"/v1/videos/{api.ready()}/analytics/resolution", "records=x")

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == ["query.records"]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_a_name_is_no_formula(api: World, begin: str) -> None:
    name = f'{begin}HYPERLINK("https://evil.test")'
    video = api.ready(name=name)
    path = f"/v1/videos/{video}/analytics/resolution"

    header, row = rows_of(ask(api, path, "records=summary&format=csv"))
    (record,) = records_of(ask(api, path, "records=summary&format=ndjson"))

    assert row[header.index("vidName")] == f"'{name}"
    # Programs that read JSON run nothing.
    assert record["vidName"] == name


def test_without_records_a_table_has_its_header(api: World) -> None:
    (header,) = rows_of(ask(api, "/v1/analytics/daily", "format=csv"))

    assert header == documented(answers.DAILY, "dailyUsage")
    assert records_of(ask(api, "/v1/analytics/daily", "format=ndjson")) == []


def test_lines_end_as_rfc_4180_says(api: World) -> None:
    result = ask(api, "/v1/analytics/storage", "format=csv")

    header, row, rest = result.content.split(b"\r\n")
    assert header.startswith(b"totalVideos,totalDurationSeconds,")
    assert row == b"0,0.0,0.0,0.0,0.0,0.0"
    assert rest == b""


def test_a_file_obeys_the_other_parameters(api: World) -> None:
    query = "startDate=2025-12-29&endDate=2025-12-31&fill=true&format=csv"

    _, *rows = rows_of(ask(api, "/v1/analytics/daily", query))

    assert [row[0] for row in rows] == ["2025-12-29", "2025-12-30", "2025-12-31"]


def test_a_file_needs_the_same_key_and_counts_under_the_same_limit(api: World) -> None:
    path, headers = "/v1/analytics/usage", {"Accept": CSV}
    blind = api.make_key(permissions=frozenset({Permission.VIDEOS_READ}))

    problem_of(api.call("GET", path, key=blind, headers=headers), 403, "forbidden")
    first = api.call("GET", path, headers=headers)
    second = api.get(path)

    limits = [r.headers["X-RateLimit-Remaining"] for r in (first, second)]
    assert int(limits[0]) - int(limits[1]) == 1
    other = f"/v1/api/org_b/environments/{ENV}/analytics/usage"
    problem_of(api.call("GET", other, headers=headers), 403, "forbidden")
    assert ORG in first.text
