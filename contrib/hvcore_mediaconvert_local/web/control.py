"""Answer control requests (``--control``), by which tests move the clock and order errors."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import falcon

from hvcore_mediaconvert_local.errors import bad_request
from hvcore_mediaconvert_local.faults import answer_fault_of, fault_of, times_of
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from hvcore_mediaconvert_local.wire import JsonObject

MAX_BODY_BYTES: Final = 64 * 1024
_MOST_ADVANCE_S: Final = 10 * 366 * 24 * 3600


def add_control(
    app: "falcon.App[falcon.Request, falcon.Response]", service: LocalMediaConvert
) -> None:
    """Add the routes of control requests, below ``/_local``, to the app."""
    app.add_route("/_local/clock", _Order(service, _advance))
    app.add_route("/_local/answers", _Order(service, _order_answers))
    app.add_route("/_local/jobs", _Order(service, _order_jobs))
    app.add_route("/_local/forget", _Order(service, _forget))


class _Order:
    """Answer one kind of control request."""

    def __init__(
        self,
        service: LocalMediaConvert,
        carry_out: Callable[[LocalMediaConvert, Mapping[str, Any]], JsonObject],
    ) -> None:
        self._service = service
        self._carry_out = carry_out

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        # A page in a browser cannot send this type without asking first.
        if (req.content_type or "").partition(";")[0] != "application/json":
            raise bad_request("Content-Type must be application/json")
        try:
            found = json.loads(req.bounded_stream.read(MAX_BODY_BYTES) or b"{}")
        except (ValueError, RecursionError):
            raise bad_request("The body is not JSON") from None
        if not isinstance(found, dict):
            raise bad_request("The body is not a JSON object")
        resp.media = self._carry_out(self._service, found)


def _advance(service: LocalMediaConvert, found: Mapping[str, Any]) -> JsonObject:
    by_s = found.get("advance-seconds")
    if not isinstance(by_s, int | float) or not 0 <= by_s <= _MOST_ADVANCE_S:
        raise bad_request("advance-seconds must be a number that is not negative")
    service.clock.advance(by_s)
    return {"now": service.clock.now_s()}


def _order_answers(service: LocalMediaConvert, found: Mapping[str, Any]) -> JsonObject:
    service.faults.order_answers(answer_fault_of(found))
    return {}


def _order_jobs(service: LocalMediaConvert, found: Mapping[str, Any]) -> JsonObject:
    wanted = {name: value for name, value in found.items() if name != "times"}
    service.faults.order_jobs(fault_of(wanted), times_of(found))
    return {}


def _forget(service: LocalMediaConvert, found: Mapping[str, Any]) -> JsonObject:
    del found
    service.faults.forget()
    return {}
