"""
Metrics, their page, the dashboard and the alerts name the same things.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from hvcore.metrics.declared import METRICS

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference" / "metrics.md").read_text(encoding="utf-8")
RUNBOOKS = (DOCS / "how-to" / "monitoring.md").read_text(encoding="utf-8")
RULES = [
    rule
    for group in yaml.safe_load((DOCS / "monitoring" / "alerts.yaml").read_text())[
        "groups"
    ]
    for rule in group["rules"]
]
DASHBOARD = json.loads((DOCS / "monitoring" / "dashboard.json").read_text())
ROWS = {
    found[1]: (found[2], tuple(re.findall(r"`(\w+)`", found[3])))
    for found in re.finditer(
        r"^\| `(hv_\w+)` \| (\w+)[^|]* \|([^|]*)\|", PAGE, re.MULTILINE
    )
}
SERIES = {
    name: metric
    for metric in METRICS
    for name in (
        [f"{metric.name}_{end}" for end in ("bucket", "sum", "count")]
        if metric.kind == "histogram"
        else [metric.name]
    )
}


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in RULES)
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from re.findall(
        r"^```\n(max\(hv_.*?)^```", RUNBOOKS, re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_on_its_page_with_its_labels(metric) -> None:  # noqa: ANN001 - of three classes
    assert ROWS[metric.name] == (metric.kind, metric.labels)


def test_the_page_has_no_other_metrics() -> None:
    assert ROWS.keys() == {metric.name for metric in METRICS}


@pytest.mark.parametrize("expression", list(expressions()))
def test_alerts_and_the_dashboard_ask_for_metrics_that_exist(expression: str) -> None:
    names = set(re.findall(r"\bhv_\w+", expression))
    labels = set(re.findall(r"(\w+)(?:=~|!=|=)\"", expression))
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        labels |= {label.strip() for label in group.split(",")}

    # Prometheus itself says which machines it reaches.
    assert names or 'up{job="hvcore"}' in expression
    assert names <= SERIES.keys()
    known = {label for name in names for label in SERIES[name].labels}
    assert labels <= known | {"le", "instance", *(() if names else ("job",))}


def test_every_metric_is_on_the_dashboard() -> None:
    shown = set(re.findall(r"\bhv_\w+", " ".join(expressions())))

    assert {SERIES[name].name for name in shown} == {metric.name for metric in METRICS}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_every_alert_has_a_section_that_says_what_to_do(
    rule: dict[str, object],
) -> None:
    name = rule["alert"]

    assert f"### {name}\n\n" in RUNBOOKS
    assert isinstance(rule["annotations"], dict)
    assert (
        rule["annotations"]["runbook"]
        == f"docs/how-to/monitoring.md#{str(name).lower()}"
    )


def test_no_section_is_of_an_alert_that_is_gone() -> None:
    sections = re.findall(r"^### (\w+)$", RUNBOOKS, re.MULTILINE)

    assert sections == [rule["alert"] for rule in RULES]


def test_names_have_the_units_of_prometheus() -> None:
    for metric in METRICS:
        assert re.fullmatch(r"hv_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter")
        assert not {"id", "org", "org_id", "video"} & set(metric.labels)
