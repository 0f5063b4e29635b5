"""
A client that trusts a certificate of tests.
"""

from hvcore.safe_http import (
    OutboundHttp,
)
from tests.support.network.outbound import (
    Certificates,
    Names,
)


def read(http: OutboundHttp, url: str, deadline_s: float = 10) -> bytes:
    with http.get(url, deadline_s=deadline_s) as download:
        return b"".join(download.blocks())


def tls_client(certificates: Certificates | None, *allowed: str) -> OutboundHttp:
    names = Names()
    for name in ("secure.test", "other.test"):
        names.set(name, ["127.0.0.1"])
    return OutboundHttp(
        allowed_hosts=allowed or ["secure.test", "other.test"],
        resolve=names,
        ca_file=None if certificates is None else certificates.ca_file,
    )
