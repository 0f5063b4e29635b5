"""
Filters of a list by another name: refused, with the right one.
"""

import pytest

from hvcore.errors import HvError, InvalidPageSizeError, InvalidParametersError
from hvcore.wire.parameter_names import read_list_query
from hvcore.wire.query import ListParameters
from hvcore.wire.webhooks.events import EventParameters


def refusal(cls: type, **parameters: str | list[str]) -> HvError:
    with pytest.raises(HvError) as caught:
        read_list_query(cls, parameters)
    return caught.value


@pytest.mark.parametrize(
    ("sent", "right"),
    [
        ("tags", "tag"),
        ("Tags", "tag"),
        ("tag[]", "tag"),
        ("TAG", "tag"),
        ("meta", "metadata"),
        ("metadata[order]", "metadata=order:4711"),
        ("meta[order]", "metadata=order:4711"),
        ("externalId", "externalID"),
        ("pagesize", "pageSize"),
        ("Page", "page"),
        ("From", "from"),
    ],
)
def test_a_filter_by_another_name_is_refused_with_the_right_one(
    sent: str, right: str
) -> None:
    error = refusal(ListParameters, **{sent: "x"})

    assert type(error) is InvalidParametersError
    assert error.http_status == 400
    (problem,) = error.errors
    assert problem.location == f"query.{sent}"
    assert problem.message.startswith(f"{sent} is no parameter of this request")
    assert right in problem.message
    assert problem.value == "x"


@pytest.mark.parametrize("name", ["page[size]", "tagged", "_", "", "utm_source", "id"])
def test_other_unknown_parameters_are_ignored(name: str) -> None:
    assert read_list_query(ListParameters, {name: "x"}) == ListParameters()
    assert read_list_query(EventParameters, {name: "x"}) == EventParameters()


def test_a_list_without_the_filter_ignores_its_other_names() -> None:
    assert read_list_query(EventParameters, {"tags": "x"}) == EventParameters()
    assert refusal(EventParameters, Limit="1").errors[0].location == "query.Limit"


def test_a_wrong_value_comes_before_a_wrong_name() -> None:
    error = refusal(
        ListParameters, tags=["a", "b"], pageSize="0", **{"metadata[a]": ""}
    )

    assert type(error) is InvalidPageSizeError
    assert [problem.location for problem in error.errors] == [
        "query.pageSize",
        "query.tags",
        "query.metadata[a]",
    ]


def test_one_name_is_told_of_however_many_mean_the_same() -> None:
    many = {f"metadata[{number}]": "x" for number in range(1000)}

    assert len(refusal(ListParameters, **many).errors) == 1
