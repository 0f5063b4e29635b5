"""Send the payload of an API answer as JSON, under ``body`` of the documented envelope."""

from collections.abc import Mapping

import falcon

from hvcore.wire.envelope import SUCCESS_TYPE, encode, success


def send(resp: falcon.Response, payload: Mapping[str, object]) -> None:
    """Answer 200 with the payload under ``body`` of the JSON envelope, and forbid caches to keep it."""
    resp.data = encode(success(payload))
    resp.content_type = SUCCESS_TYPE
    resp.set_header("Cache-Control", "no-store")
