"""
Files that go straight to the object store, beside a client that needs no service.

Both send the same files, a hundred at a time, with the same connections to the same Swift
(one process, which checks signatures). The bare client has the store's key and signs
each address itself, with boto3. The others ask ``hv api`` for each address over HTTP,
and know no key: one right before it sends, while others are sending, the other one
before its round begins, as a page does with files that wait for their turn. Rounds
follow each other in turned order, and each set of them gives ratios.

Service, store and client share the processors. Where these are all busy, what an
address costs the service is missing to the store, which it is not if the store has a
machine of its own; so the processor time of each is printed.

No file is processed: taking files in is the workers' business, whenever it is done.

Run: ``python -m tests.benchmarks.direct_uploads [--quick] [--rounds N] [--senders N]
[--each N] [--kilobytes N]``; it needs a Valkey or Redis, and memory for the files of a
round.
"""

import argparse
import json
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import psutil
import urllib3

from hvcore.domain.access.keys import KeyType
from hvcore.services.access.keys import KeyWanted
from tests.benchmarks.api.data import Filled
from tests.benchmarks.api.run import serving
from tests.benchmarks.delivery.data import environ_of
from tests.support.live import request, until
from tests.support.servers import redis_server
from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    swift_client,
    swift_server,
)
from tests.support.stores.published import ENV, ORG, migrate, new_tenant, services_of

GOAL: Final = 0.95
"""Of the bare client's files per second, at least."""
BARE, OURS, BEFORE = "signs itself", "asks the service", "has asked before"
TYPE: Final = "video/mp4"
VALID_S: Final = 3600
Sender = Callable[[int], None]
"""Sends the file with a number."""
DELETED_AT_ONCE: Final = 1000
STARTS_WITHIN_S: Final = 60


@attrs.frozen(kw_only=True)
class Round:
    """
    How one went.

    Attributes:
        per_s: Files.
        cpu_ms: Processor time for each file: of the store, the client, the service.
    """

    per_s: float
    cpu_ms: Sequence[float]


@attrs.frozen(kw_only=True)
class Bench:
    """
    The store, the service and what is sent.

    Attributes:
        ask_url: Where the service gives addresses.
        senders: How many files are sent at a time.
        each: How many one after another, on the average.
        http: Has as many connections as there are senders.
    """

    endpoint: str
    bucket: str
    ask_url: str
    key: str = attrs.field(repr=False)
    data: bytes = attrs.field(repr=False)
    senders: int
    each: int
    store: psutil.Process
    api: psutil.Process
    http: urllib3.PoolManager

    def bare(self) -> Sender:
        """
        Return what sends one file to an address that it signs itself.
        """
        signer = swift_client(self.endpoint)

        def send(number: int) -> None:
            url = signer.generate_presigned_url(
                "put_object",
                Params={
                    "Bucket": self.bucket,
                    "Key": f"bare/{number}-{secrets.token_hex(8)}",
                    "ContentType": TYPE,
                    "ContentLength": len(self.data),
                },
                ExpiresIn=VALID_S,
            )
            self._put(url)

        return send

    def ours(self) -> Sender:
        """
        Return what asks the service for an address and sends one file to it.
        """
        ask = self._asking()
        return lambda number: self._put(ask(number))

    def before(self) -> Sender:
        """
        Return what sends one file to an address that was asked for by now.
        """
        with ThreadPoolExecutor(self.senders) as threads:
            urls = list(threads.map(self._asking(), range(self.senders * self.each)))
        return lambda number: self._put(urls[number])

    def _asking(self) -> Callable[[int], str]:
        headers = {
            "X-Api-Key": self.key,
            "Content-Type": "application/json",
        }
        wanted = {"contentType": TYPE, "fileSize": len(self.data)}

        def ask(number: int) -> str:
            body = json.dumps({**wanted, "filename": f"{number}.mp4"})
            answer = self.http.request("POST", self.ask_url, body=body, headers=headers)
            granted = answer.json()
            if answer.status != 200 or not granted["body"]["direct"]:
                raise SystemExit(f"no address of the store: {answer.status} {granted}")
            return str(granted["body"]["signedURL"])

        return ask

    def round(self, send: Sender) -> Round:
        """
        Send all files of a round and remove them.
        """
        count = self.senders * self.each
        with ThreadPoolExecutor(self.senders) as threads:
            # Their start is nobody's.
            list(threads.map(lambda _: time.sleep(0.01), range(self.senders)))
            before_s = self._cpu_s()
            began_at = time.perf_counter()
            list(threads.map(send, range(count)))
            taken_s = time.perf_counter() - began_at
            cpu_s = [
                now - then for now, then in zip(self._cpu_s(), before_s, strict=True)
            ]
        self._empty()
        return Round(
            per_s=count / taken_s, cpu_ms=[1000 * one / count for one in cpu_s]
        )

    def _cpu_s(self) -> Sequence[float]:
        return [_busy_s(self.store), time.process_time(), _busy_s(self.api)]

    def _put(self, url: str) -> None:
        answer = self.http.request(
            "PUT", url, body=self.data, headers={"Content-Type": TYPE}
        )
        if answer.status != 200:
            raise SystemExit(f"the store refused a file: {answer.status}")

    def _empty(self) -> None:
        client = swift_client(self.endpoint)
        while found := client.list_objects_v2(Bucket=self.bucket).get("Contents"):
            names = [{"Key": one["Key"]} for one in found[:DELETED_AT_ONCE]]
            client.delete_objects(Bucket=self.bucket, Delete={"Objects": names})


