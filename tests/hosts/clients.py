"""
Clients of a service on several hosts: a name leads to one host after the other.
"""

import itertools
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import attrs

from tests.hosts.fleet import ENV, ORG, Fleet
from tests.hosts.network import Host
from tests.support.live import Answer
from tests.torture.customers import ASK_TIMEOUT_S, Clips, Customer, Ledger

PATIENT_S: Final = 60.0
"""For who is not repeated; of a machine that others keep busy, too."""


class Doors:
    """
    What a resolver and a client do with names of several addresses.
    """

    def __init__(self, fleet: Fleet) -> None:
        apis = fleet.api_hosts + (fleet.delivery_hosts if fleet.has_edges else [])
        self._turns: dict[str, Iterator[str]] = {
            "api.test": itertools.cycle([host.address for host in apis]),
            "video.test": itertools.cycle(
                [host.address for host in fleet.delivery_hosts]
            ),
        }
        self._lock = threading.Lock()

    def address_of(self, name: str) -> str:
        """
        Return the next address of a name.
        """
        with self._lock:
            turns = self._turns.get(name)
            return next(turns) if turns is not None else name


def ask(  # noqa: PLR0913 - the parts of a request
    method: str,
    url: str,
    *,
    address: str,
    data: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = ASK_TIMEOUT_S,
) -> Answer:
    """
    Send a request to one of the hosts of its address.
    """
    parts = urlsplit(url)
    there = urlunsplit(parts._replace(netloc=f"{address}:{parts.port}"))
    sent = {**(headers or {}), "Host": parts.netloc}
    wanted = urllib.request.Request(there, data=data, headers=sent, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(wanted, timeout=timeout_s) as got:  # noqa: S310
            return Answer(status=got.status, headers=dict(got.headers), data=got.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(
                status=error.code, headers=dict(error.headers), data=error.read()
            )


@attrs.frozen(kw_only=True)
class Client:
    """
    A program with a key, and a viewer.
    """

    fleet: Fleet
    doors: Doors

    @property
    def api(self) -> str:
        """
        The API's root address.
        """
        return self.fleet.own["HV_PUBLIC__API_URL"]

    @property
    def key(self) -> str:
        """
        The key of the environment ``live``.
        """
        return self.fleet.key

    def public_url(self, video_id: str, file: str = "master.m3u8") -> str:
        """
        Return an address on the public path.
        """
        root = self.fleet.own["HV_PUBLIC__WORKER_URL"]
        return f"{root}/v1/public/{ORG}/{ENV}/{video_id}/{file}"

    def get(self, url: str, *, host: Host | None = None, **headers: str) -> Answer:
        """
        Ask for something with an address of its own, at one host or at the next.
        """
        return self.send("GET", url, host=host, **headers)

    def send(
        self,
        method: str,
        url: str,
        data: bytes | None = None,
        *,
        host: Host | None = None,
        **headers: str,
    ) -> Answer:
        """
        Send a request to one host, or to the next.
        """
        named = self.doors.address_of(str(urlsplit(url).hostname))
        address = host.address if host is not None else named
        written = {name.replace("_", "-"): text for name, text in headers.items()}
        return ask(
            *(method, url),
            address=address,
            data=data,
            headers=written,
            timeout_s=PATIENT_S,
        )

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        host: Host | None = None,
        **headers: str,
    ) -> Answer:
        """
        Call the API with the key.
        """
        data = None if body is None else json.dumps(body).encode()
        sent = {"X_Api_Key": self.key, **headers}
        if data is not None:
            sent["Content_Type"] = "application/json"
        return self.send(method, self.api + path, data, host=host, **sent)

    def body(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """
        Call the API, and return what a good answer says.
        """
        answer = self.call(method, path, body)
        if answer.status not in {200, 201}:
            raise AssertionError(f"{method} {path}: {answer.status} {answer.data!r}")
        return answer.json["body"]


class CustomerOfHosts(Customer):
    """
    A client that goes on whatever happens, through all hosts in turn.
    """

    def __init__(
        self, client: Client, clips: Clips, ledger: Ledger, *, seed: int, web: str
    ) -> None:
        super().__init__(client, clips, ledger, seed=seed, web=web)
        self._doors = client.doors

    def _host_of(self, name: str) -> str:
        return self._doors.address_of(name)

    def _request(
        self,
        method: str,
        url: str,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        content_type: str = "",
    ) -> Answer:
        sent = dict(headers or {})
        if data is not None:
            sent["Content-Type"] = content_type
        address = self._host_of(str(urlsplit(url).hostname))
        return ask(method, url, address=address, data=data, headers=sent)
