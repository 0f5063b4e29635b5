"""
What a private file costs behind nginx by who has signed its token.

nginx verifies the service's own tokens and sends the files itself; tokens of an
organization's own keys it hands to the service. Both are asked for in turn, round by
round, of the same nginx with the same ``hv delivery`` behind it. Processor time is that
of both and of ``hv edge ingest``.

Run: ``python -m tests.benchmarks.delivery.signers [--rounds N] [--seconds S]``; it needs
what ``delivery`` needs, and takes about 6 minutes.
"""

import argparse
import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import attrs
import jwt

from hvcore.assembly import Services
from hvcore.domain.playback.signing_keys import SigningAlgorithm
from tests.benchmarks.delivery import data
from tests.benchmarks.delivery.data import Case, Stock
from tests.benchmarks.delivery.edge import running_edge
from tests.benchmarks.delivery.load import (
    WARM_UP_S,
    Load,
    middle,
    put_load,
    ratio,
)
from tests.benchmarks.delivery.run import PACKAGES, has_programs, playlist
from tests.support.servers import redis_server
from tests.support.stores.published import ORG, migrate, services_of

SERVICE: Final = "service"
ORGANIZATION: Final = "organization"


def signed_by_organization(services: Services, stock: Stock) -> Stock:
    """
    Return what there is to ask for, with tokens as a customer's server makes them.
    """
    made = services.signing_keys.create(
        ORG, name="bench", algorithm=SigningAlgorithm.ED25519
    )
    now = int(services.clock.now().timestamp())
    signed = []
    for number, (film, _) in enumerate(stock.signed):
        claims = {
            "iss": services.settings.playback.issuer,
            "sub": film.id,
            "aud": film.id,
            "iat": now,
            "exp": now + data.VALID_S,
            "jti": str(number),
        }
        token = jwt.encode(
            claims,
            made.private or "",
            algorithm=made.key.algorithm.value,
            headers={"kid": made.key.id},
        )
        signed.append((film, token))
    return attrs.evolve(stock, signed=signed)


def cases_of(stock: Stock, folder: Path) -> Mapping[str, Case]:
    """
    Write down what is asked for, by its name.
    """
    folder.mkdir()
    (folder / "www").mkdir()
    small, _ = data.segment_cases(stock, folder)
    texts = data.playlist_case(stock, folder, folder / "www", b"")
    return {case.name: case for case in (small, texts)}


def report(name: str, found: Mapping[str, Sequence[Load]]) -> None:
    """
    Print a line for each kind of token, and what one is of the other.
    """
    print(f"\n{name:16}{'requests/s':>12}{'CPU us':>10}{'p99 ms':>10}")
    for signer, loads in found.items():
        print(
            f"{signer:16}{middle(loads, 'per_s'):12,.0f}"
            f"{middle(loads, 'cpu_us'):10.0f}{middle(loads, 'p99_ms'):10.1f}"
        )
    mine, others = found[ORGANIZATION], found[SERVICE]
    ratios = (ratio(mine, others, field) for field in ("per_s", "cpu_us", "p99_ms"))
    print("{:16}{:12.2f}{:10.2f}{:10.2f}".format("ratio", *ratios), flush=True)


def run(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
    """
    Publish films and measure.
    """
    redis = stack.enter_context(redis_server())
    environ = data.environ_of(folder / "data", database="", redis=redis.url)
    migrate(environ)
    services = stack.enter_context(services_of(environ))
    stock = data.make_stock(services, environ)
    stocks = {
        SERVICE: stock,
        ORGANIZATION: signed_by_organization(services, stock),
    }
    edge = stack.enter_context(running_edge(environ, folder / "edge", folder / "log"))
    for one in stocks.values():
        print(f"playlists have {len(playlist(edge, one)):,} bytes", flush=True)
    cases = {signer: cases_of(one, folder / signer) for signer, one in stocks.items()}
    for name in cases[SERVICE]:
        found: dict[str, list[Load]] = defaultdict(list)
        for number in range(wanted.rounds):
            for signer in list(stocks)[:: -1 if number % 2 else 1]:
                case = cases[signer][name]
                if not number:
                    put_load(edge, case, seconds=min(wanted.seconds, WARM_UP_S))
                found[signer].append(put_load(edge, case, seconds=wanted.seconds))
        report(name, {signer: found[signer] for signer in stocks})


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=10)
    wanted = parser.parse_args()
    if not has_programs():
        raise SystemExit(f"Something is missing; fix: apt install {PACKAGES}")
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(wanted, Path(folder), stack)


if __name__ == "__main__":
    main()
