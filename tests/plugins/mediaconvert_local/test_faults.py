"""
Faults that tests order, for answers and for jobs.
"""

from collections.abc import Mapping

import pytest

from hvcore_mediaconvert_local.errors import MediaConvertError
from hvcore_mediaconvert_local.faults import (
    AnswerFault,
    FaultBook,
    answer_fault_of,
    apply_fault,
    times_of,
)
from hvcore_mediaconvert_local.jobs import OrderedFault


def test_an_answer_has_its_fault_as_often_as_ordered() -> None:
    book = FaultBook()
    book.order_answers(AnswerFault(operation="GetJob", times=2))
    book.order_answers(AnswerFault(operation="*", error="NotFoundException"))

    kinds = ["GetJob", "ListJobs", "GetJob", "GetJob"]
    found = [book.answer_of(kind) for kind in kinds]

    assert [fault and fault.operation for fault in found] == [
        *("GetJob", "*", "GetJob", None)
    ]
    book.order_answers(AnswerFault(operation="*"))
    book.order_jobs(OrderedFault(error_code=1010), 1)
    book.forget()
    assert book.answer_of("GetJob") is None
    assert book.for_job({}) == OrderedFault()


def test_a_job_has_the_fault_of_its_metadata_or_the_next_ordered_one() -> None:
    book = FaultBook()
    book.order_jobs(OrderedFault(error_code=1010), 2)
    own = {"hv-delay-seconds": "5", "hv-error-message": "m", "other": "x"}

    found = [book.for_job(one) for one in (own, {"other": "x"}, {}, {})]

    assert found == [
        OrderedFault(delay_s=5.0, error_message="m"),
        *[OrderedFault(error_code=1010)] * 2,
        OrderedFault(),
    ]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"hv-delay": "5"}, "hv-delay orders nothing"),
        ({"hv-error-code": "1"}, "error-code 1 is none of"),
        ({"hv-error-code": "x"}, "must be a number"),
        ({"hv-delay-seconds": None}, "must be a number"),
        ({"hv-delay-seconds": "-1"}, "from 0 to"),
        ({"hv-delay-seconds": str(7 * 24 * 3600 + 1)}, "from 0 to"),
        ({"hv-error-at-percent": "101"}, "from 0 to 100"),
        ({"hv-delay-seconds": "nan"}, "from 0 to"),
    ],
)
def test_a_fault_that_there_is_not_is_refused(
    metadata: Mapping[str, str], said: str
) -> None:
    with pytest.raises(MediaConvertError, match=said) as refused:
        FaultBook().for_job(metadata)
    assert refused.value.status == 400


def test_faults_may_be_as_large_as_their_limits() -> None:
    longest = {"hv-delay-seconds": str(7 * 24 * 3600), "hv-error-at-percent": "100"}

    found = FaultBook().for_job(longest)
    answer = answer_fault_of({"delay-seconds": 60, "times": 1000, "afterwards": True})

    assert (found.delay_s, found.at_percent) == (604_800, 100)
    assert (answer.delay_s, answer.times, answer.operation) == (60, 1000, "*")
    assert (answer.is_afterwards, answer_fault_of({}).is_afterwards) == (True, False)
    assert [times_of({}), times_of({"times": 1})] == [1, 1]
    for name, value in (("times", 0), ("times", 1001), ("delay-seconds", 61)):
        with pytest.raises(MediaConvertError, match=f"{name} must be"):
            answer_fault_of({name: value})
    with pytest.raises(MediaConvertError, match="error must be one of"):
        answer_fault_of({"error": "x"})


def test_an_ordered_error_is_raised_as_it_was_ordered() -> None:
    apply_fault(AnswerFault(operation="*"))
    fault = answer_fault_of({"error": "ConflictException", "message": "m"})

    with pytest.raises(MediaConvertError, match=r"^m$") as raised:
        apply_fault(fault)
    assert (raised.value.kind, raised.value.status) == ("ConflictException", 409)
