"""
A call of an operation, from arguments to a value.
"""

from collections.abc import Mapping
from typing import TypeVar

from hv_client.answers import success_of, value_of
from hv_client.operation import Operation
from hv_client.options import ClientOptions
from hv_client.retries import answered
from hv_client.steps import Steps

T = TypeVar("T")


def called(
    options: ClientOptions, operation: Operation[T], arguments: Mapping[str, object]
) -> Steps[T]:
    """
    Send the request of a call, perhaps several times, and read its answer.

    Raises:
        ApiError: It was refused.
        UnreachableError: There is no answer.
        UnexpectedAnswerError: The answer is not one of the API.
        ValueError: An argument cannot be sent.
    """
    request = operation.request(options, arguments)
    answer = yield from answered(request, options.retries, success_of)
    return value_of(operation, request, answer)
