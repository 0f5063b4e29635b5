"""Carry out a call of an operation, from its arguments to its value."""

from collections.abc import Mapping
from typing import TypeVar, cast

from hvcore_client.answers import success_of, value_of
from hvcore_client.errors import ApiError, HvClientError
from hvcore_client.lost_answers import question_after
from hvcore_client.operation import Operation
from hvcore_client.options import ClientOptions
from hvcore_client.retries import answered
from hvcore_client.steps import Steps

T = TypeVar("T")


def called(
    options: ClientOptions, operation: Operation[T], arguments: Mapping[str, object]
) -> Steps[T]:
    """
    Send the request of a call, several times if need be, and return the value of its answer.

    If an answer was lost and the service refuses the repetition because the call is
    done already, the present state is fetched from the service and returned.

    Raises:
        ApiError: The service refused the call.
        UnreachableError: The service did not answer.
        UnexpectedAnswerError: The answer does not come from the API.
        ValueError: An argument cannot be sent.
    """
    request = operation.request(options, arguments)
    try:
        answer = yield from answered(request, options.retries, success_of)
    except ApiError as error:
        found = yield from _found_done(options, operation, arguments, error)
        if found is None:
            raise
        return found
    return value_of(operation, request, answer)


def _found_done(
    options: ClientOptions,
    operation: Operation[T],
    arguments: Mapping[str, object],
    error: ApiError,
) -> Steps[T | None]:
    """Return the result of a refused call if an earlier try has done it, whose answer was lost; else None."""
    question = question_after(operation, error)
    if question is None:
        return None
    if question.operation is None:
        return cast("T | None", question.found(error, arguments))
    try:
        state = yield from called(options, question.operation, arguments)
    except HvClientError:
        return None
    return cast("T | None", question.found(state, arguments))