def report(found: Mapping[str, Sequence[Round]], bench: Bench) -> None:
    """
    Print medians, and the ratio round by round.
    """
    print(f"\nfiles of {len(bench.data) // 1000} kB, {bench.senders} at a time")
    print(f"{'':18}{'files/s':>9}   CPU ms a file: store, client, service")
    for name, rounds in found.items():
        per_s = statistics.median(one.per_s for one in rounds)
        cpu_ms = [
            statistics.median(of_one)
            for of_one in zip(*(one.cpu_ms for one in rounds), strict=True)
        ]
        print(f"{name:18}{per_s:9.1f}   {'  '.join(f'{ms:.1f}' for ms in cpu_ms)}")
    for name in (OURS, BEFORE):
        ratios = sorted(
            ours.per_s / bare.per_s
            for bare, ours in zip(found[BARE], found[name], strict=True)
        )
        print(
            f"{name}: {statistics.median(ratios):.3f} of {BARE} "
            f"({ratios[0]:.3f} to {ratios[-1]:.3f})   goal: {GOAL}",
            flush=True,
        )


def set_up(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> Bench:
    """
    Start a store and a service whose callers send their files to it.
    """
    endpoint = stack.enter_context(swift_server())
    bucket = new_swift_bucket(endpoint)
    redis = stack.enter_context(redis_server())
    environ = {
        **environ_of(folder / "data", database="", redis=redis.url),
        **environ_of_swift(endpoint, bucket),
        "HV_UPLOADS__DIRECT": "auto",
    }
    migrate(environ)
    with services_of(environ) as services:
        new_tenant(services)
        key = services.keys.create(
            KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV)
        ).value
    filled = Filled(videos=0, environ=environ, key=key, video_ids=())
    command = ["-m", "hvcore_cli", "api", "--fd"]
    api = stack.enter_context(serving(command, filled, folder / "log"))
    until(
        partial(_answers, f"{api.url}/health/live"),
        within_s=STARTS_WITHIN_S,
        what=api.url,
    )
    return Bench(
        endpoint=endpoint,
        bucket=bucket,
        ask_url=f"{api.url}/v1/api/{ORG}/environments/{ENV}/videos/upload-url",
        key=key,
        data=os.urandom(wanted.kilobytes * 1000),
        senders=wanted.senders,
        each=wanted.each,
        store=_child_with("tests.support.stores.swift_server"),
        api=psutil.Process(api.pid),
        http=urllib3.PoolManager(
            maxsize=wanted.senders,
            block=True,
            # A connection that was closed for standing still is no result.
            retries=urllib3.Retry(2, allowed_methods=None),
        ),
    )


def _child_with(word: str) -> psutil.Process:
    return next(
        child for child in psutil.Process().children() if word in child.cmdline()
    )


def _busy_s(process: psutil.Process) -> float:
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def _answers(url: str) -> bool:
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


def run(bench: Bench, rounds: int) -> None:
    """
    Send rounds in turn and print; the first of each is not counted.
    """
    ways = {BARE: bench.bare, OURS: bench.ours, BEFORE: bench.before}
    found: dict[str, list[Round]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            # Servers close what stands still between two rounds.
            bench.http.clear()
            done = bench.round(ways[name]())
            if number:
                found[name].append(done)
    report(found, bench)


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only to see it work")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--senders", type=int, default=100)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--kilobytes", type=int, default=256)
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.rounds = 2
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(set_up(wanted, Path(folder), stack), wanted.rounds)


if __name__ == "__main__":
    main()
