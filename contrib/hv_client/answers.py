"""
What an answer says: a value, or why there is none.
"""

import json
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, TypeVar, cast

from hv_client.coding import NotDecodableError, decode, with_entity_tag
from hv_client.errors import Refusal, UnexpectedAnswerError, error_of
from hv_client.generated.models import Problem, ProblemPart
from hv_client.operation import Operation
from hv_client.retries import moment_of, retry_after_s
from hv_client.steps import Answer, Request

T = TypeVar("T")

_MESSAGE: Final = re.compile(rb"<Message>([^<]{1,200})")


def success_of(request: Request, answer: Answer) -> Answer:
    """
    Return an answer that is a success.

    Raises:
        ApiError: It is none.
    """
    if answer.is_success:
        return answer
    headers = answer.headers
    code, detail, problems = _problem_of(answer)
    raise error_of(
        Refusal(
            request=str(request),
            status=answer.status,
            code=code,
            detail=detail,
            problems=problems,
            request_id=headers.get("x-request-id"),
            retry_after_s=retry_after_s(headers.get("retry-after")),
            is_replayed=headers.get("idempotency-replayed") == "true",
            answered_at=moment_of(headers.get("date")),
        )
    )


def value_of(operation: Operation[T], request: Request, answer: Answer) -> T:
    """
    Make what a call returns of its answer.

    Raises:
        UnexpectedAnswerError: It is not what this operation answers.
    """
    if operation.answer is None:
        return cast("T", None)
    content_type = answer.headers.get("content-type", "")
    if not content_type.startswith("application/json"):
        if content_type.startswith(("text/csv", "application/x-ndjson")):
            return cast("T", answer.content.decode())
        raise UnexpectedAnswerError(f"{request}: this is not an answer of the API.")
    try:
        value = json.loads(answer.content)
        made = decode(
            operation.answer, value["body"] if operation.is_enveloped else value
        )
    except (ValueError, KeyError, TypeError) as exc:
        why = str(exc) if isinstance(exc, NotDecodableError) else "it has another form"
        raise UnexpectedAnswerError(
            f"{request}: this is not an answer of the API: {why}"
        ) from exc
    return with_entity_tag(made, answer.headers.get("etag"))


def _problem_of(answer: Answer) -> tuple[str, str, Sequence[ProblemPart]]:
    try:
        problem = decode(Problem, json.loads(answer.content))
    except (ValueError, RecursionError):
        return "", _words_of(answer), ()
    return problem.code, problem.detail, problem.errors


def _words_of(answer: Answer) -> str:
    """
    Return what an object store says; of other pages nothing, which may be long.
    """
    found = _MESSAGE.search(answer.content)
    if found:
        return found[1].decode(errors="replace")
    try:
        return HTTPStatus(answer.status).phrase
    except ValueError:
        return ""
