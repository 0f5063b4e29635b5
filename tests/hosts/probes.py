"""
What the hosts in front answer while something fails, and how long that takes.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final

import attrs

from tests.hosts.clients import Client
from tests.hosts.fleet import API_PORT, Fleet
from tests.hosts.network import Host
from tests.support.live import Answer, request, until

ANSWERS_WITHIN_S: Final = 5.0
RECOVERS_WITHIN_S: Final = 90.0
"""After the end of a blow; the longest pause of what connects anew is 10 s."""
ASKS: Final = 3
NEEDED: Final = frozenset({"database", "store"})
"""Without them no request is answered as it should be."""
FILM: Final = {"fileName": "a.mp4", "contentType": "video/mp4"}


@attrs.frozen(kw_only=True)
class Told:
    """
    An answer of a host.

    Attributes:
        status: 0 if none has come.
        detail: The sentence of a problem; empty for other answers.
    """

    host: str
    what: str
    status: int
    took_s: float
    checks: Mapping[str, str] = attrs.field(factory=dict)
    detail: str = ""


@attrs.frozen(kw_only=True)
class Probes:
    """
    Asks everything of each host.

    Attributes:
        video: A public one that can be watched; empty if there is none yet.
    """

    client: Client
    video: str

    @property
    def fleet(self) -> Fleet:
        """
        The hosts that are asked.
        """
        return self.client.fleet

    def ask(self, hosts: Sequence[Host]) -> list[Told]:
        """
        Ask all hosts at the same time.
        """
        asks = [
            (host.name, what, send)
            for host in hosts
            for what, send in self._asks(host).items()
        ]
        with ThreadPoolExecutor(len(asks)) as threads:
            return list(threads.map(lambda one: _told(*one), asks))

    def untruths(
        self, hosts: Sequence[Host], silent: str, *, full: str = ""
    ) -> tuple[list[str], list[Told]]:
        """
        Return the claims of hosts that are wrong or late, and all claims.

        Where other work keeps the machine busy, the store may need seconds for an answer.
        So what was wrong once is asked for again.

        Args:
            silent: The host that does not answer them; empty if there is none.
            full: The host whose disk is full; empty if there is none.
        """
        for _ in range(ASKS):
            told = self.ask(hosts)
            found = untruths(told, silent, full)
            if not found:
                break
        return found, told

    def fronts(self) -> list[Host]:
        """
        Return the hosts that callers reach.
        """
        return [*self.fleet.api_hosts, *self.fleet.delivery_hosts]

    def tell_no_room(self, hosts: Sequence[Host]) -> bool:
        """Return whether hosts that still answer say that there is no room to write."""
        healths = (
            [one for one in self.ask(hosts) if one.what == "health"] if hosts else []
        )
        return all(
            one.status == 200 and "no room" in one.checks["disk"] for one in healths
        )

    def wait_whole(self) -> float:
        """
        Wait until all hosts say that they are well; return how long that took.
        """
        began_s = time.monotonic()
        worst: list[Told] = []

        def are_well() -> bool:
            worst[:] = [
                one
                for one in self.ask(self.fronts())
                if one.status != 200 or set(one.checks.values()) - {"ok"}
            ]
            return not worst

        try:
            until(are_well, within_s=RECOVERS_WITHIN_S, what="a whole service")
        except TimeoutError as error:
            raise AssertionError(f"not well again: {worst}") from error
        return time.monotonic() - began_s

    def _asks(self, host: Host) -> dict[str, Callable[[], Answer]]:
        client, video = self.client, self.video
        if host in self.fleet.api_hosts:
            root = f"http://{host.address}:{API_PORT}"
            return {
                "live": lambda: request("GET", f"{root}/health/live"),
                "ready": lambda: request("GET", f"{root}/health/ready"),
                "health": lambda: request("GET", f"{root}/health"),
                "list": lambda: client.call("GET", "/v1/videos", host=host),
                "grant": lambda: client.call(
                    "POST", "/v1/videos/upload-url", FILM, host=host
                ),
            }
        root = f"http://{host.address}:{self.fleet.delivery_port}"
        asks = {
            "live": lambda: request("GET", f"{root}/health/live"),
            "ready": lambda: request("GET", f"{root}/health/ready"),
            "health": lambda: request("GET", f"{root}/health"),
        }
        if self.fleet.has_edges:
            # Through nginx, which knows all hosts of the API.
            asks["list"] = lambda: client.call("GET", "/v1/videos", host=host)
        if video:
            asks["playlist"] = lambda: client.get(client.public_url(video), host=host)
        return asks


def _told(host: str, what: str, send: Callable[[], Answer]) -> Told:
    began_s, status, checks, detail = time.monotonic(), 0, {}, ""
    try:
        answer = send()
        status = answer.status
        if what == "health":
            checks = dict(_checks(answer.json))
        elif what == "grant" and status == HTTPStatus.SERVICE_UNAVAILABLE:
            detail = str(answer.json["detail"])
    except OSError:
        pass
    took_s = time.monotonic() - began_s
    return Told(
        host=host,
        what=what,
        status=status,
        took_s=took_s,
        checks=checks,
        detail=detail,
    )


def _checks(document: Any) -> Mapping[str, str]:  # noqa: ANN401 - JSON
    found: Mapping[str, str] = document["body"]["checks"]
    return found


def untruths(told: Sequence[Told], silent: str, full: str) -> list[str]:
    """
    Return the claims of hosts that are wrong or late.

    Args:
        silent: The host that does not answer them.
        full: The host whose disk is full.
    """
    faults = [
        f"{one.host} took {one.took_s:.1f} s for {one.what} ({one.status})"
        for one in told
        if one.took_s > ANSWERS_WITHIN_S
    ]
    for one in told:
        wanted = _expected(one, silent)
        # A database without room takes no upload, and says so.
        is_no_room = full == "database" and "no room" in one.detail
        if one.status not in wanted and not is_no_room:
            faults.append(
                f"{one.host}: {one.what} is {one.status}, not {wanted} {one.detail}"
            )
        if one.what == "health":
            faults += _untrue_checks(one, silent)
    return faults


def _expected(one: Told, silent: str) -> set[int]:
    if one.what == "live":
        return {200}
    if one.what == "health":
        return {503} if silent in NEEDED else {200}
    if one.what == "ready":
        # Lists and details need no store.
        is_api = one.host.startswith("api")
        return {503} if silent in (NEEDED - {"store"} if is_api else NEEDED) else {200}
    if silent == "database":
        # What a process was told a moment ago, it may still know.
        return {200, 503}
    if silent == "store" and one.what == "playlist":
        return {200, 503}
    return {200}


def _untrue_checks(one: Told, silent: str) -> list[str]:
    of_hosts = {"database": "database", "store": "storage", "valkey": "queue"}
    # Of disks it is asked elsewhere: they are tried every 30 s, nginx's when it is asked.
    said = {k: text for k, text in one.checks.items() if k not in {"disk", "edge"}}
    wrong = {name for name, text in said.items() if text != "ok"}
    # Delivery does not ask the queue.
    expected = {of_hosts[silent]} & {*one.checks} if silent in of_hosts else set()
    if silent == "database":
        expected.add("clock")
    if wrong == expected:
        return []
    return [f"{one.host} says of its checks {one.checks}, while {silent} is silent"]
