"""
Requests, as programs send them.
"""

import json
from collections.abc import Callable

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
)
from tests.support.live import Answer, request

JOBS = "/2017-08-29/jobs"


def signed(
    server: LocalServer,
    method: str,
    path: str,
    body: object = None,
    *,
    tamper: Callable[[AWSRequest], object] = lambda _: None,
) -> Answer:
    """
    Send a request with a signature, past boto3.
    """
    data = b"" if body is None else json.dumps(body).encode()
    made = AWSRequest(method=method, url=server.address + path, data=data)
    signer = SigV4Auth(
        Credentials(ACCESS_KEY, ACCESS_SECRET), "mediaconvert", "us-east-1"
    )
    signer.add_auth(made)
    tamper(made)
    return request(method, made.url, data=made.data, headers=dict(made.headers))
