"""
Rules that choose among several transcoders.
"""

import pytest

from hvcore.domain.processing.routes import JobFacts, first_that_holds, read_route


def facts(**known: object) -> JobFacts:
    return JobFacts(**{"size_bytes": 10**9, "waiting_s": lambda: 600.0, **known})  # type: ignore[arg-type]  # a test's own


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("cloud if duration > 60 min", True),
        ("cloud if duration > 2h", False),
        ("cloud if size > 900 MB", True),
        ("cloud if size > 1 GiB", False),
        ("cloud if edge > 1440 px", True),
        ("cloud if edge > 2160", False),
        ("cloud if hdr", True),
        ("cloud if waiting > 9.5 min", True),
        ("cloud if waiting > 10 min", False),
        ("cloud if hdr and duration > 60 min", True),
        ("cloud if hdr and duration > 3 h", False),
    ],
)
def test_a_rule_is_true_above_its_limits(rule: str, *, holds: bool) -> None:
    known = facts(duration_s=7200.0, edge_px=2160, is_hdr=True)

    assert read_route(rule).holds(known) is holds


def test_a_rule_may_stand_between_spaces_and_on_a_line_of_its_own() -> None:
    assert read_route(" cloud if hdr\n") == read_route("cloud if hdr")


@pytest.mark.parametrize(
    "text",
    [
        "cloud",
        "cloud if",
        "Cloud if hdr",
        "cloud if duration",
        "cloud if duration > 60",
        "cloud if duration < 60 min",
        "cloud if colour > 3",
        "cloud if size > 5 min",
        "cloud if hdr or hdr",
        "cloud if hdr > 1",
    ],
)
def test_a_malformed_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"rule|condition|units"):
        read_route(text)


def test_the_first_rule_that_is_true_chooses() -> None:
    routes = [read_route("one if hdr"), read_route("two if size > 1 MB")]
    known = facts(duration_s=10.0, edge_px=720, is_hdr=False)

    route, is_certain = first_that_holds(routes, known)

    assert route is not None
    assert (route.transcoder, is_certain) == ("two", True)
    assert route.reason == "size > 1 MB"


def test_a_rule_of_what_is_not_known_keeps_later_ones_from_choosing() -> None:
    routes = [read_route("one if hdr"), read_route("two if size > 1 MB")]

    assert first_that_holds(routes, facts()) == (None, False)


def test_known_facts_suffice_where_no_other_fact_could_change_the_route() -> None:
    routes = [
        read_route("one if hdr and size > 5 GB"),
        read_route("two if size > 1 MB"),
    ]

    route, is_certain = first_that_holds(routes, facts())

    assert route is routes[1]
    assert is_certain


def test_waiting_work_is_asked_for_only_by_rules_that_need_it() -> None:
    def ask() -> float:
        raise AssertionError

    routes = [read_route("one if size > 5 GB and waiting > 1 min")]

    assert first_that_holds(routes, facts(waiting_s=ask)) == (None, True)
