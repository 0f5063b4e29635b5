"""Send a payload in the documented envelope."""

from collections.abc import Mapping

import falcon

from hvcore.wire.envelope import SUCCESS_TYPE, encode, success


def send(resp: falcon.Response, payload: Mapping[str, object]) -> None:
    """Answer 200 with a payload; caches may not keep it, because it may hold signed addresses."""
    resp.data = encode(success(payload))
    resp.content_type = SUCCESS_TYPE
    resp.set_header("Cache-Control", "no-store")
