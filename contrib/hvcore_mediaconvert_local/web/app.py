"""Answer HTTP requests: check signature and content, and carry out the operation."""

import logging
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable

import falcon

from hvcore_mediaconvert_local.errors import MediaConvertError, bad_request
from hvcore_mediaconvert_local.faults import FaultBook, apply_fault
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from hvcore_mediaconvert_local.web.control import add_control
from hvcore_mediaconvert_local.web.operations import (
    MAX_BODY_BYTES,
    ApiOperation,
    Handler,
    operations,
)
from hvcore_mediaconvert_local.web.signatures import SignatureCheck, SignedRequest

_log = logging.getLogger(__name__)


def make_app(
    service: LocalMediaConvert,
) -> "falcon.App[falcon.Request, falcon.Response]":
    """Return the WSGI app that answers the requests of MediaConvert's API."""
    app = falcon.App(middleware=[_RequestIds()])
    app.add_error_handler(Exception, _crashed)
    app.add_error_handler(falcon.HTTPError, _refused_by_falcon)
    app.add_error_handler(MediaConvertError, _refused)
    check = SignatureCheck(service.config.access_keys, now_s=time.time)
    by_path: dict[str, list[ApiOperation]] = defaultdict(list)
    for operation in operations(handlers_of(service)):
        by_path[operation.path].append(operation)
    for path, found in by_path.items():
        app.add_route(path, _Operations(found, check, service.faults))
    app.add_route("/health", _Health())
    if service.config.control:
        add_control(app, service)
    return app


def handlers_of(service: LocalMediaConvert) -> dict[str, Handler]:
    """Return the functions that carry out operations, by the operations' names."""
    jobs, queues, tags = service.jobs, service.queues, service.tags
    presets, templates = service.presets, service.templates
    return {
        "CancelJob": jobs.cancel,
        "CreateJob": jobs.create,
        "CreateJobTemplate": templates.create,
        "CreatePreset": presets.create,
        "CreateQueue": queues.create,
        "DeleteJobTemplate": templates.delete,
        "DeletePreset": presets.delete,
        "DeleteQueue": queues.delete,
        "GetJob": jobs.get,
        "GetJobTemplate": templates.get,
        "GetPreset": presets.get,
        "GetQueue": queues.get,
        "ListJobTemplates": templates.list,
        "ListJobs": jobs.list,
        "ListPresets": presets.list,
        "ListQueues": queues.list,
        "ListTagsForResource": tags.list,
        "Probe": service.inputs.probe,
        "SearchJobs": jobs.list,
        "TagResource": tags.tag,
        "UntagResource": tags.untag,
        "UpdateJobTemplate": templates.update,
        "UpdatePreset": presets.update,
        "UpdateQueue": queues.update,
    }


class _Operations:
    """Answer the requests for the operations at one path."""

    def __init__(
        self, found: Iterable[ApiOperation], check: SignatureCheck, faults: FaultBook
    ) -> None:
        self._by_method = {operation.method: operation for operation in found}
        self._check = check
        self._faults = faults

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        self._answer(req, resp, path)

    def on_post(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        self._answer(req, resp, path)

    def on_put(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        self._answer(req, resp, path)

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, **path: str
    ) -> None:
        self._answer(req, resp, path)

    def _answer(
        self, req: falcon.Request, resp: falcon.Response, path: dict[str, str]
    ) -> None:
        body = _body_of(req)
        self._check.check(_signed(req, body))
        operation = self._by_method.get(req.method)
        if operation is None:
            raise MediaConvertError(
                "UnknownOperationException", f"{req.path} takes no {req.method}"
            )
        fault = self._faults.answer_of(operation.name)
        if fault is not None and not fault.is_afterwards:
            apply_fault(fault)
        asked = operation.read(req, body, path)
        if operation.name == "DescribeEndpoints":
            answer = {"endpoints": [{"url": req.prefix}]}
        elif operation.handler is None:
            raise bad_request(f"hv-mediaconvert does not offer {operation.name}")
        else:
            answer = operation.handler(asked)
        if fault is not None and fault.is_afterwards:
            apply_fault(fault)
        resp.status = operation.status
        resp.media = answer


class _Health:
    """Answer ``/health``: the server is running."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        del req
        resp.media = {"status": "ok"}


class _RequestIds:
    """Give every request an id, and send the id in the answer."""

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        del resp
        req.context.request_id = str(uuid.uuid4())

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        resource: object,
        req_succeeded: bool,  # noqa: FBT001 - Falcon's
    ) -> None:
        del resource, req_succeeded
        resp.set_header("x-amzn-requestid", req.context.request_id)


def _body_of(req: falcon.Request) -> bytes:
    body: bytes = req.bounded_stream.read(MAX_BODY_BYTES + 1)
    if len(body) > MAX_BODY_BYTES:
        raise bad_request(f"The body has more than {MAX_BODY_BYTES} bytes")
    return body


def _signed(req: falcon.Request, body: bytes) -> SignedRequest:
    # gunicorn's: the path before it was decoded.
    path = str(req.env.get("RAW_URI", req.relative_uri))
    return SignedRequest(
        method=req.method,
        url=f"http://{req.get_header('host', default='localhost')}{path}",
        headers={name.lower(): value for name, value in req.headers.items()},
        body=body,
    )


def _answer_error(resp: falcon.Response, error: MediaConvertError) -> None:
    resp.status = error.status
    resp.set_header("x-amzn-errortype", error.kind)
    resp.media = {"message": error.message}


def _refused(
    req: falcon.Request, resp: falcon.Response, error: MediaConvertError, params: object
) -> None:
    del req, params
    _answer_error(resp, error)


def _refused_by_falcon(
    req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, params: object
) -> None:
    del params
    if error.status_code in {404, 405}:
        told = f"There is no operation {req.method} {req.path}"
        _answer_error(resp, MediaConvertError("UnknownOperationException", told))
    else:
        _answer_error(resp, bad_request(error.description or error.title or "Refused"))


def _crashed(
    req: falcon.Request, resp: falcon.Response, error: Exception, params: object
) -> None:
    del params
    request_id = req.context.request_id
    _log.error("a request crashed", exc_info=error, extra={"hv_request": request_id})
    told = f"hv-mediaconvert failed; its log says why, at request {request_id}"
    _answer_error(resp, MediaConvertError("InternalServerErrorException", told))
