"""Read the value of a call, or the error in its place, from an answer of the API."""

import json
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, TypeVar, cast

from hvcore_client.coding import NotDecodableError, decode, with_entity_tag
from hvcore_client.errors import Refusal, UnexpectedAnswerError, error_of
from hvcore_client.generated.models import Problem, ProblemPart
from hvcore_client.operation import ANY_TYPE, Operation
from hvcore_client.retries import moment_of, retry_after_s
from hvcore_client.steps import Answer, Request

T = TypeVar("T")

_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = frozenset(
    {
        *("text/csv", "application/x-ndjson"),
        *("text/plain", "text/vtt", "application/x-subrip"),
    }
)
_MESSAGE: Final = re.compile(rb"<Message>([^<]{1,200})")


def success_of(request: Request, answer: Answer) -> Answer:
    """
    Return an answer unchanged if it is a success of the API; raise its error otherwise.

    Raises:
        ApiError: The answer has an error status.
        UnexpectedAnswerError: The answer is a web page, as of a proxy that asks people
            to sign in; the request was not carried out.
    """
    if answer.is_success:
        if answer.content and _type_of(answer) in _PAGES:
            raise UnexpectedAnswerError(
                f"{request}: a page for browsers came in the place of an answer; "
                "something between here and the service answers for it."
            )
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
    Return the value of a call, made from the service's answer.

    Raises:
        UnexpectedAnswerError: The answer does not fit the operation.
    """
    not_ours = f"{request}: this is not an answer of the API"
    if operation.answer is None:
        if answer.status != HTTPStatus.NO_CONTENT:
            raise UnexpectedAnswerError(f"{not_ours}.")
        return cast("T", None)
    content_type = _type_of(answer)
    if content_type in _TEXTS and request.headers.get("Accept") == ANY_TYPE:
        return cast("T", answer.content.decode(errors="replace"))
    if content_type != "application/json":
        raise UnexpectedAnswerError(f"{not_ours}.")
    try:
        value = json.loads(answer.content)
        made = decode(
            operation.answer, value["body"] if operation.is_enveloped else value
        )
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        why = str(exc) if isinstance(exc, NotDecodableError) else "it has another form"
        raise UnexpectedAnswerError(f"{not_ours}: {why}") from exc
    return with_entity_tag(made, answer.headers.get("etag"))


def _type_of(answer: Answer) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _problem_of(answer: Answer) -> tuple[str, str, Sequence[ProblemPart]]:
    try:
        problem = decode(Problem, json.loads(answer.content))
    except (ValueError, RecursionError):
        return "", _words_of(answer), ()
    return problem.code, problem.detail, problem.errors


def _words_of(answer: Answer) -> str:
    """Return the message in an object store's answer, or else the words of its status."""
    found = _MESSAGE.search(answer.content)
    if found:
        return found[1].decode(errors="replace")
    try:
        return HTTPStatus(answer.status).phrase
    except ValueError:
        return ""
